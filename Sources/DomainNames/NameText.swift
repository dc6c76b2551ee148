/// Between presentation text and wire form (RFC 1035 §5.1).
public enum NameText {
    /// The wire form of presentation text, case kept.
    /// - Throws: `NameError`; offsets count octets of the text.
    /// - Complexity: O(octets); one allocation.
    public static func wire(of text: Span<UInt8>) throws(NameError) -> [UInt8] {
        guard text.count > 0 else { throw .empty }
        var wire: [UInt8] = [0]
        wire.reserveCapacity(text.count + 2)
        if text.count == 1 && text[0] == UInt8(ascii: ".") { return wire }
        var lengthOffset = 0
        var labelStart = 0
        var offset = 0
        while offset < text.count {
            if text[offset] == UInt8(ascii: ".") {
                guard wire.count - lengthOffset > 1 else { throw .emptyLabel(offset: offset) }
                offset += 1
                if offset == text.count { break }
                lengthOffset = wire.count
                labelStart = offset
                wire.append(0)
                continue
            }
            let (octet, next) = try octet(in: text, at: offset)
            offset = next
            guard wire[lengthOffset] < NameLimits.labelSize else {
                throw .labelTooLong(offset: labelStart)
            }
            wire.append(octet)
            wire[lengthOffset] += 1
        }
        wire.append(0)
        guard wire.count <= NameLimits.wireSize else { throw .nameTooLong }
        return wire
    }

    /// Presentation text of a wire name that holds to the limits; no dot at the end, the root is
    /// `.`. Dots, backslashes and octets outside printable ASCII are escaped.
    public static func text(of wire: Span<UInt8>) -> String {
        guard wire.count > 1, wire[0] != 0 else { return "." }
        var text = ""
        var offset = 0
        while offset < wire.count, wire[offset] != 0 {
            if offset > 0 { text.append(".") }
            let end = min(offset + 1 + Int(wire[offset]), wire.count)
            for index in (offset + 1)..<end { append(wire[index], to: &text) }
            offset = end
        }
        return text
    }

    private static func append(_ octet: UInt8, to text: inout String) {
        switch octet {
        case UInt8(ascii: "."), UInt8(ascii: "\\"):
            text.append("\\")
            text.unicodeScalars.append(Unicode.Scalar(octet))
        case 0x21...0x7E:
            text.unicodeScalars.append(Unicode.Scalar(octet))
        default:
            let digits = [octet / 100, octet / 10 % 10, octet % 10]
            text.append("\\")
            for digit in digits { text.unicodeScalars.append(Unicode.Scalar(0x30 + digit)) }
        }
    }

    /// The octet that the text writes at `offset`, escapes resolved, and the offset after it.
    private static func octet(
        in text: Span<UInt8>, at offset: Int
    ) throws(NameError) -> (octet: UInt8, next: Int) {
        guard text[offset] == UInt8(ascii: "\\") else { return (text[offset], offset + 1) }
        guard offset + 1 < text.count else { throw .badEscape(offset: offset) }
        let first = text[offset + 1]
        guard isDigit(first) else { return (first, offset + 2) }
        guard offset + 3 < text.count, isDigit(text[offset + 2]), isDigit(text[offset + 3]) else {
            throw .badEscape(offset: offset)
        }
        let value =
            Int(first - 0x30) * 100 + Int(text[offset + 2] - 0x30) * 10
            + Int(text[offset + 3] - 0x30)
        guard value <= 255 else { throw .badEscape(offset: offset) }
        return (UInt8(value), offset + 4)
    }

    private static func isDigit(_ octet: UInt8) -> Bool { octet &- 0x30 < 10 }
}
