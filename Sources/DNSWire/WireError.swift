/// Why octets are no DNS message; offsets count from octet 0 of the message.
@frozen
public enum WireError: Error, Equatable, Sendable {
    /// The message ends before what starts at `offset` does.
    case truncated(offset: Int)
    /// A compression pointer that does not point strictly backwards (RFC 1035 §4.1.4, RFC 9267 §2).
    case pointerNotBackward(offset: Int)
    /// A label type other than plain (00) and pointer (11) (RFC 6891 §5).
    case reservedLabelType(offset: Int)
    /// A name of more than 255 octets.
    case nameTooLong(offset: Int)
    /// More records announced than the octets left could hold (11 octets each at least).
    case tooManyRecords(offset: Int)
    /// A second OPT, one outside the additional section, or one with an owner that is not the root
    /// (RFC 6891 §6.1.1).
    case misplacedOPT(offset: Int)
}
