import DNSWire
import DomainNames

/// The parts of a message that an entry compares, each as text of what it says and what was found.
struct MessageComparison {
    typealias Part = (name: String, expected: String, found: String)

    let entry: ScenarioEntry
    let found: ReceivedMessage
    /// Seconds by which a TTL may be lower than written.
    let ttlTolerance: UInt32

    /// All parts but the TTLs.
    var parts: [Part] {
        var parts = headerParts
        if entry.compares(.question) {
            parts.append(("question", questionText(expectedQuestion), questionText(found.question)))
        }
        for (match, index) in sections {
            let expected = expectedLines(index).map(withoutTTL).sorted()
            let lines = found.sections[index].map(withoutTTL).sorted()
            parts.append((match.rawValue, text(expected), text(lines)))
        }
        return parts
    }

    /// Flags, rcode and OPT record.
    var headerParts: [Part] {
        var parts: [Part] = []
        let message = entry.message
        if entry.compares(.flags) {
            parts.append(("flags", flagText(message.flags), flagText(found.header.flags)))
        }
        if entry.compares(.rcode) {
            let expected = Int(message.extendedRcode) << 4 | Int(message.flags & 0x000F)
            parts.append(("rcode", rcodeText(expected), rcodeText(found.rcode)))
        }
        if entry.compares(.opt) {
            let expected = message.payloadSize.map { optText(Int($0), message.dnssecOK) }
            let actual = found.edns.map { optText($0.payloadSize, $0.dnssecOK) }
            parts.append(("OPT record", expected ?? "none", actual ?? "none"))
        }
        return parts
    }

    /// Name, case aside, and type of a query to an upstream.
    var questionParts: [Part] {
        guard let expected = entry.message.questions.first else { return [] }
        var parts: [Part] = []
        if entry.match.contains(.qname) {
            let name = found.asked.map { NameText.text(of: $0.name.span) } ?? "none"
            let wanted = expected.name.map(\.asciiLowercased)
            parts.append(("qname", NameText.text(of: wanted.span), name))
        }
        if entry.match.contains(.qtype) {
            parts.append(
                ("qtype", "\(expected.type)", found.asked.map { "\($0.type)" } ?? "none"))
        }
        return parts
    }

    /// The first record whose TTL is out of bounds, when TTLs are compared.
    var ttlDifference: (expected: String, found: String)? {
        guard entry.compares(.ttl) else { return nil }
        for (_, index) in sections {
            let expected = expectedLines(index).sorted { withoutTTL($0) < withoutTTL($1) }
            let lines = found.sections[index].sorted { withoutTTL($0) < withoutTTL($1) }
            for (wanted, line) in zip(expected, lines)
            where line.ttl > wanted.ttl || line.ttl + ttlTolerance < wanted.ttl {
                return ("\(wanted)", "\(line)")
            }
        }
        return nil
    }

    private var sections: [(ScenarioEntry.Match, Int)] {
        let all: [(ScenarioEntry.Match, Int)] = [(.answer, 0), (.authority, 1), (.additional, 2)]
        return all.filter { entry.compares($0.0) }
    }

    private func expectedLines(_ section: Int) -> [ReceivedMessage.Line] {
        entry.message.sections[section].map { record in
            ReceivedMessage.Line(
                owner: record.owner.map(\.asciiLowercased), type: record.type,
                recordClass: record.recordClass, ttl: record.ttl, rdata: record.canonicalRdata)
        }
    }

    private var expectedQuestion: [UInt8] {
        entry.message.questions.flatMap {
            $0.name + $0.type.bigEndianOctets + $0.recordClass.bigEndianOctets
        }
    }

    // MARK: Texts

    private func withoutTTL(_ line: ReceivedMessage.Line) -> String {
        var copy = line
        copy.ttl = 0
        return "\(copy) CLASS\(copy.recordClass)"
    }

    private func text(_ lines: [String]) -> String {
        lines.isEmpty ? "no records" : lines.joined(separator: "\n           ")
    }

    private func questionText(_ octets: [UInt8]) -> String {
        guard octets.count > 4 else { return "none" }
        let wire = Array(octets.dropLast(4))
        let name = NameText.text(of: wire.span)
        let numbers = octets.suffix(4).map { String($0) }.joined(separator: " ")
        return "\(name) \(numbers)"
    }

    private func flagText(_ flags: UInt16) -> String {
        let names = EntryReader.flags.filter { flags & $0.value != 0 }
            .sorted { $0.value > $1.value }.map(\.key)
        let opcode = Int(flags >> 11) & 0x0F
        return (names + (opcode == 0 ? [] : ["opcode \(opcode)"])).joined(separator: " ")
    }

    private func rcodeText(_ rcode: Int) -> String {
        EntryReader.rcodes.first { Int($0.value) == rcode }?.key ?? "\(rcode)"
    }

    private func optText(_ size: Int, _ dnssecOK: Bool) -> String {
        "size \(size)\(dnssecOK ? " DO" : "")"
    }
}
