/// What an OPT record says (RFC 6891 §6.1.2, §6.1.3).
///
/// ```
/// owner root · type 41 · class = UDP payload size · ttl = rcode high(8) version(8) DO(1) Z(15)
/// rdata: options, each code(2) length(2) octets
/// ```
@frozen
public struct EDNS: Equatable, Sendable {
    /// What the sender can take over UDP; values under 512 count as 512 (§6.2.3).
    public let payloadSize: Int
    /// Bits 4…11 of the response code.
    public let extendedRcode: UInt8
    /// The EDNS version.
    public let version: UInt8
    /// DO: the sender wants DNSSEC records (RFC 3225).
    public let dnssecOK: Bool
    /// The record.
    public let record: Record

    /// What `record`, an OPT record, says.
    @inlinable
    public init(_ record: Record) {
        self.record = record
        payloadSize = max(512, Int(record.recordClass.rawValue))
        extendedRcode = UInt8(truncatingIfNeeded: record.rawTTL >> 24)
        version = UInt8(truncatingIfNeeded: record.rawTTL >> 16)
        dnssecOK = record.rawTTL & 0x8000 != 0
    }
}

extension MessageView {
    /// What a query carries beside its question.
    @frozen
    public struct QueryExtras: Sendable {
        /// The OPT record, if any.
        public let edns: EDNS?
        /// Whether a TSIG or SIG(0) record signs the message (RFC 8945, RFC 2931).
        public let isSigned: Bool

        /// What a walk over the additional section found.
        @inlinable
        init(edns: EDNS?, isSigned: Bool) {
            self.edns = edns
            self.isSigned = isSigned
        }
    }

    /// Walks all records of a message for its OPT and signature.
    /// - Throws: `WireError`, `.misplacedOPT` for an OPT that RFC 6891 §6.1.1 forbids.
    /// - Complexity: O(records); none in a plain query.
    @inlinable
    public func extras() throws(WireError) -> QueryExtras {
        var edns: EDNS?
        var isSigned = false
        var cursor = try records()
        while let record = try cursor.next() {
            if record.type == .opt {
                guard edns == nil, record.section == .additional,
                    record.nameEnd == record.offset + 1
                else { throw .misplacedOPT(offset: record.offset) }
                edns = EDNS(record)
            } else if record.section == .additional, record.type == .tsig || isSIG0(record) {
                isSigned = true
            }
        }
        return QueryExtras(edns: edns, isSigned: isSigned)
    }

    /// SIG (24) covering type 0: a transaction signature (RFC 2931 §3).
    @usableFromInline
    func isSIG0(_ record: Record) -> Bool {
        record.type.rawValue == 24 && record.rdata.count >= 2
            && readUInt16(at: record.rdata.lowerBound) == 0
    }
}
