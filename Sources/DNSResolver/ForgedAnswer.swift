import DNSWire
import DomainNames
import FilterIndex

/// Writes an answer of several records at the end of a buffer, to be finished for a client.
///
/// Records are appended in the order of the sections. The owner is the name asked for, then the
/// target of each alias that was appended.
struct ForgedAnswer {
    /// Where the message starts in the buffer.
    let start: Int
    /// Where the owner of the next record stands, from the start of the message.
    private var owner = Header.size

    /// Starts a message.
    /// - Parameter question: name, type and class.
    init(question: [UInt8], rcode: ResponseCode, in octets: inout [UInt8]) {
        start = octets.count
        let flags = HeaderFlags.response | rcode.rawValue & 0x000F
        octets += [0, 0, UInt8(flags >> 8), UInt8(flags & 0xFF), 0, 1, 0, 0, 0, 0, 0, 0]
        octets += question
    }

    /// Appends an alias of the owner; the target is the owner from now on.
    /// - Parameter target: an uncompressed wire name.
    mutating func append(alias target: [UInt8], ttl: UInt32, to octets: inout [UInt8]) {
        append(.answer, type: .cname, ttl: ttl, data: target, to: &octets)
        owner = octets.count - target.count - start
    }

    /// Appends a record of the owner.
    func append(
        _ section: Section, type: RecordType, ttl: UInt32, data: [UInt8],
        to octets: inout [UInt8]
    ) {
        appendOwner(to: &octets)
        append16(type.rawValue, to: &octets)
        append16(RecordClass.internet.rawValue, to: &octets)
        append16(UInt16(truncatingIfNeeded: ttl >> 16), to: &octets)
        append16(UInt16(truncatingIfNeeded: ttl), to: &octets)
        append16(UInt16(truncatingIfNeeded: data.count), to: &octets)
        octets += data
        count(section, in: &octets)
    }

    /// Appends the answer and authority sections of an upstream's message, its names written out:
    /// compression pointers into the old message mean nothing here. A record whose names do not
    /// parse, or that goes beyond the 64 KiB of a message, is left out.
    func append(recordsOf message: Span<UInt8>, to octets: inout [UInt8]) {
        guard let view = try? MessageView(message), var cursor = try? view.records() else { return }
        var name = CanonicalName()
        while let record = try? cursor.next(), record.section != .additional {
            let before = octets.count
            let copied: Void? = try? append(record, of: view, name: &name, to: &octets)
            if copied != nil, octets.count - start <= ForgedAnswer.sizeLimit {
                count(record.section, in: &octets)
            } else {
                octets.removeLast(octets.count - before)
            }
        }
    }

    /// Octets of a message, OPT record and note left room for.
    private static let sizeLimit = 0xFFFF - Record.leastSize - 6 - ReplyNote.textLimit

    private func append(
        _ record: Record, of view: borrowing MessageView, name: inout CanonicalName,
        to octets: inout [UInt8]
    ) throws(WireError) {
        _ = try view.readName(at: record.offset, into: &name)
        if isOwner(name.wire, in: octets) {
            appendOwner(to: &octets)
        } else {
            octets.append(name.wire)
        }
        for index in record.nameEnd..<(record.nameEnd + 8) { octets.append(view.octets[index]) }
        let sizeOffset = octets.count
        append16(0, to: &octets)
        try AnswerReader.appendRdata(of: record, in: view, name: &name, to: &octets)
        let size = octets.count - sizeOffset - 2
        ReplyWriter.write16(UInt16(truncatingIfNeeded: size), in: &octets, at: sizeOffset)
    }

    private func isOwner(_ wire: Span<UInt8>, in octets: [UInt8]) -> Bool {
        let first = start + owner
        guard first + wire.count <= octets.count else { return false }
        return octets.span.extracting(first..<(first + wire.count)).elementsEqual(wire)
    }

    private func appendOwner(to octets: inout [UInt8]) {
        append16(0xC000 | UInt16(truncatingIfNeeded: owner), to: &octets)
    }

    private func append16(_ value: UInt16, to octets: inout [UInt8]) {
        octets.append(UInt8(value >> 8))
        octets.append(UInt8(value & 0xFF))
    }

    private func count(_ section: Section, in octets: inout [UInt8]) {
        let offset = start + 6 + 2 * Int(section.rawValue)
        let count = UInt16(octets[offset]) << 8 | UInt16(octets[offset + 1])
        ReplyWriter.write16(count &+ 1, in: &octets, at: offset)
    }
}

extension Array where Element == UInt8 {
    /// Appends the octets of a span.
    fileprivate mutating func append(_ octets: Span<UInt8>) {
        for index in octets.indices { append(octets[index]) }
    }
}
