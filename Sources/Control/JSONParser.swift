/// A recursive reader over JSON octets; depth and size are bounded by `ControlLimits`.
struct JSONParser: ~Escapable {
    private let text: Span<UInt8>
    private var offset = 0

    /// A reader at the start of `text`.
    @_lifetime(copy text)
    init(_ text: Span<UInt8>) { self.text = text }

    /// The value at the reader, white space around it skipped.
    @_lifetime(self: copy self)
    mutating func value(depth: Int) throws(ControlError) -> JSONValue {
        guard depth <= ControlLimits.replyDepth else { throw fault }
        skipSpace()
        defer { skipSpace() }
        switch peek {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try items(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    /// Refuses what is left.
    @_lifetime(self: copy self)
    mutating func finish() throws(ControlError) {
        guard offset == text.count else { throw fault }
    }

    private var fault: ControlError { .malformedReply(offset: offset) }

    private var peek: UInt8? { offset < text.count ? text[offset] : nil }

    @_lifetime(self: copy self)
    private mutating func skipSpace() {
        while let octet = peek, octet == 0x20 || octet == 0x09 || octet == 0x0A || octet == 0x0D {
            offset += 1
        }
    }

    @_lifetime(self: copy self)
    private mutating func take(_ octet: UInt8) -> Bool {
        guard peek == octet else { return false }
        offset += 1
        return true
    }

    @_lifetime(self: copy self)
    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(ControlError) -> JSONValue {
        for octet in word.description.utf8 {
            guard take(octet) else { throw fault }
        }
        return value
    }

    @_lifetime(self: copy self)
    private mutating func items(depth: Int) throws(ControlError) -> [JSONValue] {
        offset += 1
        skipSpace()
        var items = [JSONValue]()
        if take(UInt8(ascii: "]")) { return items }
        while true {
            items.append(try value(depth: depth + 1))
            if take(UInt8(ascii: "]")) { return items }
            guard take(UInt8(ascii: ",")) else { throw fault }
        }
    }

    @_lifetime(self: copy self)
    private mutating func members(depth: Int) throws(ControlError) -> [JSONValue.Member] {
        offset += 1
        skipSpace()
        var members = [JSONValue.Member]()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw fault }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault }
            members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw fault }
        }
    }

    /// The string at the reader; escapes resolved, UTF-8 checked.
    @_lifetime(self: copy self)
    private mutating func string() throws(ControlError) -> String {
        let start = offset
        offset += 1
        var octets = [UInt8]()
        while let octet = peek, octet != UInt8(ascii: "\"") {
            guard octet >= 0x20 else { throw fault }
            offset += 1
            if octet == UInt8(ascii: "\\") {
                octets.append(contentsOf: String(try escape()).utf8)
            } else {
                octets.append(octet)
            }
        }
        guard take(UInt8(ascii: "\"")) else { throw fault }
        guard let string = String(validating: octets, as: UTF8.self) else {
            throw .malformedReply(offset: start)
        }
        return string
    }

    /// The character of the escape whose backslash was read.
    @_lifetime(self: copy self)
    private mutating func escape() throws(ControlError) -> Unicode.Scalar {
        guard let octet = peek else { throw fault }
        offset += 1
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(octet)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw fault
        }
        var code = try fourDigits()
        if code >> 10 == 0x36 {
            // The first half of a pair; the second must follow (RFC 8259 §7).
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw fault }
            let second = try fourDigits()
            guard second >> 10 == 0x37 else { throw fault }
            code = 0x10000 + (code & 0x3FF) << 10 + (second & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(code) else { throw fault }
        return scalar
    }

    @_lifetime(self: copy self)
    private mutating func fourDigits() throws(ControlError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let octet = peek, let digit = Character(Unicode.Scalar(octet)).hexDigitValue
            else { throw fault }
            code = code << 4 | UInt32(digit)
            offset += 1
        }
        return code
    }

    /// The number at the reader (RFC 8259 §6).
    @_lifetime(self: copy self)
    private mutating func number() throws(ControlError) -> JSONValue {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        let first = offset
        try digits()
        guard offset == first + 1 || text[first] != UInt8(ascii: "0") else { throw fault }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
            try digits()
        }
        var string = ""
        for index in start..<offset {
            string.unicodeScalars.append(Unicode.Scalar(text[index]))
        }
        if isWhole, let integer = Int64(string) { return .integer(integer) }
        guard let double = Double(string), double.isFinite else {
            throw .malformedReply(offset: start)
        }
        return .double(double)
    }

    /// One digit or more.
    @_lifetime(self: copy self)
    private mutating func digits() throws(ControlError) {
        let start = offset
        while let octet = peek, octet &- 0x30 < 10 { offset += 1 }
        guard offset > start else { throw fault }
    }
}
