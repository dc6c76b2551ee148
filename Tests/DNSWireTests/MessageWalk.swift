import DNSWire
import DomainNames

/// Reads all that a message view gives, as the vectors' expectations say it.
enum MessageWalk {
    /// The lines of a whole message.
    static func lines(_ octets: [UInt8]) throws(WireError) -> [String] {
        let view = try MessageView(octets.span)
        var lines: [String] = []
        var name = CanonicalName()
        if let question = try view.question() {
            let end = try view.readName(at: Header.size, into: &name)
            precondition(end == question.nameEnd, "both ways to read a name end alike")
            lines.append(
                "question \(name) \(question.type.rawValue) \(question.recordClass.rawValue)")
        }
        let extras = try view.extras()
        var cursor = try view.records()
        while let record = try cursor.next() {
            let end = try view.readName(at: record.offset, into: &name)
            precondition(end == record.nameEnd, "both ways to read a name end alike")
            if record.type == .opt { continue }
            let rdata = record.rdata.map { hex(octets[$0]) }.joined(separator: " ")
            lines.append(
                "\(record.section) \(name) \(record.type.rawValue) \(record.rawTTL) \(rdata)")
        }
        if let edns = extras.edns {
            lines.append(
                "opt \(edns.payloadSize) \(edns.extendedRcode) \(edns.version) "
                    + "\(edns.dnssecOK ? 1 : 0)")
        }
        return lines
    }

    /// The error that reading ends with, as the vectors say it.
    static func failure(_ octets: [UInt8]) -> String? {
        do throws(WireError) {
            _ = try lines(octets)
            return nil
        } catch {
            switch error {
            case .truncated(let offset): return "truncated \(offset)"
            case .pointerNotBackward(let offset): return "pointerNotBackward \(offset)"
            case .reservedLabelType(let offset): return "reservedLabelType \(offset)"
            case .nameTooLong(let offset): return "nameTooLong \(offset)"
            case .tooManyRecords(let offset): return "tooManyRecords \(offset)"
            case .misplacedOPT(let offset): return "misplacedOPT \(offset)"
            }
        }
    }

    private static func hex(_ octet: UInt8) -> String {
        (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
    }
}
