/// Why octets or text are no domain name.
public enum NameError: Error, Equatable, Sendable {
    /// The text is empty.
    case empty
    /// Two dots in a row, or a dot at the start; `offset` is that of the text's second dot.
    case emptyLabel(offset: Int)
    /// A label of more than 63 octets (RFC 1035 §2.3.4); `offset` is where it starts.
    case labelTooLong(offset: Int)
    /// More than 255 octets on the wire (RFC 1035 §2.3.4).
    case nameTooLong
    /// A backslash without a character or three decimal digits up to 255 (RFC 1035 §5.1).
    case badEscape(offset: Int)
    /// A wire name that ends before its root label, or that goes on after it.
    case malformedWire(offset: Int)
}

extension NameError: CustomStringConvertible {
    /// One phrase for a person.
    public var description: String {
        switch self {
        case .empty: "empty name"
        case .emptyLabel(let offset): "empty label at column \(offset + 1)"
        case .labelTooLong(let offset): "label longer than 63 octets at column \(offset + 1)"
        case .nameTooLong: "name longer than 255 octets"
        case .badEscape(let offset): "bad escape at column \(offset + 1)"
        case .malformedWire(let offset): "malformed wire name at octet \(offset)"
        }
    }
}
