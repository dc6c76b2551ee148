import DNSWire
import DomainNames

/// A message as a scenario writes it, and its wire form with compressed names.
struct ScenarioMessage: Sendable {
    struct Question: Sendable {
        var name: [UInt8]
        var type: UInt16
        var recordClass: UInt16
    }

    /// Header flags, opcode and the low four bits of the rcode.
    var flags: UInt16 = 0
    /// The rest of the rcode; it needs an OPT record.
    var extendedRcode: UInt8 = 0
    /// The payload size of the OPT record; `nil` without one.
    var payloadSize: UInt16?
    var dnssecOK = false
    var questions: [Question] = []
    /// Answer, authority, additional.
    var sections: [[ScenarioRecord]] = [[], [], []]

    /// The wire form.
    /// - Parameter question: the question section of another message, to be repeated instead.
    func encoded(id: UInt16, question: [UInt8]? = nil) -> [UInt8] {
        var encoder = MessageEncoder()
        encoder.octets = id.bigEndianOctets + flags.bigEndianOctets
        encoder.append16(question == nil ? questions.count : 1)
        for (index, records) in sections.enumerated() {
            encoder.append16(records.count + (index == 2 && payloadSize != nil ? 1 : 0))
        }
        if let question {
            encoder.remember(question.dropLast(4), at: encoder.octets.count)
            encoder.octets += question
        } else {
            for question in questions {
                encoder.append(question.name, isCompressible: true)
                encoder.append16(Int(question.type))
                encoder.append16(Int(question.recordClass))
            }
        }
        for record in sections.joined() { encoder.append(record) }
        if let payloadSize {
            encoder.octets += [0, 0, 41] + payloadSize.bigEndianOctets
            encoder.octets += [extendedRcode, 0, dnssecOK ? 0x80 : 0, 0, 0, 0]
        }
        return encoder.octets
    }
}

/// Writes records with the compression of RFC 1035 §4.1.4.
private struct MessageEncoder {
    var octets: [UInt8] = []
    private var offsets: [[UInt8]: Int] = [:]

    mutating func append16(_ value: Int) { octets += UInt16(value).bigEndianOctets }

    mutating func append(_ record: ScenarioRecord) {
        append(record.owner, isCompressible: true)
        octets += record.type.bigEndianOctets + record.recordClass.bigEndianOctets
        octets += record.ttl.bigEndianOctets + [0, 0]
        let start = octets.count
        for part in record.rdata {
            switch part {
            case .octets(let more): octets += more
            case .name(let wire, let isCompressible):
                append(wire, isCompressible: isCompressible)
            }
        }
        let size = UInt16(octets.count - start).bigEndianOctets
        octets.replaceSubrange((start - 2)..<start, with: size)
    }

    /// Notes where a name and those above it stand.
    mutating func remember(_ wire: ArraySlice<UInt8>, at offset: Int) {
        var rest = wire
        var position = offset
        while let length = rest.first, length > 0, position < 0x4000 {
            let key = rest.map(\.asciiLowercased)
            if offsets[key] == nil { offsets[key] = position }
            rest = rest.dropFirst(1 + Int(length))
            position += 1 + Int(length)
        }
    }

    mutating func append(_ wire: [UInt8], isCompressible: Bool) {
        var rest = wire[...]
        let start = octets.count
        while let length = rest.first, length > 0 {
            if isCompressible, let offset = offsets[rest.map(\.asciiLowercased)] {
                octets += UInt16(0xC000 | offset).bigEndianOctets
                remember(wire[...], at: start)
                return
            }
            octets += rest.prefix(1 + Int(length))
            rest = rest.dropFirst(1 + Int(length))
        }
        octets.append(0)
        remember(wire[...], at: start)
    }
}

/// A message that came, taken apart for comparing.
struct ReceivedMessage {
    /// A record with its names in full and in lower case.
    struct Line: Hashable {
        var owner: [UInt8]
        var type: UInt16
        var recordClass: UInt16
        var ttl: UInt32
        var rdata: [UInt8]
    }

    var octets: [UInt8]
    var header: Header
    /// The question section, octet for octet.
    var question: [UInt8] = []
    /// Answer, authority, additional; without OPT.
    var sections: [[Line]] = [[], [], []]
    var edns: EDNS?
    var extendedError: (code: Int, text: String)?

    /// 12 bits with those of the OPT record.
    var rcode: Int { Int(edns?.extendedRcode ?? 0) << 4 | Int(header.rcode.rawValue) }

    /// The first question's name, in lower case, and type.
    var asked: (name: [UInt8], type: UInt16)? {
        guard question.count >= 5 else { return nil }
        let type = UInt16(question[question.count - 4]) << 8 | UInt16(question[question.count - 3])
        return (question.dropLast(4).map(\.asciiLowercased), type)
    }

    /// Takes a message apart; all of it must parse and nothing may remain.
    static func read(_ octets: [UInt8]) throws(WireError) -> ReceivedMessage {
        let view = try MessageView(octets.span)
        var message = ReceivedMessage(octets: octets, header: view.header)
        var end = Header.size
        if let question = try view.question() {
            end = question.end
            message.question = Array(octets[Header.size..<question.end])
        }
        var cursor = try view.records()
        while let record = try cursor.next() {
            end = record.end
            if record.type == .opt {
                message.edns = EDNS(record)
                message.extendedError = extendedError(octets[record.rdata])
                continue
            }
            var name = CanonicalName()
            _ = try view.readName(at: record.offset, into: &name)
            message.sections[Int(record.section.rawValue)].append(
                Line(
                    owner: copy(name.wire), type: record.type.rawValue,
                    recordClass: record.recordClass.rawValue, ttl: record.rawTTL,
                    rdata: try rdata(of: record, in: view)))
        }
        guard end == octets.count else { throw .tooManyRecords(offset: end) }
        return message
    }

    private static func copy(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

    private static func rdata(
        of record: Record, in view: borrowing MessageView
    ) throws(WireError) -> [UInt8] {
        let layout: (before: Int, names: Int) =
            switch record.type.rawValue {
            case 2, 5, 12, 39: (0, 1)
            case 6: (0, 2)
            case 15, 64, 65: (2, 1)
            case 33: (6, 1)
            default: (0, 0)
            }
        var position = record.rdata.lowerBound + layout.before
        guard position <= record.end else { throw .truncated(offset: record.end) }
        var octets = copy(view.octets.extracting(record.rdata.lowerBound..<position))
        var name = CanonicalName()
        for _ in 0..<layout.names {
            position = try view.readName(at: position, into: &name)
            octets += copy(name.wire)
        }
        guard position <= record.end else { throw .truncated(offset: record.end) }
        return octets + copy(view.octets.extracting(position..<record.end))
    }

    /// The extended error among the options of an OPT record (RFC 8914 §2).
    private static func extendedError(_ rdata: ArraySlice<UInt8>) -> (code: Int, text: String)? {
        var rest = Array(rdata)
        while rest.count >= 4 {
            let code = Int(rest[0]) << 8 | Int(rest[1])
            let size = Int(rest[2]) << 8 | Int(rest[3])
            guard rest.count >= 4 + size else { return nil }
            if code == 15, size >= 2 {
                let text = String(decoding: rest[6..<(4 + size)], as: UTF8.self)
                return (Int(rest[4]) << 8 | Int(rest[5]), text)
            }
            rest.removeFirst(4 + size)
        }
        return nil
    }
}

extension ReceivedMessage.Line: CustomStringConvertible {
    var description: String {
        let hex = rdata.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(NameText.text(of: owner.span)) \(ttl) TYPE\(type) \(hex)"
    }
}
