import DNSCache
import DNSResolver
import DNSWire
import Metrics
import Quantities
import QueryEvents
import Testing
import WireFixtures

/// Where an answer leads is filtered too, on every way out.
@Suite struct AliasFilterTests {
    /// `www.shop.example` is an alias of a name in the list.
    private static func chain(
        _ name: String = "www.shop.example", to target: String = "t.ads.example",
        _ type: RecordType = .a
    ) -> MessageDraft {
        answer(name, type)
            .adding(name, .cname, MessageDraft.wire(target))
            .adding(target, .a, [192, 0, 2, 7])
    }

    /// BLK-06: also when the chain ends without a record.
    @Test func aChainThatEndsInNoDataIsBlocked() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.shop.example", .aaaa, edns: 1232).ask)
        let draft = answer("www.shop.example", .aaaa)
            .adding("www.shop.example", .cname, MessageDraft.wire("t.ads.example"))
            .adding(.authority, "ads.example", .soa, MessageDraft.soa(minimum: 60))
        let reply = try #require(try rig.answer(ask, draft).reply)
        #expect(reply.message.rcode == 3 && reply.outcome == .blockedByAlias(list: 0))
        #expect(reply.message.answers.isEmpty && reply.message.authorities.count == 1)
        #expect(reply.message.extendedError?.code == 15)
        #expect(reply.message.question == "www.shop.example")
        #expect(rig.resolver.counters.blockedByAlias.load() == 1)
    }

    /// BLK-07: the mode of blocking is that of the setting, under the name asked for.
    @Test func nullModeHoldsForAliases() throws {
        var options = ResolverOptions()
        options.blockResponse = .null
        let rig = try ResolverRig(options: options)
        let ask = try #require(try rig.ask("Www.Shop.example").ask)
        let reply = try #require(try rig.answer(ask, Self.chain()).reply)
        #expect(reply.message.rcode == 0 && reply.message.answers.map(\.rdata) == [[0, 0, 0, 0]])
        #expect(reply.message.question == "Www.Shop.example")
    }

    /// BLK-09: an allow rule on the name asked for lets its aliases pass.
    @Test func anAllowedNameMayLeadAnywhere() throws {
        let rig = try ResolverRig(lists: ["||site.example^\n@@||sync.site.example^"])
        let ask = try #require(try rig.ask("sync.site.example").ask)
        let draft = Self.chain("sync.site.example", to: "prod.site.example")
        #expect(try rig.answer(ask, draft).reply?.message.answers.count == 2)
        #expect(try rig.ask("sync.site.example").reply?.message.answers.count == 2)
    }

    @Test func anImportantBlockOfATargetBeatsAPlainAllow() throws {
        let rig = try ResolverRig(
            lists: ["@@||shop.example^\n||plain.example^\n||hard.example^$important"])
        let plain = try #require(try rig.ask("a.shop.example").ask)
        let passes = Self.chain("a.shop.example", to: "t.plain.example")
        #expect(try rig.answer(plain, passes).reply?.outcome == .forwarded)
        let hard = try #require(try rig.ask("b.shop.example").ask)
        let stops = answer("b.shop.example")
            .adding("b.shop.example", .cname, MessageDraft.wire("t.plain.example"))
            .adding("t.plain.example", .cname, MessageDraft.wire("t.hard.example"))
            .adding("t.hard.example", .a, [192, 0, 2, 8])
        #expect(try rig.answer(hard, stops).reply?.outcome == .blockedByAlias(list: 0))
    }

    /// RFC 6672, RFC 9460 §2.2: DNAME, SVCB and HTTPS lead elsewhere as well.
    @Test func everyKindOfTargetIsJudged() throws {
        let target = MessageDraft.wire("t.ads.example")
        let kinds: [(RecordType, [UInt8])] = [
            (.dname, target), (.svcb, [0, 1] + target + [0, 1, 0, 0]), (.https, [0, 0] + target),
            (.https, [0, 1] + target + [0, 4, 0, 4, 192, 0, 2, 1]),
        ]
        for (type, rdata) in kinds {
            let rig = try ResolverRig()
            let ask = try #require(try rig.ask("www.shop.example", type).ask)
            let draft = answer("www.shop.example", type).adding("www.shop.example", type, rdata)
            let reply = try #require(try rig.answer(ask, draft).reply)
            #expect(reply.outcome == .blockedByAlias(list: 0), "\(type)")
        }
    }

    /// RFC 9460 §2.5, S50: `.` is the owner itself; parameters pass octet for octet.
    @Test func aServiceAtItsOwnerPasses() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.shop.example", .https).ask)
        let rdata: [UInt8] = [0, 1, 0, 0xFD, 0xE9, 0, 3, 7, 8, 9]
        let draft = answer("www.shop.example", .https).adding("www.shop.example", .https, rdata)
        #expect(try rig.answer(ask, draft).reply?.message.answers.map(\.rdata) == [rdata])
    }

    /// A target outside the answer section says nothing of where the name leads.
    @Test func otherSectionsAreNotJudged() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.shop.example").ask)
        let draft = answer("www.shop.example")
            .adding("www.shop.example", .a, [192, 0, 2, 1])
            .adding(.additional, "x.example", .cname, MessageDraft.wire("t.ads.example"))
        #expect(try rig.answer(ask, draft).reply?.outcome == .forwarded)
    }

    /// The names in RDATA come from outside: what does not parse is an error, never a trap.
    @Test func targetsThatDoNotParseFailTheAnswer() throws {
        let bad: [(RecordType, [UInt8])] = [
            (.cname, []), (.cname, [0xC0]), (.cname, [0xC0, 0xFF]), (.cname, [0xFF, 0xFF]),
            (.cname, [63, 1, 2]), (.cname, [0x40, 0]), (.cname, [0, 0]), (.dname, []),
            (.svcb, []), (.svcb, [0, 1]), (.https, [0]), (.https, [0, 1, 0xC0, 0xFF]),
            (.https, [0, 1, 5, 1]),
        ]
        for (type, rdata) in bad {
            for policy in [0, nil] {
                let rig = try ResolverRig()
                let ask = try #require(try rig.ask("www.shop.example", type, policy: policy).ask)
                let draft = answer("www.shop.example", type)
                    .adding("www.shop.example", type, rdata)
                let reply = try #require(try rig.answer(ask, draft).reply)
                #expect(reply.message.rcode == 2, "\(type) \(rdata)")
                #expect(rig.cache.entryCount == 0)
            }
        }
    }

    /// RFC 1035 §4.1.4: a pointer into a TTL would lead elsewhere each second, or nowhere.
    @Test func aTargetThatRunsThroughATTLFailsTheAnswer() throws {
        // The octet pointed at: within the record's own TTL, whose octets in turn are a name.
        let owner = UInt8(Header.size + MessageDraft.wire("www.shop.example").count + 4 + 2)
        let cases: [(ttl: UInt32, at: UInt8)] = [
            (0x7FFF_FF00, 3), (0x0000_0100, 0), (0x0001_6100, 1), (300, 0),
        ]
        for (ttl, at) in cases {
            for policy in [0, nil] {
                let rig = try ResolverRig()
                let ask = try #require(try rig.ask("www.shop.example", policy: policy).ask)
                let draft = answer("www.shop.example")
                    .adding(
                        .answer, wire: [0xC0, 12], .cname, ttl: ttl, [0xC0, owner + 4 + at])
                let reply = try #require(try rig.answer(ask, draft).reply)
                #expect(reply.message.rcode == 2, "\(ttl) \(at)")
                #expect(rig.cache.entryCount == 0)
            }
        }
        // A pointer at a name before the TTL is as good as ever.
        let rig = try ResolverRig(lists: ["||shop.example^$dnstype=~CNAME", "||shop.example^"])
        let ask = try #require(try rig.ask("www.other.example", policy: 0).ask)
        let draft = answer("www.other.example")
            .adding("www.other.example", .cname, ttl: 0x0161_0000, MessageDraft.wire("a.example"))
            .adding("a.example", .cname, ttl: 77, [1, 98, 0xC0, 16])
        #expect(try rig.answer(ask, draft).reply?.message.answers.count == 2)
    }

    @Test func aCachedAnswerIsJudgedForEachPolicy() throws {
        let rig = try ResolverRig(lists: ["||other.example^", "||ads.example^"])
        let ask = try #require(try rig.ask("www.shop.example", policy: 0).ask)
        #expect(try rig.answer(ask, Self.chain()).reply?.outcome == .forwarded)
        for _ in 0..<2 {
            #expect(try rig.ask("www.shop.example", policy: 0).reply?.outcome == .cached)
            let reply = try #require(try rig.ask("www.shop.example", policy: 1).reply)
            #expect(reply.outcome == .blockedByAlias(list: 0) && reply.message.answers.isEmpty)
            #expect(try rig.ask("www.shop.example", policy: nil).reply?.outcome == .cached)
        }
    }

    @Test func aReloadThatListsTheTargetTakesTheCachedAnswerBack() throws {
        let rig = try ResolverRig(lists: ["||other.example^"])
        let ask = try #require(try rig.ask("www.shop.example").ask)
        #expect(try rig.answer(ask, Self.chain()).reply?.outcome == .forwarded)
        #expect(try rig.ask("www.shop.example").reply?.outcome == .cached)
        try rig.reload(["||ads.example^"], epoch: 2)
        #expect(try rig.ask("www.shop.example").reply?.outcome == .blockedByAlias(list: 0))
        try rig.reload(["||other.example^"], epoch: 3)
        #expect(try rig.ask("www.shop.example").reply?.outcome == .cached)
    }

    @Test func anAnswerThatIsUnderWayMeetsTheFilterInForceWhenItComes() throws {
        let rig = try ResolverRig(lists: ["||other.example^"])
        let ask = try #require(try rig.ask("www.shop.example").ask)
        try rig.reload(["||ads.example^"], epoch: 2)
        #expect(try rig.answer(ask, Self.chain()).reply?.outcome == .blockedByAlias(list: 0))
    }

    @Test func pauseAndResumeDecideForTheSameCachedAnswer() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.shop.example", policy: nil).ask)
        #expect(try rig.answer(ask, Self.chain()).reply?.outcome == .forwarded)
        #expect(try rig.ask("www.shop.example", policy: nil).reply?.outcome == .cached)
        #expect(
            try rig.ask("www.shop.example", policy: 0).reply?.outcome == .blockedByAlias(list: 0))
        #expect(try rig.ask("www.shop.example", policy: nil).reply?.outcome == .cached)
    }

    @Test func waitersOfOneQuestionAreJudgedEachByItsPolicy() throws {
        let rig = try ResolverRig(lists: ["||other.example^", "||ads.example^"])
        let ask = try #require(try rig.ask("www.shop.example", policy: 0).ask)
        #expect(try rig.ask("www.shop.example", policy: 1).isEmpty)
        #expect(try rig.ask("www.shop.example", policy: nil).isEmpty)
        #expect(try rig.ask("www.shop.example", policy: 0).isEmpty)
        let step = try rig.answer(ask, Self.chain())
        let outcomes = Dictionary(uniqueKeysWithValues: step.replies.map { ($0.token, $0.outcome) })
        #expect(
            outcomes == [1: .forwarded, 2: .blockedByAlias(list: 0), 3: .forwarded, 4: .forwarded])
        #expect(
            try rig.ask("www.shop.example", policy: 1).reply?.outcome == .blockedByAlias(list: 0))
    }

    @Test func aStaleAnswerIsJudgedToo() throws {
        let rig = try ResolverRig(lists: ["||other.example^", "||ads.example^"])
        let first = try #require(try rig.ask("www.shop.example", policy: 0).ask)
        _ = try rig.answer(first, Self.chain())
        _ = try rig.wait(.seconds(400))
        let ask = try #require(try rig.ask("www.shop.example", policy: 1).ask)
        _ = try rig.ask("www.shop.example", policy: 0)
        let step = try rig.fail(ask)
        let outcomes = Dictionary(uniqueKeysWithValues: step.replies.map { ($0.token, $0.outcome) })
        #expect(outcomes == [2: .blockedByAlias(list: 0), 3: .stale])
    }

    @Test func theFirstListedTargetIsNamed() throws {
        let rig = try ResolverRig(lists: ["||one.example^\n||two.example^$dnstype=~MX"])
        let ask = try #require(try rig.ask("www.shop.example", edns: 1232).ask)
        let draft = answer("www.shop.example")
            .adding("www.shop.example", .cname, MessageDraft.wire("a.one.example"))
            .adding("a.one.example", .cname, MessageDraft.wire("b.two.example"))
        #expect(try rig.answer(ask, draft).reply?.message.extendedError?.code == 15)
    }
}
