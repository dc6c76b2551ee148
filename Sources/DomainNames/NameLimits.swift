/// The limits of RFC 1035 §2.3.4, and ASCII case by RFC 4343.
public enum NameLimits {
    /// Octets of one label, its length octet not counted.
    public static let labelSize = 63
    /// Octets of a name on the wire, length octets and the root label counted.
    public static let wireSize = 255
    /// Labels of a name, the root not counted.
    public static let labelCount = 127
}

extension UInt8 {
    /// This octet with ASCII `A…Z` folded to `a…z`; no other octet changes (RFC 4343 §3).
    @inlinable
    public var asciiLowercased: UInt8 {
        self &- 0x41 < 26 ? self | 0x20 : self
    }
}
