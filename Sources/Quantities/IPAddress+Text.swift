extension IPAddress {
    /// The address that `text` writes: dotted decimal, or the forms of RFC 4291 §2.2; no zone, no
    /// brackets, nothing before or after.
    ///
    /// Strict: four decimal octets without leading zeros (they are octal to some readers); groups
    /// of one to four hexadecimal digits; `::` at most once and for at least one group.
    /// - Complexity: O(octets).
    package init?(text: String) {
        let octets = Array(text.utf8)
        guard octets.count <= 45 else { return nil }
        if octets.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(of: octets[...]) else { return nil }
            var words: (high: UInt64, low: UInt64) = (0, 0)
            for index in 0..<4 {
                words.high = words.high << 16 | UInt64(groups[index])
                words.low = words.low << 16 | UInt64(groups[index + 4])
            }
            self.init(high: words.high, low: words.low, isIPv4: false)
        } else {
            guard let value = Self.dottedDecimal(octets[...]) else { return nil }
            self.init(high: UInt64(value) << 32, low: 0, isIPv4: true)
        }
    }

    /// The 32 bits of four decimal octets with dots between.
    private static func dottedDecimal(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy({ $0 &- 0x30 < 10 }),
                part.count == 1 || part.first != UInt8(ascii: "0")
            else { return nil }
            let number = part.reduce(0) { $0 * 10 + UInt32($1 - 0x30) }
            guard number <= 255 else { return nil }
            value = value << 8 | number
        }
        return value
    }

    /// The eight groups of an IPv6 address.
    private static func groups(of text: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        var gapStart: Int?
        var index = text.startIndex
        while index + 1 < text.endIndex {
            if text[index] == colon, text[index + 1] == colon {
                // The second pair may overlap the first: `:::` is refused too.
                guard gapStart == nil else { return nil }
                gapStart = index
            }
            index += 1
        }
        guard let gapStart else {
            guard let groups = run(of: text, mayEndInIPv4: true), groups.count == 8 else {
                return nil
            }
            return groups
        }
        guard let head = run(of: text[..<gapStart], mayEndInIPv4: false),
            let tail = run(of: text[(gapStart + 2)...], mayEndInIPv4: true),
            head.count + tail.count <= 7
        else { return nil }
        return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// Groups with single colons between; an IPv4 address at the end counts as two.
    private static func run(of text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups = [UInt16]()
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let value = dottedDecimal(part) else { return nil }
                groups.append(UInt16(value >> 16))
                groups.append(UInt16(value & 0xFFFF))
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var group: UInt16 = 0
            for digit in part {
                guard let value = Self.hexadecimal(digit) else { return nil }
                group = group << 4 | UInt16(value)
            }
            groups.append(group)
        }
        return groups
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or the canonical text of RFC 5952 §4: lower case, no leading zeros, `::` for
    /// the first of the longest runs of two or more zero groups, IPv4-mapped in mixed form (§5).
    public var description: String {
        if isIPv4 { return Self.dotted(UInt32(truncatingIfNeeded: high >> 32)) }
        if high == 0, low >> 32 == 0xFFFF {
            return "::ffff:" + Self.dotted(UInt32(truncatingIfNeeded: low))
        }
        let groups = (0..<8).map { UInt16(octet(2 * $0)) << 8 | UInt16(octet(2 * $0 + 1)) }
        var gap = 0..<0
        var index = 0
        while index < 8 {
            let start = index
            while index < 8, groups[index] == 0 { index += 1 }
            if index - start >= 2, index - start > gap.count { gap = start..<index }
            index = max(index, start + 1)
        }
        guard !gap.isEmpty else { return Self.joined(groups[...]) }
        return Self.joined(groups[..<gap.lowerBound]) + "::"
            + Self.joined(groups[gap.upperBound...])
    }

    private static func dotted(_ value: UInt32) -> String {
        "\(value >> 24).\(value >> 16 & 0xFF).\(value >> 8 & 0xFF).\(value & 0xFF)"
    }

    private static func joined(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
