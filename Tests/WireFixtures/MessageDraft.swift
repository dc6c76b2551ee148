import DNSWire
import DomainNames

/// A message put together octet by octet, right or wrong, by other code than that under test.
package struct MessageDraft {
    /// The message so far.
    package private(set) var octets: [UInt8]

    /// A header without counts.
    package init(id: UInt16 = 0x1234, flags: UInt16 = 0x0100) {
        octets = MessageDraft.octets(id) + MessageDraft.octets(flags)
        octets += [UInt8](repeating: 0, count: 8)
    }

    /// The flags of an upstream's ordinary answer: QR, RD, RA.
    package static let answerFlags: UInt16 = 0x8180

    /// The wire form of presentation text.
    package static func wire(_ name: String) -> [UInt8] {
        guard let parsed = try? DomainName(text: name) else { fatalError("no name: \(name)") }
        return parsed.wire
    }

    /// Two octets, the high one first.
    package static func octets(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(value & 255)]
    }

    /// Four octets, the high one first.
    package static func octets(_ value: UInt32) -> [UInt8] {
        octets(UInt16(value >> 16)) + octets(UInt16(value & 0xFFFF))
    }

    /// RDATA of an SOA with this MINIMUM.
    package static func soa(minimum: UInt32) -> [UInt8] {
        wire("ns.example") + wire("hostmaster.example")
            + [1, 7200, 900, 86_400, minimum].flatMap { octets(UInt32($0)) }
    }

    /// A question.
    package func asking(
        _ name: String, _ type: RecordType = .a, _ recordClass: RecordClass = .internet
    ) -> MessageDraft {
        asking(wire: MessageDraft.wire(name), type, recordClass)
    }

    /// A question with these octets as its name.
    package func asking(
        wire: [UInt8], _ type: RecordType = .a, _ recordClass: RecordClass = .internet
    ) -> MessageDraft {
        var draft = self
        draft.octets += wire + MessageDraft.octets(type.rawValue)
        draft.octets += MessageDraft.octets(recordClass.rawValue)
        draft.count(at: 4)
        return draft
    }

    /// An answer record.
    package func adding(
        _ owner: String, _ type: RecordType, ttl: UInt32 = 300, _ rdata: [UInt8]
    ) -> MessageDraft { adding(.answer, owner, type, ttl: ttl, rdata) }

    /// A record.
    package func adding(
        _ section: Section, _ owner: String, _ type: RecordType, ttl: UInt32 = 300,
        _ rdata: [UInt8], recordClass: UInt16 = 1
    ) -> MessageDraft {
        adding(
            section, wire: MessageDraft.wire(owner), type, ttl: ttl, rdata,
            recordClass: recordClass)
    }

    /// A record with these octets as its owner.
    package func adding(
        _ section: Section, wire: [UInt8], _ type: RecordType, ttl: UInt32 = 300,
        _ rdata: [UInt8], recordClass: UInt16 = 1
    ) -> MessageDraft {
        var draft = self
        draft.octets += wire + MessageDraft.octets(type.rawValue)
        draft.octets += MessageDraft.octets(recordClass) + MessageDraft.octets(ttl)
        draft.octets += MessageDraft.octets(UInt16(rdata.count)) + rdata
        draft.count(at: 6 + 2 * Int(section.rawValue))
        return draft
    }

    /// An OPT record; `bits` stand in the place of the TTL.
    package func addingOPT(
        size: UInt16 = 1232, bits: UInt32 = 0, options: [UInt8] = [],
        section: Section = .additional,
        owner: String = "."
    ) -> MessageDraft {
        adding(section, owner, .opt, ttl: bits, options, recordClass: size)
    }

    /// The same with another value in a count of the header.
    package func claiming(_ count: UInt16, at offset: Int) -> MessageDraft {
        var draft = self
        draft.octets.replaceSubrange(offset..<(offset + 2), with: MessageDraft.octets(count))
        return draft
    }

    /// The same with these octets at the end.
    package func appending(_ tail: [UInt8]) -> MessageDraft {
        var draft = self
        draft.octets += tail
        return draft
    }

    private mutating func count(at offset: Int) {
        let count = UInt16(octets[offset]) << 8 | UInt16(octets[offset + 1])
        octets.replaceSubrange(offset..<(offset + 2), with: MessageDraft.octets(count + 1))
    }
}

extension RecordType {
    /// Mail exchange: a type whose RDATA may hold a compressed name.
    package static var mx: RecordType { RecordType(rawValue: 15) }
}
