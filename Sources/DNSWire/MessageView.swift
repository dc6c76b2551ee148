import DomainNames

/// A DNS message over borrowed octets; everything past the header is checked when touched.
///
/// Layout (RFC 1035 §4.1): header, questions, then answer, authority and additional records.
/// Invariant: at least the 12 octets of the header are there.
@frozen
public struct MessageView: ~Escapable {
    /// The octets of the message.
    public let octets: Span<UInt8>

    /// A view of `octets`, which hold one message.
    /// - Throws: `WireError.truncated` when shorter than a header.
    @inlinable
    @_lifetime(copy octets)
    public init(_ octets: Span<UInt8>) throws(WireError) {
        self.octets = octets
        guard octets.count >= Header.size else { throw .truncated(offset: octets.count) }
    }

    /// The header, by value.
    @inlinable
    public var header: Header {
        Header(
            id: readUInt16(at: 0), flags: readUInt16(at: 2), questionCount: readUInt16(at: 4),
            answerCount: readUInt16(at: 6), authorityCount: readUInt16(at: 8),
            additionalCount: readUInt16(at: 10))
    }

    /// Two octets, big-endian, at an offset known to be inside the message.
    @inlinable
    public func readUInt16(at offset: Int) -> UInt16 {
        UInt16(octets[offset]) << 8 | UInt16(octets[offset + 1])
    }

    /// Four octets, big-endian, at an offset known to be inside the message.
    @inlinable
    public func readUInt32(at offset: Int) -> UInt32 {
        UInt32(readUInt16(at: offset)) << 16 | UInt32(readUInt16(at: offset + 2))
    }

    /// The first question, its name in uncompressed form (RFC 1035 §4.1.2).
    ///
    /// - Returns: where it lies; `nil` when QDCOUNT is 0.
    /// - Throws: `WireError`; a pointer has nothing to point at here and is refused.
    /// - Complexity: O(octets of the name).
    @inlinable
    public func question() throws(WireError) -> Question? {
        guard readUInt16(at: 4) > 0 else { return nil }
        let nameEnd = try skipName(at: Header.size)
        guard nameEnd + 4 <= octets.count else { throw .truncated(offset: nameEnd) }
        return Question(
            nameEnd: nameEnd, type: RecordType(rawValue: readUInt16(at: nameEnd)),
            recordClass: RecordClass(rawValue: readUInt16(at: nameEnd + 2)))
    }

    /// Whether the first question is that of `other`: octets equal, ASCII case of the name aside
    /// (RFC 5452 §9.1). Length octets are below "A", so folding cannot confuse them.
    @inlinable
    public func repeatsQuestion(of other: borrowing MessageView) -> Bool {
        guard let own = try? question(), let its = try? other.question(),
            own.nameEnd == its.nameEnd, own.type == its.type, own.recordClass == its.recordClass
        else { return false }
        for index in own.nameRange
        where octets[index].asciiLowercased != other.octets[index].asciiLowercased {
            return false
        }
        return true
    }

    /// The offset after the name at `offset`; a pointer ends a name and is not followed.
    /// - Throws: `.truncated`, `.reservedLabelType`, `.nameTooLong`, `.pointerNotBackward`.
    @inlinable
    public func skipName(at offset: Int) throws(WireError) -> Int {
        var position = offset
        while true {
            guard position < octets.count else { throw .truncated(offset: position) }
            let length = octets[position]
            if length == 0 { return position + 1 }
            if length & 0xC0 == 0xC0 {
                guard position + 1 < octets.count else { throw .truncated(offset: position) }
                let target = Int(readUInt16(at: position) & 0x3FFF)
                guard target < offset, target >= Header.size else {
                    throw .pointerNotBackward(offset: position)
                }
                return position + 2
            }
            guard length & 0xC0 == 0 else { throw .reservedLabelType(offset: position) }
            position += 1 + Int(length)
            guard position - offset < NameLimits.wireSize else {
                throw .nameTooLong(offset: offset)
            }
        }
    }

    /// Reads the name at `offset`, pointers followed, in lower case into `name`.
    ///
    /// Each pointer must point strictly before the run of labels that it ends (RFC 1035 §4.1.4:
    /// "prior occurrence"), so the walk ends after at most 127 labels and as many pointers.
    /// - Returns: the offset after the name where it stands (after the first pointer).
    @inlinable
    public func readName(
        at offset: Int, into name: inout CanonicalName
    ) throws(WireError) -> Int {
        name.assignRoot()
        var position = offset
        var runStart = offset
        var end = -1
        while true {
            guard position < octets.count else { throw .truncated(offset: position) }
            let length = Int(octets[position])
            if length == 0 { return end < 0 ? position + 1 : end }
            if length & 0xC0 == 0xC0 {
                guard position + 1 < octets.count else { throw .truncated(offset: position) }
                let target = Int(readUInt16(at: position) & 0x3FFF)
                guard target < runStart, target >= Header.size else {
                    throw .pointerNotBackward(offset: position)
                }
                if end < 0 { end = position + 2 }
                position = target
                runStart = target
                continue
            }
            guard length & 0xC0 == 0 else { throw .reservedLabelType(offset: position) }
            guard position + 1 + length <= octets.count else { throw .truncated(offset: position) }
            guard
                (try? name.append(label: octets.extracting(position + 1..<position + 1 + length)))
                    != nil
            else { throw .nameTooLong(offset: offset) }
            position += 1 + length
        }
    }

    /// The records after the questions.
    /// - Throws: `WireError` when a question cannot be skipped, or more records are announced than
    ///   the octets left could hold.
    @inlinable
    @_lifetime(copy self)
    public func records() throws(WireError) -> RecordCursor {
        var offset = Header.size
        for _ in 0..<readUInt16(at: 4) {
            offset = try skipName(at: offset) + 4
            guard offset <= octets.count else { throw .truncated(offset: octets.count) }
        }
        let header = self.header
        let announced =
            Int(header.answerCount) + Int(header.authorityCount) + Int(header.additionalCount)
        guard announced * Record.leastSize <= octets.count - offset else {
            throw .tooManyRecords(offset: offset)
        }
        return RecordCursor(message: self, offset: offset)
    }
}

/// Where the first question of a message lies; its name always starts at octet 12.
@frozen
public struct Question: Equatable, Sendable {
    /// Offset after the name.
    public let nameEnd: Int
    /// QTYPE.
    public let type: RecordType
    /// QCLASS.
    public let recordClass: RecordClass

    /// A question whose name was walked to `nameEnd`.
    @inlinable
    init(nameEnd: Int, type: RecordType, recordClass: RecordClass) {
        self.nameEnd = nameEnd
        self.type = type
        self.recordClass = recordClass
    }

    /// The octets of the name in the message.
    @inlinable public var nameRange: Range<Int> { Header.size..<nameEnd }
    /// The offset after the question.
    @inlinable public var end: Int { nameEnd + 4 }
}
