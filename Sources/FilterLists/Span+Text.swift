import DomainNames

/// Reading of ASCII text in place: ranges of one line's octets instead of strings.
extension Span<UInt8> {
    /// The part of the line that a range names.
    subscript(range: Range<Int>) -> Span<UInt8> {
        @_lifetime(copy self)
        get { extracting(range) }
    }

    /// Whether the octets are an IPv4 or IPv6 address, a zone after `%` allowed.
    var hasAddress: Bool { RuleAddress(hostsText: self) != nil }

    /// The range without blanks and carriage returns at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The next run of octets without blanks; empty, at the end, when there is none.
    func token(in range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        while start < range.upperBound, self[start].isBlank { start += 1 }
        var end = start
        while end < range.upperBound, !self[end].isBlank { end += 1 }
        return start..<end
    }

    /// The first place of an octet in the range.
    func index(of octet: UInt8, in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == octet { return index }
            index += 1
        }
        return nil
    }

    /// The last place of an octet in the range.
    func lastIndex(of octet: UInt8, in range: Range<Int>) -> Int? {
        var index = range.upperBound
        while index > range.lowerBound {
            index -= 1
            if self[index] == octet { return index }
        }
        return nil
    }

    /// Whether the range holds exactly this lower-case ASCII text, its own case ignored.
    func equals(_ text: String, in range: Range<Int>) -> Bool {
        range.count == text.utf8.count && hasPrefix(text, in: range)
    }

    /// Whether the range starts with this lower-case ASCII text, its own case ignored.
    func hasPrefix(_ text: String, in range: Range<Int>) -> Bool {
        guard range.count >= text.utf8.count else { return false }
        var index = range.lowerBound
        for octet in text.utf8 {
            guard self[index].asciiLowercased == octet else { return false }
            index += 1
        }
        return true
    }

    /// Whether this lower-case ASCII text occurs in the range, the range's case ignored.
    func contains(_ text: String, in range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            if hasPrefix(text, in: start..<range.upperBound) { return true }
            start += 1
        }
        return false
    }

    /// A copy of the range's octets.
    func octets(in range: Range<Int>) -> [UInt8] {
        var copy = [UInt8]()
        copy.reserveCapacity(range.count)
        for index in range { copy.append(self[index]) }
        return copy
    }

    /// The ranges between unescaped separators; a backslash keeps the octet after it.
    func fields(of range: Range<Int>, separatedBy separator: UInt8) -> [Range<Int>] {
        var fields: [Range<Int>] = []
        var start = range.lowerBound
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == .backslash {
                index += 2
                continue
            }
            if self[index] == separator {
                fields.append(start..<index)
                start = index + 1
            }
            index += 1
        }
        fields.append(start..<range.upperBound)
        return fields
    }

    /// The decimal number that fills the range; `nil` above `limit` or for anything else.
    func decimal(in range: Range<Int>, limit: Int) -> Int? {
        guard !range.isEmpty, range.count <= 10 else { return nil }
        var value = 0
        for index in range {
            guard self[index].isDigit else { return nil }
            value = value * 10 + Int(self[index] & 0x0F)
        }
        return value <= limit ? value : nil
    }
}

extension UInt8 {
    /// LF, the end of a line.
    static var newline: UInt8 { 0x0A }
    /// A full stop.
    static var dot: UInt8 { UInt8(ascii: ".") }
    /// A slash.
    static var slash: UInt8 { UInt8(ascii: "/") }
    /// An asterisk.
    static var star: UInt8 { UInt8(ascii: "*") }
    /// A number sign.
    static var hash: UInt8 { UInt8(ascii: "#") }
    /// `^`, the separator of adblock patterns.
    static var caret: UInt8 { UInt8(ascii: "^") }
    /// A vertical bar.
    static var bar: UInt8 { UInt8(ascii: "|") }
    /// A dollar sign.
    static var dollar: UInt8 { UInt8(ascii: "$") }
    /// A double quote.
    static var quote: UInt8 { UInt8(ascii: "\"") }
    /// A backslash.
    static var backslash: UInt8 { UInt8(ascii: "\\") }

    /// Space, tab, vertical tab, form feed or carriage return.
    var isBlank: Bool { self == 0x20 || self == 0x09 || (self >= 0x0B && self <= 0x0D) }

    /// `0…9`.
    var isDigit: Bool { self &- 0x30 < 10 }

    /// ASCII letter.
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// What host names in lists are made of besides dots: letters, digits, `-` and `_`.
    @inline(__always)
    var isHostOctet: Bool {
        // Bits 0x2D, 0x30…0x39 of the first word; 0x41…0x5A, 0x5F, 0x61…0x7A of the second.
        let word: UInt64 = self < 64 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
        return self < 128 && (word >> UInt64(self & 63)) & 1 == 1
    }
}
