/// Escapes and bracketed classes: what stands for one octet.
extension RegularExpression {
    /// Reads `[…]`, the bracket being next.
    @_lifetime(self: copy self)
    mutating func characterClass() throws(PatternError) -> OctetSet {
        let start = offset
        offset += 1
        let isNegated = skip(UInt8(ascii: "^"))
        var set = OctetSet()
        var isEmpty = true
        while !skip(UInt8(ascii: "]")) {
            guard next != nil else { throw .badClass(offset: start) }
            isEmpty = false
            let itemStart = offset
            let first = try classItem()
            guard next == UInt8(ascii: "-"), offset + 1 < text.count,
                text[offset + 1] != UInt8(ascii: "]"), let low = first.onlyOctet
            else {
                set.formUnion(first)
                continue
            }
            offset += 1
            let last = try classItem()
            if let high = last.onlyOctet {
                guard low <= high else { throw .badRange(offset: itemStart) }
                set.insert(low...high)
            } else {
                // `[a-\d]`: the hyphen is one of the characters.
                set.formUnion(first)
                set.insert(UInt8(ascii: "-"))
                set.formUnion(last)
            }
        }
        guard !isEmpty else { throw .badClass(offset: start) }
        set = folded(set)
        return isNegated ? set.complement : set
    }

    /// One octet of a class, or an escape that stands for several.
    @_lifetime(self: copy self)
    private mutating func classItem() throws(PatternError) -> OctetSet {
        guard let octet = next else { throw .badClass(offset: offset) }
        if octet == UInt8(ascii: "\\") { return try escape(inClass: true) }
        if octet == UInt8(ascii: "["), offset + 1 < text.count,
            text[offset + 1] == UInt8(ascii: ":")
        {
            throw .unsupported(.namedClass, offset: offset)
        }
        guard octet < 0x80 else { throw .unsupported(.nonASCIIClass, offset: offset) }
        offset += 1
        return OctetSet(octet)
    }

    /// Reads an escape, the backslash being next.
    @_lifetime(self: copy self)
    mutating func escape(inClass: Bool) throws(PatternError) -> OctetSet {
        let start = offset
        offset += 1
        guard let octet = next else { throw .badEscape(offset: start) }
        offset += 1
        switch octet {
        case UInt8(ascii: "d"): return .digits
        case UInt8(ascii: "D"): return OctetSet.digits.complement
        case UInt8(ascii: "w"): return .word
        case UInt8(ascii: "W"): return OctetSet.word.complement
        case UInt8(ascii: "s"): return .blanks
        case UInt8(ascii: "S"): return OctetSet.blanks.complement
        case UInt8(ascii: "b") where inClass: return OctetSet(0x08)
        case UInt8(ascii: "b"), UInt8(ascii: "B"): throw .unsupported(.wordBoundary, offset: start)
        case UInt8(ascii: "n"): return OctetSet(0x0A)
        case UInt8(ascii: "r"): return OctetSet(0x0D)
        case UInt8(ascii: "t"): return OctetSet(0x09)
        case UInt8(ascii: "f"): return OctetSet(0x0C)
        case UInt8(ascii: "v"): return OctetSet(0x0B)
        case UInt8(ascii: "x"): return OctetSet(try hexadecimal(digits: 2, start))
        case UInt8(ascii: "u"): return OctetSet(try hexadecimal(digits: 4, start))
        case UInt8(ascii: "p"), UInt8(ascii: "P"): throw .unsupported(.unicode, offset: start)
        case UInt8(ascii: "k"): throw .unsupported(.backReference, offset: start)
        case UInt8(ascii: "0"):
            if let digit = next, OctetSet.digits.contains(digit) {
                throw .badEscape(offset: start)
            }
            return OctetSet(0)
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            throw .unsupported(.backReference, offset: start)
        default:
            // A letter that has no meaning here has one elsewhere.
            let isLetter = (octet | 0x20) &- UInt8(ascii: "a") < 26
            guard octet < 0x80, !isLetter else { throw .badEscape(offset: start) }
            return OctetSet(octet)
        }
    }

    /// The octet that hexadecimal digits write; four digits must write an ASCII one.
    @_lifetime(self: copy self)
    private mutating func hexadecimal(
        digits: Int, _ start: Int
    ) throws(PatternError) -> UInt8 {
        var value = 0
        for _ in 0..<digits {
            guard let octet = next else { throw .badEscape(offset: start) }
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | Int(octet - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                value = value << 4 | Int((octet | 0x20) - 0x61 + 10)
            default: throw .badEscape(offset: start)
            }
            offset += 1
        }
        guard digits == 2 || value < 0x80 else { throw .unsupported(.unicode, offset: start) }
        return UInt8(truncatingIfNeeded: value)
    }
}

extension OctetSet {
    /// `\d`.
    static let digits = OctetSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
    /// `\w`.
    static let word = OctetSet(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
    /// `\s`, as far as ASCII has blanks.
    static let blanks = OctetSet("\t\n\u{0B}\u{0C}\r ")
}
