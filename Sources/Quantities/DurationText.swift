/// Durations and sizes as people write them: digits, then a unit, no space, no sign, no fraction.
///
/// ```
/// 1800ms  10s  5m  3h  1d          64MiB  8KiB  512B  1GiB
/// ```
/// Both directions are exact: `text(of:)` of a parsed value parses to the same value.
public enum DurationText {
    /// The units, smallest first, with their length in milliseconds.
    public static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The duration that `text` writes; `nil` when it writes none or one above 292 years.
    /// - Complexity: O(octets).
    public static func duration(of text: String) -> Duration? {
        guard let (count, unit) = QuantityText.split(text),
            let found = units.first(where: { $0.name == unit })
        else { return nil }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: found.milliseconds)
        // MonotonicInstant counts nanoseconds in 64 bits.
        guard !overflow, milliseconds <= Int64.max / 1_000_000 else { return nil }
        return .milliseconds(milliseconds)
    }

    /// The text of a duration, not negative, in the largest unit that divides it; parts of a
    /// millisecond are cut.
    public static func text(of duration: Duration) -> String {
        let milliseconds = max(0, duration.wholeNanoseconds / 1_000_000)
        guard milliseconds > 0 else { return "0s" }
        for unit in units.reversed() where milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}

/// Sizes as people write them; see `DurationText`.
public enum ByteCountText {
    /// The units, smallest first, with their size in octets.
    public static let units: [(name: String, octets: Int64)] = [
        ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// The size that `text` writes; `nil` when it writes none or one beyond 63 bits.
    /// - Complexity: O(octets).
    public static func byteCount(of text: String) -> ByteCount? {
        guard let (count, unit) = QuantityText.split(text),
            let found = units.first(where: { $0.name == unit })
        else { return nil }
        let (octets, overflow) = count.multipliedReportingOverflow(by: found.octets)
        guard !overflow, let size = Int(exactly: octets) else { return nil }
        return ByteCount(size)
    }

    /// The text of a size, not negative, in the largest unit that divides it.
    public static func text(of size: ByteCount) -> String {
        let octets = Int64(max(0, size.octets))
        guard octets > 0 else { return "0B" }
        for unit in units.reversed() where octets % unit.octets == 0 {
            return "\(octets / unit.octets)\(unit.name)"
        }
        return "\(octets)B"
    }
}

/// What the two texts share: a count and the unit behind it.
enum QuantityText {
    /// The digits at the start as a number, and the rest; `nil` without digits or beyond 63 bits.
    static func split(_ text: String) -> (count: Int64, unit: String)? {
        let digits = text.utf8.prefix { $0 &- 0x30 < 10 }
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var count: Int64 = 0
        for digit in digits { count = count * 10 + Int64(digit - 0x30) }
        return (count, String(text.dropFirst(digits.count)))
    }
}
