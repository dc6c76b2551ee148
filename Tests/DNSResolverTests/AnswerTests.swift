import DNSResolver
import DNSWire
import Quantities
import QueryEvents
import Testing
import WireFixtures

/// What is kept of an upstream's answer and how it comes back.
@Suite struct AnswerTests {
    private static let address: [UInt8] = [192, 0, 2, 1]

    private static func plain(ttl: UInt32 = 300) -> MessageDraft {
        answer("www.example").adding("www.example", .a, ttl: ttl, address)
    }

    /// Asks, gets `draft`, asks again after `seconds`.
    private static func again(
        _ draft: MessageDraft, after seconds: Int, _ type: RecordType = .a,
        options: ResolverOptions = ResolverOptions()
    ) throws -> (first: MessageReading, again: ResolverRig.Step) {
        let rig = try ResolverRig(options: options)
        let ask = try #require(try rig.ask("www.example", type).ask)
        let first = try #require(try rig.answer(ask, draft).reply).message
        _ = try rig.wait(.seconds(seconds))
        return (first, try rig.ask("www.example", type))
    }

    /// S33, RFC 1035 §3.2.1.
    @Test func ttlsCountDownToTheEnd() throws {
        for (seconds, left) in [(0, 300), (3, 297), (299, 1)] as [(Int, UInt32)] {
            let (first, again) = try Self.again(Self.plain(), after: seconds)
            #expect(first.answers.map(\.ttl) == [300])
            #expect(again.reply?.message.answers.map(\.ttl) == [left])
            #expect(again.reply?.outcome == .cached)
        }
        #expect(try Self.again(Self.plain(), after: 300).again.ask != nil)
    }

    /// S71, RFC 2181 §8: delivered, not kept, not raised.
    @Test func ttlZeroIsDeliveredAndNotKept() throws {
        var options = ResolverOptions()
        options.minimumTTL = 60
        let (first, again) = try Self.again(Self.plain(ttl: 0), after: 0, options: options)
        #expect(first.answers.map(\.ttl) == [0] && again.ask != nil)
    }

    /// S10, RFC 2181 §8.
    @Test(arguments: [0x8000_0000, 0xFFFF_FFFF] as [UInt32])
    func aTTLWithTheTopBitCountsAsZero(ttl: UInt32) throws {
        let (first, again) = try Self.again(Self.plain(ttl: ttl), after: 0)
        #expect(first.answers.map(\.ttl) == [0] && again.ask != nil)
    }

    /// S10, RFC 2181 §5.2: one RRset, one TTL.
    @Test func anRRsetGetsItsLeastTTL() throws {
        let draft = answer("www.example")
            .adding("www.example", .a, ttl: 300, [192, 0, 2, 1])
            .adding("www.example", .a, ttl: 40, [192, 0, 2, 2])
            .adding("www.example", .a, ttl: 200, [192, 0, 2, 3])
            .adding(.additional, "ns.example", .a, ttl: 500, [192, 0, 2, 4])
        let (first, again) = try Self.again(draft, after: 10)
        #expect(first.answers.map(\.ttl) == [40, 40, 40])
        #expect(first.additionals.map(\.ttl) == [500])
        #expect(again.reply?.message.answers.map(\.ttl) == [30, 30, 30])
        #expect(again.reply?.message.additionals.map(\.ttl) == [490])
    }

    @Test func ttlsAreBroughtInsideTheLimits() throws {
        var options = ResolverOptions()
        options.minimumTTL = 60
        options.maximumTTL = 3600
        let low = try Self.again(Self.plain(ttl: 5), after: 30, options: options)
        #expect(low.first.answers.map(\.ttl) == [60])
        #expect(low.again.reply?.message.answers.map(\.ttl) == [30])
        let high = try Self.again(Self.plain(ttl: 90_000), after: 0, options: options)
        #expect(high.first.answers.map(\.ttl) == [3600])
    }

    /// S29, RFC 2308 §5: the lesser of the SOA's TTL and its MINIMUM, three hours at most.
    @Test func negativeAnswersAreKeptByTheirSOA() throws {
        for rcode in [0, 3] as [UInt16] {
            for (ttl, minimum, kept) in [(900, 60, 60), (60, 900, 60), (90_000, 80_000, 10_800)]
                as [(UInt32, UInt32, UInt32)]
            {
                let draft = answer("www.example", rcode: rcode)
                    .adding(
                        .authority, "example", .soa, ttl: ttl, MessageDraft.soa(minimum: minimum))
                let (first, again) = try Self.again(draft, after: Int(kept) - 1)
                #expect(first.rcode == rcode && first.authorities.map(\.ttl) == [kept])
                #expect(again.reply?.message.rcode == rcode)
                #expect(again.reply?.message.authorities.map(\.ttl) == [1])
                #expect(try Self.again(draft, after: Int(kept)).again.ask != nil)
            }
        }
    }

    @Test func negativeAnswersWithoutAnSOAAreNotKept() throws {
        #expect(try Self.again(answer("www.example", rcode: 3), after: 0).again.ask != nil)
        #expect(try Self.again(answer("www.example"), after: 0).again.ask != nil)
        let referral = answer("www.example")
            .adding(.authority, "example", .ns, MessageDraft.wire("ns.example"))
        #expect(try Self.again(referral, after: 0).again.ask != nil)
    }

    @Test(arguments: [1, 2, 4, 5, 9] as [UInt16])
    func errorsArePassedOnAndNotKept(rcode: UInt16) throws {
        let draft = answer("www.example", rcode: rcode)
            .adding(.authority, "example", .soa, MessageDraft.soa(minimum: 60))
        let (first, again) = try Self.again(draft, after: 0)
        #expect(first.rcode == rcode && again.ask != nil)
    }

    /// WIRE-08, WIRE-09: OPT is hop by hop, fresh and cached.
    @Test func theUpstreamsOPTStaysWithTheUpstream() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example", edns: 4096).ask)
        let cookie: [UInt8] = [0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]
        let draft = Self.plain().addingOPT(size: 512, bits: 0x8000, options: cookie)
        for reply in [
            try rig.answer(ask, draft).reply, try rig.ask("www.example", edns: 1300).reply,
        ] {
            let options = try #require(reply?.message.options)
            #expect(options.options.isEmpty && options.size == 1232 && options.flags == 0)
            #expect(reply?.message.answers.count == 1 && reply?.message.header.additionalCount == 1)
        }
        let bare = try #require(try rig.ask("www.example").reply)
        #expect(bare.message.options == nil && bare.message.header.additionalCount == 0)
    }

    /// S19, S55, RFC 6891 §6.1.2, §6.1.4: options and flags that we do not know are not sent back.
    @Test func unknownOptionsAndFlagsAreNotSentBack() throws {
        let rig = try ResolverRig()
        let options: [UInt8] = [0, 100, 0, 2, 1, 2, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]
        for name in ["ads.example", "www.example"] {
            let draft = MessageDraft().asking(name).addingOPT(bits: 0xFFFF, options: options)
            var step = try rig.send(draft.octets)
            if let ask = step.ask {
                step = try rig.answer(ask, Self.plain())
            }
            let found = try #require(step.reply?.message.options)
            #expect(found.flags == 0x8000 && found.version == 0)
            #expect(found.options.allSatisfy { $0.code == 15 })
        }
    }

    /// S20: our own query to the upstream.
    @Test func theQuestionGoesOnWithOurOwnOPT() throws {
        let rig = try ResolverRig()
        let cookie: [UInt8] = [0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]
        let draft = MessageDraft(flags: 0x0110).asking("Www.Example", .aaaa)
            .addingOPT(size: 4096, bits: 0x8001, options: cookie)
        let ask = try #require(try rig.send(draft.octets).ask).message
        #expect(ask.header.id == 0 && ask.header.flags == 0x0130)
        #expect(ask.question == "www.example" && ask.questionType == .aaaa)
        let options = try #require(ask.options)
        #expect(options.size == 1232 && options.version == 0 && options.flags == 0x8000)
        #expect(options.options.isEmpty && options.extendedRcode == 0)
        let bare = try #require(try rig.ask("www.example").ask).message
        #expect(bare.options?.flags == 0 && bare.header.flags == 0x0120)
    }

    /// RFC 6891 §6.1.1 puts OPT anywhere in the additional section.
    @Test func recordsBehindTheOPTKeepTheirNames() throws {
        // www.example at 12, ns at 12 + 17 …: the record after OPT points at "example" (16).
        let draft = Self.plain().addingOPT()
            .adding(.additional, wire: [2, 110, 115, 0xC0, 16], .mx, ttl: 50, [0, 5, 0xC0, 12])
            .adding(
                .additional, wire: [0xC0, 16], RecordType(rawValue: 65_280), ttl: 60, [0xC0, 12])
        let (first, again) = try Self.again(draft, after: 20)
        let mx = [0, 5] + MessageDraft.wire("www.example")
        #expect(first.additionals.map(\.owner) == ["ns.example", "example"])
        #expect(first.additionals.map(\.rdata) == [mx, [0xC0, 12]])
        #expect(first.additionals.map(\.ttl) == [50, 60])
        #expect(again.reply?.message.additionals.map(\.ttl) == [30, 40])
        #expect(again.reply?.message.additionals.map(\.rdata) == [mx, [0xC0, 12]])
    }

    /// Names written out behind an OPT can grow a message past what a length octet pair says.
    @Test func anAnswerThatGrowsPastTheLimitIsCut() throws {
        let rig = try ResolverRig()
        let long = String(repeating: "a23456789.", count: 23) + "example"
        let ask = try #require(try rig.ask(long, .mx, transport: .tcp).ask)
        var draft = answer(long, .mx).addingOPT()
        for _ in 0..<700 {
            draft = draft.adding(.additional, wire: [0xC0, 12], .mx, ttl: 60, [0, 1, 0xC0, 12])
                .adding(.additional, wire: [0xC0, 12], .ptr, ttl: 60, [0xC0, 12])
        }
        let reply = try #require(try rig.answer(ask, draft).reply)
        #expect(reply.octets.count <= 65_535 && reply.octets.count > 64_000)
        #expect(reply.message.additionals.allSatisfy { $0.owner == long })
    }

    /// One record whose RDATA no longer fits its length when its name is written out.
    @Test func aRecordThatGrowsPastItsLengthIsLeftOut() throws {
        let rig = try ResolverRig()
        let long = String(repeating: "a23456789.", count: 23) + "example"
        let ask = try #require(try rig.ask(long, .mx, edns: 1232).ask)
        let rdata = [0xC0, 12, 0xC0, 12] + [UInt8](repeating: 0xFF, count: 65_180)
        let draft = answer(long, .mx).addingOPT()
            .adding(.additional, "a.example", .a, ttl: 60, Self.address)
            .adding(.additional, wire: [0xC0, 12], .soa, ttl: 60, rdata)
            .adding(.additional, "b.example", .a, ttl: 60, Self.address)
        let reply = try #require(try rig.answer(ask, draft).reply)
        #expect(reply.message.rcode == 0)
        #expect(reply.message.additionals.map(\.owner) == ["a.example"])
    }

    @Test func brokenAnswersFailTheQuestion() throws {
        let whole = Self.plain().octets
        for count in 12..<whole.count {
            let rig = try ResolverRig()
            let ask = try #require(try rig.ask("www.example", edns: 1232).ask)
            let cut = MessageDraft(flags: 0x8180).appending(Array(whole[12..<count]))
                .claiming(1, at: 4).claiming(1, at: 6)
            let reply = try #require(try rig.answer(ask, cut).reply)
            #expect(reply.message.rcode == 2 && reply.outcome == .failed)
            #expect(reply.message.extendedError?.code == 23)
        }
        for wrong in [
            Self.plain().addingOPT().addingOPT(), Self.plain().addingOPT(section: .answer),
            Self.plain().claiming(9, at: 10),
        ] {
            let rig = try ResolverRig()
            let ask = try #require(try rig.ask("www.example").ask)
            #expect(try rig.answer(ask, wrong).reply?.message.rcode == 2)
        }
    }

    /// BADVERS is 16: without its upper bits it would read as success.
    @Test func anExtendedRcodeDoesNotReadAsSuccess() throws {
        let (first, again) = try Self.again(
            answer("www.example").addingOPT(bits: 1 << 24), after: 0)
        #expect(first.rcode == 2 && again.ask != nil)
    }

    /// S23: what was cut is never kept.
    @Test func aTruncatedAnswerIsNotKept() throws {
        let draft = answer("www.example", flags: 0x0200)
            .adding("www.example", .a, Self.address)
        #expect(try Self.again(draft, after: 0).again.ask != nil)
    }

    /// S35: flags of a reply.
    @Test func flagsSpeakOfUsNotOfTheUpstream() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example", flags: 0x0110).ask)
        // AA, Z and AD of the upstream.
        let draft = answer("www.example", flags: 0x0460).adding("www.example", .a, Self.address)
        #expect(try rig.answer(ask, draft).reply?.message.header.flags == 0x8190)
    }

    /// RFC 6840 §5.7, §5.8: AD from a trusted upstream only, to those who asked for it.
    @Test func authenticDataComesFromTrustedUpstreamsOnly() throws {
        for isTrusted in [false, true] {
            let rig = try ResolverRig()
            let ask = try #require(try rig.ask("www.example", flags: 0x0120).ask)
            let draft = answer("www.example", flags: 0x0020).adding("www.example", .a, Self.address)
            let reply = try #require(try rig.answer(ask, draft, isTrusted: isTrusted).reply)
            #expect(reply.message.header.authenticData == isTrusted)
            #expect(
                try rig.ask("www.example", flags: 0x0120).reply?.message.header.authenticData
                    == isTrusted)
            #expect(try rig.ask("www.example").reply?.message.header.authenticData == false)
        }
    }

    /// S36: DO and CD tell questions apart.
    @Test func dnssecBitsHaveAnswersOfTheirOwn() throws {
        let rig = try ResolverRig()
        let plain = try #require(try rig.ask("www.example", edns: 1232).ask)
        #expect(
            try rig.ask("www.example", edns: 1232, bits: 0x8000).ask?.message.options?.flags
                == 0x8000)
        #expect(
            try rig.ask("www.example", flags: 0x0110).ask?.message.header.checkingDisabled == true)
        let signature = [UInt8](repeating: 1, count: 30)
        let draft = Self.plain().adding("www.example", .rrsig, signature)
        _ = try rig.answer(plain, draft)
        #expect(try rig.ask("www.example").reply?.message.answers.count == 2)
        #expect(try rig.ask("www.example", edns: 1232, bits: 0x8000).isEmpty)
    }

    /// S05, RFC 3597 §3, §4.
    @Test func unknownTypesPassOctetForOctet() throws {
        let rig = try ResolverRig()
        let type = RecordType(rawValue: 65_401)
        let ask = try #require(try rig.ask("www.example", type).ask)
        let rdata: [UInt8] = [0xC0, 0x0C, 0xFF, 0, 3, 1]
        let draft = answer("www.example", type).adding("Www.Example", type, rdata)
        let reply = try #require(try rig.answer(ask, draft).reply)
        #expect(reply.message.answers.map(\.rdata) == [rdata])
        #expect(reply.octets.dropFirst(29).starts(with: MessageDraft.wire("Www.Example")))
    }

    /// A second answer to one question, or one after the end, changes nothing.
    @Test func anAnswerToAQuestionThatEndedIsIgnored() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example").ask)
        _ = try rig.answer(ask, Self.plain())
        #expect(try rig.answer(ask, Self.plain()).isEmpty && rig.fail(ask).isEmpty)
        let next = try #require(try rig.ask("other.example").ask)
        #expect(next.question.slot == ask.question.slot && next.question != ask.question)
        #expect(try rig.answer(ask, Self.plain()).isEmpty)
        #expect(rig.resolver.questionCount == 1)
    }
}
