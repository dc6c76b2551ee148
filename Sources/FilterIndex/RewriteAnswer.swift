/// What a rewritten name is answered with.
package enum RewriteAnswer: Hashable, Sendable {
    /// These records; a query for a type that is not among them gets none.
    case records([RewriteRecord])
    /// This response code, 0 to 15, and no record.
    case rcode(UInt8)
    /// An alias for the name in wire form, whose answer follows.
    case alias([UInt8])

    /// Records of one answer at most.
    package static let recordLimit = 64
    /// Octets of one record's data at most.
    package static let dataLimit = 1024

    /// Numbers that the file has for the kinds of an answer; 0 stands for any answer.
    enum Kind {
        /// Of an exception: whatever the rewrite answers.
        static let any: UInt8 = 0
        /// See `.records`.
        static let records: UInt8 = 1
        /// See `.rcode`.
        static let rcode: UInt8 = 2
        /// See `.alias`.
        static let alias: UInt8 = 3
    }

    /// Appends an answer as the file holds it; `nil` is any.
    ///
    /// Layout: kind u8, then records: varint count · (type u16 · varint size · octets) …, a
    /// response code: u8, an alias: varint size · octets.
    package static func append(_ answer: RewriteAnswer?, to octets: inout [UInt8]) {
        switch answer {
        case nil: octets.append(Kind.any)
        case .records(let records):
            octets.append(Kind.records)
            octets.append(varint: records.count)
            for record in records {
                octets.append(littleEndian: record.type)
                octets.append(varint: record.data.count)
                octets.append(contentsOf: record.data)
            }
        case .rcode(let code):
            octets.append(Kind.rcode)
            octets.append(code)
        case .alias(let target):
            octets.append(Kind.alias)
            octets.append(varint: target.count)
            octets.append(contentsOf: target)
        }
    }

    /// Steps over an answer; `nil` when the octets are none.
    static func skip(_ cursor: inout OctetCursor) -> Range<Int>? {
        let start = cursor.offset
        switch cursor.octet() {
        case Kind.any: break
        case Kind.records:
            guard let count = cursor.varint(), count <= recordLimit else { return nil }
            for _ in 0..<count {
                guard cursor.littleEndian16() != nil, let size = cursor.varint(),
                    size <= dataLimit, cursor.range(count: size) != nil
                else { return nil }
            }
        case Kind.rcode:
            guard let code = cursor.octet(), code < 16 else { return nil }
        case Kind.alias:
            guard let size = cursor.varint(), size <= 255, cursor.range(count: size) != nil else {
                return nil
            }
        default: return nil
        }
        return start..<cursor.offset
    }

    /// Reads an answer that `skip` has stepped over; `nil` for any.
    init?(_ section: Span<UInt8>, at offset: Int) {
        var cursor = OctetCursor(section, at: offset)
        switch cursor.octet() {
        case Kind.records:
            guard let count = cursor.varint() else { return nil }
            var records: [RewriteRecord] = []
            for _ in 0..<count {
                guard let type = cursor.littleEndian16(), let size = cursor.varint(),
                    let range = cursor.range(count: size)
                else { return nil }
                var data: [UInt8] = []
                data.append(octets: section.extracting(range))
                records.append(RewriteRecord(type: type, data: data))
            }
            self = .records(records)
        case Kind.rcode:
            guard let code = cursor.octet() else { return nil }
            self = .rcode(code)
        case Kind.alias:
            guard let size = cursor.varint(), let range = cursor.range(count: size) else {
                return nil
            }
            var target: [UInt8] = []
            target.append(octets: section.extracting(range))
            self = .alias(target)
        default: return nil
        }
    }

    /// One answer of all that rules of one name and list say together: an alias before a response
    /// code, a code before records; of several aliases or codes the first, of records all.
    package static func merged(_ answers: [RewriteAnswer]) -> RewriteAnswer? {
        var records: [RewriteRecord] = []
        var code: RewriteAnswer?
        for answer in answers {
            switch answer {
            case .alias: return answer
            case .rcode: code = code ?? answer
            case .records(let more):
                for record in more where !records.contains(record) && records.count < recordLimit {
                    records.append(record)
                }
            }
        }
        if let code { return code }
        return answers.isEmpty ? nil : .records(records)
    }
}

/// A record that a rewritten name is answered with.
package struct RewriteRecord: Hashable, Sendable {
    /// Its type.
    package var type: UInt16
    /// Its RDATA, names in it without compression.
    package var data: [UInt8]

    /// A record of this type and data.
    package init(type: UInt16, data: [UInt8]) {
        self.type = type
        self.data = data
    }
}
