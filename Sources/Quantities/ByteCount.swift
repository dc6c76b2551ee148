/// A size in octets.
@frozen
public struct ByteCount: Comparable, Hashable, Sendable, CustomStringConvertible {
    /// Number of octets.
    public let octets: Int

    /// A size of `octets`.
    @inlinable
    public init(_ octets: Int) { self.octets = octets }

    /// `count` kibibytes (1,024 octets each).
    @inlinable
    public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(count << 10) }

    /// `count` mebibytes (1,048,576 octets each).
    @inlinable
    public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(count << 20) }

    /// Order by size.
    @inlinable
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.octets < right.octets }

    /// Text in the largest unit that keeps one decimal exact enough to read: `64.0 MiB`.
    public var description: String {
        let units = ["B", "KiB", "MiB", "GiB"]
        var tenths = octets
        var unit = 0
        if octets >= 1024 {
            tenths = octets * 10
            while tenths >= 10 * 1024 && unit < units.count - 1 {
                tenths /= 1024
                unit += 1
            }
            return "\(tenths / 10).\(tenths % 10) \(units[unit])"
        }
        return "\(octets) B"
    }
}
