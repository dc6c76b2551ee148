/// Builds one JSON text (RFC 8259) in a buffer, on one line.
///
/// Values go in the order of the calls; the writer places commas and checks that names and values
/// alternate. It holds nothing but the octets and the open brackets.
/// ```
/// writer.object {
///     $0.member("state", "serving")
///     $0.member("policies") { $0.array { … } }
/// }
/// ```
package struct JSONWriter: Sendable {
    /// The text so far; UTF-8.
    package private(set) var octets: [UInt8] = []
    private var needsComma = false
    private var expectsName = false

    /// An empty text.
    package init() {}

    /// The finished text.
    package var text: String { String(decoding: octets, as: UTF8.self) }

    /// Writes an object; `body` writes its members.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        nested(open: "{", close: "}", takesNames: true, body)
    }

    /// Writes an array; `body` writes its values.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        nested(open: "[", close: "]", takesNames: false, body)
    }

    private mutating func nested(
        open: Character, close: Character, takesNames: Bool, _ body: (inout JSONWriter) -> Void
    ) {
        beginValue()
        octets.append(contentsOf: String(open).utf8)
        let outer = expectsName
        needsComma = false
        expectsName = takesNames
        body(&self)
        precondition(expectsName == takesNames, "a member has a name and a value")
        octets.append(contentsOf: String(close).utf8)
        expectsName = outer
        needsComma = true
    }

    /// Writes a member of an object; `value` writes exactly one value.
    package mutating func member(_ name: String, _ value: (inout JSONWriter) -> Void) {
        precondition(expectsName, "a member belongs into an object")
        if needsComma { octets.append(UInt8(ascii: ",")) }
        appendQuoted(name)
        octets.append(UInt8(ascii: ":"))
        needsComma = false
        expectsName = false
        value(&self)
        precondition(needsComma, "a member has one value")
        expectsName = true
    }

    /// Writes a member with a string.
    package mutating func member(_ name: String, _ value: String) {
        member(name) { $0.string(value) }
    }

    /// Writes a member with a whole number.
    package mutating func member(_ name: String, _ value: some BinaryInteger) {
        member(name) { $0.integer(value) }
    }

    /// Writes a member with a number.
    package mutating func member(_ name: String, _ value: Double) {
        member(name) { $0.double(value) }
    }

    /// Writes a member with true or false.
    package mutating func member(_ name: String, _ value: Bool) {
        member(name) { $0.bool(value) }
    }

    /// Writes a string.
    package mutating func string(_ value: String) {
        beginValue()
        appendQuoted(value)
        needsComma = true
    }

    /// Writes a whole number. Readers that use doubles lose digits above 2⁵³ (RFC 8259 §6).
    package mutating func integer(_ value: some BinaryInteger) { raw(String(value)) }

    /// Writes a number in the shortest text that gives the same double; null when it is not finite,
    /// for which JSON has no text.
    package mutating func double(_ value: Double) { raw(value.isFinite ? "\(value)" : "null") }

    /// Writes true or false.
    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    /// Writes null.
    package mutating func null() { raw("null") }

    private mutating func raw(_ text: String) {
        beginValue()
        octets.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func beginValue() {
        precondition(!expectsName, "inside an object a value has a name")
        if needsComma { octets.append(UInt8(ascii: ",")) }
    }

    /// Appends a string in quotes: `"`, `\` and controls escaped (RFC 8259 §7), DEL and the line
    /// separators too, so that the text stays on one line everywhere.
    private mutating func appendQuoted(_ value: String) {
        octets.append(UInt8(ascii: "\""))
        for scalar in value.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: octets += [0x5C, UInt8(scalar.value)]
            case 0x0A: octets += Array("\\n".utf8)
            case 0x0D: octets += Array("\\r".utf8)
            case 0x09: octets += Array("\\t".utf8)
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
                let digits = String(scalar.value, radix: 16)
                octets += Array("\\u".utf8)
                octets += [UInt8](repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count)
                octets += Array(digits.utf8)
            default:
                octets.append(contentsOf: String(scalar).utf8)
            }
        }
        octets.append(UInt8(ascii: "\""))
    }
}
