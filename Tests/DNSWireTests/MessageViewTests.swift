import DNSWire
import DomainNames
import Testing
import WireFixtures

/// Questions, headers and the walk over records.
@Suite struct MessageViewTests {
    /// RFC 5452 §9.1.
    @Test func aQuestionIsRepeatedInAnyCase() throws {
        let asked = MessageDraft().asking("www.Example").octets
        func repeats(_ draft: MessageDraft) throws -> Bool {
            let octets = draft.octets
            let view = try MessageView(octets.span)
            return view.repeatsQuestion(of: try MessageView(asked.span))
        }
        #expect(try repeats(MessageDraft(id: 9, flags: 0x8180).asking("WWW.eXAMPLE")))
        #expect(try !repeats(MessageDraft().asking("www.example", .aaaa)))
        #expect(try !repeats(MessageDraft().asking("www.example", .a, .chaos)))
        #expect(try !repeats(MessageDraft().asking("ww.example")))
        #expect(try !repeats(MessageDraft().asking("www.exampl\\197")))
        #expect(try !repeats(MessageDraft().asking(#"www\.example"#)))
        #expect(try !repeats(MessageDraft()))
        #expect(try !repeats(MessageDraft().appending([1]).claiming(1, at: 4)))
    }

    @Test func headerBitsAreWhereTheRFCPutsThem() throws {
        let octets = MessageDraft(id: 0xABCD, flags: 0xAFB5).octets
        let header = try MessageView(octets.span).header
        #expect(header.id == 0xABCD && header.isResponse && header.opcode.rawValue == 5)
        #expect(header.isTruncated && header.recursionDesired)
        #expect(header.authenticData && header.checkingDisabled && header.rcode.rawValue == 5)
        let none = Header(id: 0, flags: 0)
        #expect(!none.isResponse && !none.isTruncated && !none.recursionDesired)
        #expect(!none.authenticData && !none.checkingDisabled && none.rcode == .noError)
    }

    /// RFC 1035 §2.3.4: a question of 255 octets is one, of 256 octets is none.
    @Test func questionsAreMeasuredToTheOctet() throws {
        for (last, isRead) in [(61, true), (62, false)] {
            var name: [UInt8] = []
            for size in [63, 63, 63, last] {
                name += [UInt8(size)] + [UInt8](repeating: 97, count: size)
            }
            name.append(0)
            let octets = MessageDraft().asking(wire: name).octets
            let view = try MessageView(octets.span)
            if isRead {
                #expect(try view.question()?.nameEnd == 12 + 255)
            } else {
                #expect(throws: WireError.nameTooLong(offset: 12)) { try view.question() }
            }
        }
    }

    /// RFC 6891 §6.2.3: less than 512 counts as 512.
    @Test func theFieldsOfAnOPTRecord() throws {
        for (size, counted) in [(0, 512), (511, 512), (512, 512), (1232, 1232), (65_535, 65_535)]
            as [(UInt16, Int)]
        {
            let octets = MessageDraft().addingOPT(size: size, bits: 0xAB03_8001).octets
            let edns = try #require(try MessageView(octets.span).extras().edns)
            #expect(edns.payloadSize == counted && edns.extendedRcode == 0xAB)
            #expect(edns.version == 3 && edns.dnssecOK)
        }
        let bare = MessageDraft().asking(".").octets
        #expect(try MessageView(bare.span).extras().edns == nil)
    }

    /// RFC 8945, RFC 2931 §3: a signature of the message is told from one of a record.
    @Test func signaturesOfTheMessageAreSeen() throws {
        func isSigned(_ draft: MessageDraft) throws -> Bool {
            let octets = draft.octets
            return try MessageView(octets.span).extras().isSigned
        }
        let signature = RecordType(rawValue: 24)
        let rdata = [UInt8](repeating: 0, count: 18)
        #expect(try isSigned(MessageDraft().adding(.additional, "k", .tsig, ttl: 0, [])))
        #expect(try isSigned(MessageDraft().adding(.additional, ".", signature, ttl: 0, rdata)))
        #expect(try !isSigned(MessageDraft().adding(.answer, ".", signature, ttl: 0, rdata)))
        #expect(try !isSigned(MessageDraft().adding(.additional, ".", signature, ttl: 0, [0, 1])))
        #expect(try !isSigned(MessageDraft().adding(.additional, ".", signature, ttl: 0, [])))
        #expect(try !isSigned(MessageDraft().asking("www.example").addingOPT()))
    }

    /// S10, RFC 2181 §8.
    @Test func aTTLWithTheTopBitCountsAsZero() throws {
        for (raw, ttl) in [(0, 0), (1, 1), (0x7FFF_FFFF, 0x7FFF_FFFF), (0x8000_0000, 0)]
            as [(UInt32, UInt32)]
        {
            let octets = MessageDraft().adding("a", .a, ttl: raw, [1, 2, 3, 4]).octets
            var cursor = try MessageView(octets.span).records()
            let record = try #require(try cursor.next())
            #expect(record.ttl == ttl && record.rawTTL == raw)
        }
    }

    /// Names of random octets, pointers and label types: read or refused, always within bounds.
    @Test(arguments: 1..<20 as Range<UInt64>)
    func randomOctetsNeverLeadOutOfTheMessage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var name = CanonicalName()
        var read = 0
        for _ in 0..<2000 {
            var octets = MessageDraft().octets
            for _ in 0..<random.number(1..<60) {
                // Small lengths and backward pointers are likely, so that walks get long.
                switch random.number(0..<4) {
                case 0: octets += [0xC0, UInt8(random.number(10..<octets.count + 4))]
                case 1: octets.append(UInt8(random.number(0..<4)))
                default: octets.append(UInt8(random.number(0..<256)))
                }
            }
            let view = try MessageView(octets.span)
            for offset in 12..<octets.count {
                guard let end = try? view.readName(at: offset, into: &name) else { continue }
                read += 1
                #expect(end > offset && end <= octets.count, "seed \(seed)")
                #expect(name.wireCount <= 255 && name.labelCount <= 127, "seed \(seed)")
                #expect(try view.skipName(at: offset) == end, "seed \(seed)")
            }
        }
        #expect(read > 1000, "seed \(seed)")
    }
}
