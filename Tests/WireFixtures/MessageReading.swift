import DNSWire
import DomainNames

/// All that a message says, as values that a test compares.
package struct MessageReading: Equatable {
    /// One record, OPT records apart.
    package struct Line: Equatable, CustomStringConvertible {
        /// The owner, lower case.
        package var owner: String
        /// The type.
        package var type: RecordType
        /// The 32 bits of TTL.
        package var ttl: UInt32
        /// The octets of RDATA.
        package var rdata: [UInt8]

        /// For failure texts.
        package var description: String { "\(owner) \(type.rawValue) \(ttl) \(rdata)" }
    }

    /// The OPT record.
    package struct Options: Equatable {
        /// The UDP payload size.
        package var size: UInt16
        /// The upper bits of the rcode.
        package var extendedRcode: UInt8
        /// The version.
        package var version: UInt8
        /// DO and the flags after it.
        package var flags: UInt16
        /// Options by code, in order.
        package var options: [(code: UInt16, octets: [UInt8])]

        /// Equality of all fields.
        package static func == (left: Options, right: Options) -> Bool {
            left.size == right.size && left.extendedRcode == right.extendedRcode
                && left.version == right.version && left.flags == right.flags
                && left.options.map(\.code) == right.options.map(\.code)
                && left.options.map(\.octets) == right.options.map(\.octets)
        }
    }

    /// Octets of the whole message.
    package var size: Int
    /// The header.
    package var header: Header
    /// The octets of the question's name as they stand; `nil` without a question.
    package var questionName: [UInt8]?
    /// The type of the question.
    package var questionType: RecordType?
    /// Records by section, OPT records apart.
    package var answers: [Line] = []
    /// Authority records.
    package var authorities: [Line] = []
    /// Additional records.
    package var additionals: [Line] = []
    /// The OPT record.
    package var options: Options?

    /// Reads a whole message; the octets after its last record make it fail.
    package init(_ octets: [UInt8]) throws {
        let view = try MessageView(octets.span)
        size = octets.count
        header = view.header
        if let question = try view.question() {
            questionName = Array(octets[question.nameRange])
            questionType = question.type
        }
        var name = CanonicalName()
        var end = try MessageReading.questionsEnd(view)
        var cursor = try view.records()
        while let record = try cursor.next() {
            end = record.end
            _ = try view.readName(at: record.offset, into: &name)
            let rdata = Array(octets[record.rdata])
            if record.type == .opt {
                options = try MessageReading.options(record, rdata)
                continue
            }
            let line = Line(
                owner: name.description, type: record.type, ttl: record.rawTTL, rdata: rdata)
            switch record.section {
            case .answer: answers.append(line)
            case .authority: authorities.append(line)
            case .additional: additionals.append(line)
            }
        }
        guard end == octets.count else { throw WireError.truncated(offset: end) }
    }

    /// The rcode with the upper bits of the OPT record.
    package var rcode: UInt16 {
        header.rcode.rawValue | UInt16(options?.extendedRcode ?? 0) << 4
    }

    /// The question's name as text, case kept.
    package var question: String? {
        questionName.map { NameText.text(of: $0.span) }
    }

    /// Code and text of the extended error.
    package var extendedError: (code: UInt16, text: String)? {
        guard let octets = options?.options.first(where: { $0.code == 15 })?.octets,
            octets.count >= 2
        else { return nil }
        return (
            UInt16(octets[0]) << 8 | UInt16(octets[1]),
            String(decoding: octets[2...], as: UTF8.self)
        )
    }

    private static func questionsEnd(_ view: borrowing MessageView) throws -> Int {
        guard let question = try view.question() else { return Header.size }
        return question.end
    }

    private static func options(_ record: Record, _ rdata: [UInt8]) throws -> Options {
        var options: [(code: UInt16, octets: [UInt8])] = []
        var offset = 0
        while offset < rdata.count {
            guard offset + 4 <= rdata.count else { throw WireError.truncated(offset: offset) }
            let code = UInt16(rdata[offset]) << 8 | UInt16(rdata[offset + 1])
            let size = Int(rdata[offset + 2]) << 8 | Int(rdata[offset + 3])
            guard offset + 4 + size <= rdata.count else {
                throw WireError.truncated(offset: offset)
            }
            options.append((code, Array(rdata[(offset + 4)..<(offset + 4 + size)])))
            offset += 4 + size
        }
        return Options(
            size: record.recordClass.rawValue, extendedRcode: UInt8(record.rawTTL >> 24),
            version: UInt8(record.rawTTL >> 16 & 0xFF), flags: UInt16(record.rawTTL & 0xFFFF),
            options: options)
    }
}
