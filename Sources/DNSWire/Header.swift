/// The header of a message (RFC 1035 §4.1.1; AD and CD by RFC 4035 §3), twelve octets by value.
///
/// ```
/// octets 0–1 id · 2–3 flags QR OPCODE(4) AA TC RD RA Z AD CD RCODE(4) · 4–11 four counts
/// ```
@frozen
public struct Header: Equatable, Sendable {
    /// Octets of a header.
    @inlinable public static var size: Int { 12 }

    /// Copied by the server into its response.
    public var id: UInt16
    /// The 16 bits of flags, opcode and rcode.
    public var flags: UInt16
    /// QDCOUNT.
    public var questionCount: UInt16
    /// ANCOUNT.
    public var answerCount: UInt16
    /// NSCOUNT.
    public var authorityCount: UInt16
    /// ARCOUNT.
    public var additionalCount: UInt16

    /// A header from its fields.
    @inlinable
    public init(
        id: UInt16, flags: UInt16, questionCount: UInt16 = 0, answerCount: UInt16 = 0,
        authorityCount: UInt16 = 0, additionalCount: UInt16 = 0
    ) {
        self.id = id
        self.flags = flags
        self.questionCount = questionCount
        self.answerCount = answerCount
        self.authorityCount = authorityCount
        self.additionalCount = additionalCount
    }

    /// QR: this is a response.
    @inlinable public var isResponse: Bool { flags & HeaderFlags.response != 0 }
    /// TC: the message was cut.
    @inlinable public var isTruncated: Bool { flags & HeaderFlags.truncated != 0 }
    /// RD.
    @inlinable public var recursionDesired: Bool { flags & HeaderFlags.recursionDesired != 0 }
    /// AD.
    @inlinable public var authenticData: Bool { flags & HeaderFlags.authenticData != 0 }
    /// CD.
    @inlinable public var checkingDisabled: Bool { flags & HeaderFlags.checkingDisabled != 0 }
    /// OPCODE.
    @inlinable public var opcode: OperationCode {
        OperationCode(rawValue: UInt8(truncatingIfNeeded: flags >> 11) & 0x0F)
    }
    /// The four bits of RCODE in the header; the OPT record may hold eight more.
    @inlinable public var rcode: ResponseCode { ResponseCode(rawValue: flags & 0x000F) }
}

/// The bits of `Header.flags`.
public enum HeaderFlags {
    /// QR.
    @inlinable public static var response: UInt16 { 0x8000 }
    /// The four bits of OPCODE.
    @inlinable public static var opcodeMask: UInt16 { 0x7800 }
    /// AA.
    @inlinable public static var authoritative: UInt16 { 0x0400 }
    /// TC.
    @inlinable public static var truncated: UInt16 { 0x0200 }
    /// RD.
    @inlinable public static var recursionDesired: UInt16 { 0x0100 }
    /// RA.
    @inlinable public static var recursionAvailable: UInt16 { 0x0080 }
    /// Z, always 0.
    @inlinable public static var zero: UInt16 { 0x0040 }
    /// AD.
    @inlinable public static var authenticData: UInt16 { 0x0020 }
    /// CD.
    @inlinable public static var checkingDisabled: UInt16 { 0x0010 }
}
