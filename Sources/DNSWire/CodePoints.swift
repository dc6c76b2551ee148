/// An RR type or QTYPE (RFC 1035 §3.2.2, IANA "Resource Record (RR) TYPEs").
@frozen
public struct RecordType: RawRepresentable, Hashable, Sendable {
    /// The 16 bits of the wire.
    public var rawValue: UInt16

    /// The type with that number.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Short form for the constants below.
    @inlinable
    init(_ value: UInt16) { rawValue = value }

    /// IPv4 address.
    @inlinable public static var a: RecordType { .init(1) }
    /// Name server.
    @inlinable public static var ns: RecordType { .init(2) }
    /// Alias.
    @inlinable public static var cname: RecordType { .init(5) }
    /// Start of authority.
    @inlinable public static var soa: RecordType { .init(6) }
    /// Pointer.
    @inlinable public static var ptr: RecordType { .init(12) }
    /// Text.
    @inlinable public static var txt: RecordType { .init(16) }
    /// IPv6 address.
    @inlinable public static var aaaa: RecordType { .init(28) }
    /// Alias of a subtree (RFC 6672).
    @inlinable public static var dname: RecordType { .init(39) }
    /// The EDNS pseudo record (RFC 6891).
    @inlinable public static var opt: RecordType { .init(41) }
    /// Delegation signer (RFC 4034).
    @inlinable public static var ds: RecordType { .init(43) }
    /// Signature (RFC 4034).
    @inlinable public static var rrsig: RecordType { .init(46) }
    /// Zone key (RFC 4034).
    @inlinable public static var dnskey: RecordType { .init(48) }
    /// Service binding (RFC 9460).
    @inlinable public static var svcb: RecordType { .init(64) }
    /// Service binding for HTTP (RFC 9460).
    @inlinable public static var https: RecordType { .init(65) }
    /// Transaction key (RFC 2930).
    @inlinable public static var tkey: RecordType { .init(249) }
    /// Transaction signature (RFC 8945).
    @inlinable public static var tsig: RecordType { .init(250) }
    /// Incremental zone transfer (RFC 1995).
    @inlinable public static var ixfr: RecordType { .init(251) }
    /// Zone transfer (RFC 5936).
    @inlinable public static var axfr: RecordType { .init(252) }
    /// Mailbox query, obsolete.
    @inlinable public static var mailb: RecordType { .init(253) }
    /// Mail agent query, obsolete.
    @inlinable public static var maila: RecordType { .init(254) }
    /// Any type (RFC 8482).
    @inlinable public static var any: RecordType { .init(255) }
}

/// A class or QCLASS (RFC 1035 §3.2.4).
@frozen
public struct RecordClass: RawRepresentable, Hashable, Sendable {
    /// The 16 bits of the wire.
    public var rawValue: UInt16

    /// The class with that number.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Internet.
    @inlinable public static var internet: RecordClass { .init(rawValue: 1) }
    /// Chaos.
    @inlinable public static var chaos: RecordClass { .init(rawValue: 3) }
    /// Any class.
    @inlinable public static var any: RecordClass { .init(rawValue: 255) }
}

/// A response code: 4 bits of the header and 8 of the OPT record (RFC 6891 §6.1.3).
@frozen
public struct ResponseCode: RawRepresentable, Hashable, Sendable {
    /// 12 bits.
    public var rawValue: UInt16

    /// The code with that number.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No error.
    @inlinable public static var noError: ResponseCode { .init(rawValue: 0) }
    /// Format error.
    @inlinable public static var formatError: ResponseCode { .init(rawValue: 1) }
    /// Server failure.
    @inlinable public static var serverFailure: ResponseCode { .init(rawValue: 2) }
    /// The name does not exist.
    @inlinable public static var nameError: ResponseCode { .init(rawValue: 3) }
    /// Not implemented.
    @inlinable public static var notImplemented: ResponseCode { .init(rawValue: 4) }
    /// Refused by policy.
    @inlinable public static var refused: ResponseCode { .init(rawValue: 5) }
    /// EDNS version not supported (RFC 6891 §6.1.3).
    @inlinable public static var badVersion: ResponseCode { .init(rawValue: 16) }
}

/// An operation code (RFC 1035 §4.1.1).
@frozen
public struct OperationCode: RawRepresentable, Hashable, Sendable {
    /// 4 bits.
    public var rawValue: UInt8

    /// The code with that number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A standard query.
    @inlinable public static var query: OperationCode { .init(rawValue: 0) }
}

/// An extended DNS error code (RFC 8914 §4).
@frozen
public struct ExtendedErrorCode: RawRepresentable, Hashable, Sendable {
    /// INFO-CODE, 16 bits.
    public var rawValue: UInt16

    /// The code with that number.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No listed code fits (§4.1).
    @inlinable public static var other: ExtendedErrorCode { .init(rawValue: 0) }
    /// Served from a cache past its time (§4.4).
    @inlinable public static var staleAnswer: ExtendedErrorCode { .init(rawValue: 3) }
    /// Not what the zone says, by the operator's policy (§4.5).
    @inlinable public static var forgedAnswer: ExtendedErrorCode { .init(rawValue: 4) }
    /// A failure served from the cache (§4.14).
    @inlinable public static var cachedError: ExtendedErrorCode { .init(rawValue: 13) }
    /// Not ready to serve (§4.15).
    @inlinable public static var notReady: ExtendedErrorCode { .init(rawValue: 14) }
    /// Blocked by the operator's list (§4.16).
    @inlinable public static var blocked: ExtendedErrorCode { .init(rawValue: 15) }
    /// Filtered by the client's own wish (§4.18).
    @inlinable public static var filtered: ExtendedErrorCode { .init(rawValue: 17) }
    /// The client may not ask here (§4.19).
    @inlinable public static var prohibited: ExtendedErrorCode { .init(rawValue: 18) }
    /// NXDOMAIN served from a cache past its time (§4.20).
    @inlinable public static var staleNXDOMAIN: ExtendedErrorCode { .init(rawValue: 19) }
    /// No upstream could be reached (§4.23).
    @inlinable public static var noReachableAuthority: ExtendedErrorCode { .init(rawValue: 22) }
    /// An error of the network on the way to an upstream (§4.24).
    @inlinable public static var networkError: ExtendedErrorCode { .init(rawValue: 23) }
}
