import DNSWire
import DomainNames

/// Writes replies at the end of a buffer: from scratch, or around a message that stands there.
enum ReplyWriter {
    /// Room for a reply without foreign records: header, question, SOA or address, OPT and note.
    private static let roomForOwn = Header.size + 260 + 128 + 11 + 6 + ReplyNote.textLimit

    /// What a reply of our own holds beside its question.
    enum Body {
        /// Nothing.
        case empty
        /// An SOA in the authority section, TTL and MINIMUM in seconds (RFC 2308 §3, §5).
        case negative(ttl: UInt32, soa: [UInt8])
        /// One record that answers the question.
        case record(type: RecordType, ttl: UInt32, rdata: [UInt8])
    }

    /// Appends a reply of our own.
    /// - Parameter question: the question's octets, name in any case; empty when it did not parse.
    static func append(
        to octets: inout [UInt8], asker: Asker, question: Span<UInt8>, rcode: ResponseCode,
        body: Body, note: ReplyNote?
    ) -> Range<Int> {
        let start = octets.count
        octets.append(contentsOf: repeatElement(0, count: roomForOwn))
        var span = octets.mutableSpan
        let count = build(
            in: span._mutatingExtracting(start..<(start + roomForOwn)), asker: asker,
            question: question,
            rcode: rcode, body: body, note: note)
        octets.removeLast(roomForOwn - count)
        return start..<octets.count
    }

    private static func build(
        in buffer: consuming MutableSpan<UInt8>, asker: Asker, question: Span<UInt8>,
        rcode: ResponseCode, body: Body, note: ReplyNote?
    ) -> Int {
        do throws(BuildError) {
            var builder = try MessageBuilder(buffer)
            builder.setHeader(
                id: asker.id,
                flags: HeaderFlags.response | asker.flags & Asker.repeatedFlags
                    | HeaderFlags.recursionAvailable | rcode.rawValue & 0x000F)
            if question.count > 4 {
                let nameEnd = question.count - 4
                try builder.appendQuestion(
                    name: question.extracting(0..<nameEnd),
                    type: RecordType(rawValue: read16(question, nameEnd)),
                    recordClass: RecordClass(rawValue: read16(question, nameEnd + 2)))
                try appendBody(body, to: &builder)
            }
            if asker.hasEDNS {
                let text = note?.text ?? []
                try builder.appendOPT(
                    payloadSize: UInt16(Asker.udpLimit), rcode: rcode, dnssecOK: asker.dnssecOK,
                    error: note?.code, text: text.span)
            }
            return builder.count
        } catch {
            preconditionFailure("a reply of our own fits the room made for it")
        }
    }

    private static func appendBody(
        _ body: Body, to builder: inout MessageBuilder
    ) throws(BuildError) {
        switch body {
        case .empty:
            return
        case .negative(let ttl, let rdata):
            try builder.appendRecord(
                .authority, ownerAt: Header.size, type: .soa, recordClass: .internet, ttl: ttl,
                rdata: rdata.span)
        case .record(let type, let ttl, let rdata):
            try builder.appendRecord(
                .answer, ownerAt: Header.size, type: type, recordClass: .internet, ttl: ttl,
                rdata: rdata.span)
        }
    }

    /// RDATA of an SOA for a zone that is only here: `localhost. nobody.invalid. 1 1h 20m 7d TTL`.
    static func soa(minimum: UInt32) -> [UInt8] {
        var rdata: [UInt8] = [9]
        rdata += "localhost".utf8
        rdata += [0, 6]
        rdata += "nobody".utf8
        rdata += [7]
        rdata += "invalid".utf8
        rdata.append(0)
        for value in [1, 3600, 1200, 604_800, minimum] as [UInt32] {
            for shift in [24, 16, 8, 0] as [UInt32] {
                rdata.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        return rdata
    }

    /// Makes the message that stands at `start ..< octets.count` the reply to `asker`.
    ///
    /// The message has no OPT record and holds one question, in lower case.
    /// - Parameter keepsAuthenticData: whether its AD bit comes from one that we trust.
    static func finish(
        in octets: inout [UInt8], from start: Int, asker: Asker, keepsAuthenticData: Bool,
        note: ReplyNote?
    ) -> Range<Int> {
        let own = UInt16(octets[start + 2]) << 8 | UInt16(octets[start + 3])
        var flags = HeaderFlags.response | HeaderFlags.recursionAvailable | own & 0x000F
        flags |= asker.flags & (HeaderFlags.recursionDesired | HeaderFlags.checkingDisabled)
        if keepsAuthenticData, asker.wantsAuthenticData {
            flags |= own & HeaderFlags.authenticData
        }
        write16(asker.id, in: &octets, at: start)
        asker.nameCase.restore(in: &octets, at: start + Header.size)
        let optSize = asker.hasEDNS ? Record.leastSize : 0
        if octets.count - start + optSize > asker.limit {
            let isCut = Truncation.fit(
                &octets, from: start, limit: asker.limit - optSize,
                keepsAuthority: asker.dnssecOK)
            if isCut { flags |= HeaderFlags.truncated }
        }
        write16(flags, in: &octets, at: start + 2)
        if asker.hasEDNS { appendOPT(to: &octets, from: start, asker: asker, note: note) }
        return start..<octets.count
    }

    /// Appends an OPT record; the note's text goes first when the client's limit is near, then the
    /// note (RFC 8914 §3).
    private static func appendOPT(
        to octets: inout [UInt8], from start: Int, asker: Asker, note: ReplyNote?
    ) {
        let room = asker.limit - (octets.count - start) - Record.leastSize
        var option: [UInt8] = []
        if let note, room >= 6 {
            let text = room >= 6 + note.text.count ? note.text : []
            option = [0, UInt8(EDNSOption.extendedError), 0, UInt8(2 + text.count)]
            option += [UInt8(note.code.rawValue >> 8), UInt8(note.code.rawValue & 0xFF)]
            option += text
        }
        let size = UInt16(Asker.udpLimit)
        octets += [0, 0, UInt8(RecordType.opt.rawValue)]
        octets += [UInt8(size >> 8), UInt8(size & 0xFF), 0, 0, asker.dnssecOK ? 0x80 : 0, 0]
        octets += [0, UInt8(option.count)]
        octets += option
        let count = UInt16(octets[start + 10]) << 8 | UInt16(octets[start + 11])
        write16(count &+ 1, in: &octets, at: start + 10)
    }

    private static func read16(_ octets: Span<UInt8>, _ offset: Int) -> UInt16 {
        UInt16(octets[offset]) << 8 | UInt16(octets[offset + 1])
    }

    /// Two octets, big-endian, over what is at `offset`.
    static func write16(_ value: UInt16, in octets: inout [UInt8], at offset: Int) {
        octets[offset] = UInt8(truncatingIfNeeded: value >> 8)
        octets[offset + 1] = UInt8(truncatingIfNeeded: value)
    }
}
