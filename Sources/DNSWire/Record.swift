/// A section of records.
@frozen
public enum Section: UInt8, CaseIterable, Sendable {
    /// Answers.
    case answer = 0
    /// Authority.
    case authority = 1
    /// Additional.
    case additional = 2
}

/// Where one record of a message lies (RFC 1035 §4.1.3); offsets are those of the message.
///
/// ```
/// owner name · type(2) · class(2) · ttl(4) · rdlength(2) · rdata
///            ^ nameEnd
/// ```
@frozen
public struct Record: Equatable, Sendable {
    /// Octets of the least record: root owner and empty RDATA.
    @inlinable public static var leastSize: Int { 11 }

    /// The section it stands in.
    public let section: Section
    /// Where the owner name starts.
    public let offset: Int
    /// Offset after the owner name, that is of the type.
    public let nameEnd: Int
    /// TYPE.
    public let type: RecordType
    /// CLASS.
    public let recordClass: RecordClass
    /// Offset after the RDATA.
    public let end: Int
    /// The 32 bits of TTL as they stand (flags, in an OPT record).
    public let rawTTL: UInt32

    /// A record that the cursor has measured.
    @inlinable
    init(
        section: Section, offset: Int, nameEnd: Int, type: RecordType, recordClass: RecordClass,
        end: Int, rawTTL: UInt32
    ) {
        self.section = section
        self.offset = offset
        self.nameEnd = nameEnd
        self.type = type
        self.recordClass = recordClass
        self.end = end
        self.rawTTL = rawTTL
    }

    /// Where the four octets of the TTL stand.
    @inlinable public var ttlOffset: Int { nameEnd + 4 }
    /// The octets of the RDATA.
    @inlinable public var rdata: Range<Int> { nameEnd + 10..<end }
    /// Seconds; a value with the top bit set counts as 0 (RFC 2181 §8).
    @inlinable public var ttl: UInt32 { rawTTL >> 31 == 0 ? rawTTL : 0 }
}

/// Walks the records of a message in order.
@frozen
public struct RecordCursor: ~Escapable {
    /// The message.
    public let message: MessageView
    /// Offset of the next record.
    @usableFromInline var position: Int
    /// The section of the next record.
    @usableFromInline var section: Section
    /// Records still announced for `section`.
    @usableFromInline var left: Int

    /// Starts at `offset`, the end of the questions.
    @inlinable
    @_lifetime(copy message)
    init(message: MessageView, offset: Int) {
        self.message = message
        position = offset
        section = .answer
        left = Int(message.readUInt16(at: 6))
    }

    /// The next record, or `nil` after the last.
    /// - Throws: `WireError` with the offset of what is wrong.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func next() throws(WireError) -> Record? {
        while left == 0 {
            switch section {
            case .answer:
                section = .authority
                left = Int(message.readUInt16(at: 8))
            case .authority:
                section = .additional
                left = Int(message.readUInt16(at: 10))
            case .additional:
                return nil
            }
        }
        let start = position
        let nameEnd = try message.skipName(at: start)
        guard nameEnd + 10 <= message.octets.count else { throw .truncated(offset: nameEnd) }
        let end = nameEnd + 10 + Int(message.readUInt16(at: nameEnd + 8))
        guard end <= message.octets.count else { throw .truncated(offset: nameEnd + 10) }
        left -= 1
        position = end
        return Record(
            section: section, offset: start, nameEnd: nameEnd,
            type: RecordType(rawValue: message.readUInt16(at: nameEnd)),
            recordClass: RecordClass(rawValue: message.readUInt16(at: nameEnd + 2)), end: end,
            rawTTL: message.readUInt32(at: nameEnd + 4))
    }
}
