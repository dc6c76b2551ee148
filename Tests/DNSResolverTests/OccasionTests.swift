import DNSResolver
import DNSWire
import DomainNames
import FilterCompiler
import FilterIndex
import Metrics
import QueryEvents
import Testing
import WireFixtures

/// Rules for single clients and rules that end: no verdict leaks to another client or moment.
@Suite struct OccasionTests {
    private static let rules = "||t.example^$client=10.0.0.0/8|~10.0.0.9"

    private static func chain() -> MessageDraft {
        answer("www.shop.example")
            .adding("www.shop.example", .cname, MessageDraft.wire("a.t.example"))
            .adding("a.t.example", .a, [192, 0, 2, 7])
    }

    @Test func aRuleBlocksItsClientsOnly() throws {
        let rig = try ResolverRig(lists: [Self.rules])
        for client in ["10.0.0.1", "::ffff:10.1.2.3"] {
            let reply = try #require(try rig.ask("t.example", from: client).reply)
            #expect(reply.outcome == .blocked(list: 0), "\(client)")
        }
        for client in ["10.0.0.9", "11.0.0.1", "::1", nil] {
            #expect(try rig.ask("t.example", from: client).replies.isEmpty, "\(client ?? "none")")
        }
    }

    @Test func aCachedChainIsJudgedForEachClient() throws {
        let rig = try ResolverRig(lists: [Self.rules])
        let ask = try #require(try rig.ask("www.shop.example", from: "11.0.0.1").ask)
        #expect(try rig.answer(ask, Self.chain()).reply?.outcome == .forwarded)
        for _ in 0..<2 {
            let blocked = try rig.ask("www.shop.example", from: "10.0.0.1").reply
            #expect(blocked?.outcome == .blockedByAlias(list: 0))
            #expect(try rig.ask("www.shop.example", from: "11.0.0.1").reply?.outcome == .cached)
            #expect(try rig.ask("www.shop.example", from: "10.0.0.9").reply?.outcome == .cached)
        }
    }

    @Test func clientsThatWaitTogetherAreJudgedEach() throws {
        let rig = try ResolverRig(lists: [Self.rules])
        let ask = try #require(try rig.ask("www.shop.example", from: "10.0.0.9").ask)
        for client in ["10.0.0.1", "11.0.0.1", "10.0.0.2"] {
            #expect(try rig.ask("www.shop.example", from: client).isEmpty)
        }
        let replies = try rig.answer(ask, Self.chain()).replies
        var outcomes: [UInt32: QueryOutcome] = [:]
        for reply in replies { outcomes[reply.token] = reply.outcome }
        #expect(
            outcomes == [
                1: .forwarded, 2: .blockedByAlias(list: 0), 3: .forwarded,
                4: .blockedByAlias(list: 0),
            ])
    }

    @Test func anAllowRuleForOneClientIsNoneForAnother() throws {
        let rig = try ResolverRig(
            lists: ["||t.example^\n@@||www.shop.example^$client=10.0.0.1"])
        let ask = try #require(try rig.ask("www.shop.example", from: "10.0.0.1").ask)
        #expect(try rig.answer(ask, Self.chain()).reply?.outcome == .forwarded)
        let other = try rig.ask("www.shop.example", from: "10.0.0.2").reply
        #expect(other?.outcome == .blockedByAlias(list: 0))
        #expect(try rig.ask("www.shop.example", from: "10.0.0.1").reply?.outcome == .cached)
    }

    /// An allow rule that ends must not leave its verdict behind in the cache, nor a block that
    /// ends its block.
    @Test func aRuleIsGoneFromTheSecondOfItsEnd() throws {
        let rig = try ResolverRig()
        let end: Int64 = 1_800_000_000
        func key(_ name: String) throws -> [UInt8] {
            PolicyRules.key(of: try DomainName(text: name))
        }
        rig.resolver.install(
            try ResolverRig.filters(
                rules: [
                    PolicyRule(key: try key("a.t.example"), scope: .subtree, list: 0),
                    PolicyRule(
                        key: try key("www.shop.example"), scope: .exact, isAllow: true, until: end,
                        list: 0),
                    PolicyRule(key: try key("brief.example"), scope: .exact, until: end, list: 0),
                ], epoch: 2))
        rig.resolver.setWallClock(seconds: end - 1)
        #expect(try rig.ask("brief.example").reply?.outcome == .blocked(list: 0))
        let ask = try #require(try rig.ask("www.shop.example").ask)
        #expect(try rig.answer(ask, Self.chain()).reply?.outcome == .forwarded)
        #expect(try rig.ask("www.shop.example").reply?.outcome == .cached)
        rig.resolver.setWallClock(seconds: end)
        #expect(try rig.ask("www.shop.example").reply?.outcome == .blockedByAlias(list: 0))
        #expect(try rig.ask("brief.example").ask != nil)
        // A clock set back brings the rule back.
        rig.resolver.setWallClock(seconds: end - 1)
        #expect(try rig.ask("www.shop.example").reply?.outcome == .cached)
    }

    /// NXDOMAIN that holds for all below is for the clients for whom all below is blocked.
    @Test func nxdomainSafeLooksAtTheClient() throws {
        var options = ResolverOptions()
        options.blockResponse = .nxdomainSafe
        let rig = try ResolverRig(
            lists: ["||t.example^\n@@||ok.t.example^$client=10.0.0.1"], options: options)
        #expect(try rig.ask("t.example", from: "10.0.0.1").reply?.message.rcode == 0)
        #expect(try rig.ask("t.example", from: "10.0.0.2").reply?.message.rcode == 3)
    }
}
