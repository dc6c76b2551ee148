import Quantities

/// An address that a list states.
package enum RuleAddress: Hashable, Sendable {
    /// IPv4, 32 bits, the first octet highest.
    case v4(UInt32)
    /// IPv6, 128 bits, the first octet highest.
    case v6(UInt128)

    /// Whether block lists write this address for "nowhere": 0.0.0.0, 127.0.0.1, `::`, `::1`.
    package var isSink: Bool {
        switch self {
        case .v4(let bits): bits == 0 || bits == 0x7F00_0001
        case .v6(let bits): bits <= 1
        }
    }

    /// The octets of an A (4) or AAAA (16) record.
    package var octets: [UInt8] {
        switch self {
        case .v4(let bits):
            (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(24 - 8 * $0)) }
        case .v6(let bits):
            (0..<16).map { UInt8(truncatingIfNeeded: bits >> UInt128(120 - 8 * $0)) }
        }
    }

    /// The address that fills the text: dotted decimal, or RFC 4291 §2.2. On octets: lists are read
    /// without a String a line.
    package init?(text: Span<UInt8>) {
        if let bits = Self.ipv4(in: text, 0..<text.count) {
            self = .v4(bits)
        } else if let bits = Self.ipv6(in: text) {
            self = .v6(bits)
        } else {
            return nil
        }
    }

    /// The address that fills the text, which may name a zone after `%` (RFC 4007 §11).
    init?(hostsText text: Span<UInt8>) {
        guard text.count > 0, text[0].isHexDigit || text[0] == UInt8(ascii: ":") else { return nil }
        let end = text.index(of: UInt8(ascii: "%"), in: 0..<text.count) ?? text.count
        self.init(text: text.extracting(0..<end))
    }

    private static func ipv4(in text: Span<UInt8>, _ range: Range<Int>) -> UInt32? {
        var bits: UInt32 = 0
        var part: UInt32 = 0
        var digits = 0
        var parts = 0
        for index in range {
            let octet = text[index]
            if octet.isDigit {
                part = part * 10 + UInt32(octet & 0x0F)
                digits += 1
                guard digits <= 3, part <= 255 else { return nil }
            } else {
                guard octet == .dot, digits > 0, parts < 3 else { return nil }
                bits = bits << 8 | part
                parts += 1
                part = 0
                digits = 0
            }
        }
        return parts == 3 && digits > 0 ? bits << 8 | part : nil
    }

    private static func ipv6(in text: Span<UInt8>) -> UInt128? {
        var bits: UInt128 = 0
        var groups = 0
        var gap: Int?
        var offset = 0
        guard text.count >= 2 else { return nil }
        if text[0] == UInt8(ascii: ":") {
            guard text[1] == UInt8(ascii: ":") else { return nil }
            gap = 0
            offset = 2
        }
        while offset < text.count {
            let end = text.index(of: UInt8(ascii: ":"), in: offset..<text.count) ?? text.count
            if end == text.count, let tail = ipv4(in: text, offset..<end) {
                bits = bits << 32 | UInt128(tail)
                groups += 2
                break
            }
            guard let group = hexGroup(in: text, offset..<end), groups < 8 else { return nil }
            bits = bits << 16 | group
            groups += 1
            if end == text.count { break }
            offset = end + 1
            if offset == text.count { return nil }
            if text[offset] == UInt8(ascii: ":") {
                guard gap == nil else { return nil }
                gap = groups
                offset += 1
            }
        }
        guard groups <= 8 else { return nil }
        guard let gap else { return groups == 8 ? bits : nil }
        guard groups < 8 else { return nil }
        let lowBits = UInt128(16 * (groups - gap))
        let low = bits & ((1 << lowBits) - 1)
        let high = gap == 0 ? 0 : (bits >> lowBits) << UInt128(128 - 16 * gap)
        return high | low
    }

    private static func hexGroup(in text: Span<UInt8>, _ range: Range<Int>) -> UInt128? {
        guard (1...4).contains(range.count) else { return nil }
        var value: UInt128 = 0
        for index in range {
            let octet = text[index]
            guard octet.isHexDigit else { return nil }
            let digit = octet.isDigit ? octet & 0x0F : (octet | 0x20) - 0x57
            value = value << 4 | UInt128(digit)
        }
        return value
    }
}

extension RuleAddress: CustomStringConvertible {
    /// The address as the rest of the program has it.
    package var value: IPAddress {
        switch self {
        case .v4(let bits): IPAddress(high: UInt64(bits) << 32, low: 0, isIPv4: true)
        case .v6(let bits):
            IPAddress(
                high: UInt64(truncatingIfNeeded: bits >> 64),
                low: UInt64(truncatingIfNeeded: bits), isIPv4: false)
        }
    }

    /// Dotted decimal, or the short form of RFC 5952.
    package var description: String { value.description }
}

extension UInt8 {
    /// `0…9`, `a…f`, `A…F`.
    var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
}
