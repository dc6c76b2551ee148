import DNSCache
import DNSResolver
import DNSWire
import Metrics
import Quantities
import QueryEvents
import Testing
import WireFixtures

/// Questions asked once for many, and what is served when upstreams fail.
@Suite struct StaleAndCoalescingTests {
    private static let address: [UInt8] = [192, 0, 2, 1]

    private static func plain(_ name: String = "www.example") -> MessageDraft {
        answer(name).adding(name, .a, address)
    }

    /// A rig whose cache holds an answer past its time.
    private static func staleRig(
        _ draft: MessageDraft = plain(), options: ResolverOptions = ResolverOptions()
    ) throws -> ResolverRig {
        let rig = try ResolverRig(options: options)
        let ask = try #require(try rig.ask("www.example").ask)
        _ = try rig.answer(ask, draft)
        _ = try rig.wait(.seconds(301))
        return rig
    }

    /// S13, RFC 5452 §5.
    @Test func twoHundredClientsAskOnce() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example").ask)
        for number in 1..<200 {
            let name = number % 2 == 0 ? "WWW.example" : "www.example"
            #expect(try rig.ask(name, edns: number % 3 == 0 ? 1232 : nil).isEmpty)
        }
        #expect(rig.resolver.counters.coalesced.load() == 199)
        #expect(rig.resolver.counters.forwarded.load() == 1 && rig.resolver.questionCount == 1)
        let step = try rig.answer(ask, Self.plain())
        #expect(Set(step.replies.map(\.token)) == Set(1...200) && step.replies.count == 200)
        for reply in step.replies {
            let isUpper = reply.token % 2 == 1 && reply.token > 1
            #expect(reply.message.question == (isUpper ? "WWW.example" : "www.example"))
            #expect(
                (reply.message.options != nil) == (reply.token > 1 && (reply.token - 1) % 3 == 0))
        }
        #expect(rig.resolver.questionCount == 0)
    }

    @Test func otherQuestionsAreNotJoined() throws {
        let rig = try ResolverRig()
        #expect(try rig.ask("www.example").ask != nil)
        #expect(try rig.ask("www.example", .aaaa).ask != nil)
        #expect(try rig.ask("ww.example").ask != nil)
        #expect(try rig.ask("www.example", edns: 1232, bits: 0x8000).ask != nil)
        #expect(try rig.ask("www.example", flags: 0x0110).ask != nil)
        #expect(rig.resolver.questionCount == 5)
    }

    @Test func failureIsSaidWithItsReason() throws {
        for (failure, code) in [(.timeout, 22), (.unreachable, 23), (.malformed, 23)]
            as [(UpstreamFailure, UInt16)]
        {
            let rig = try ResolverRig()
            let ask = try #require(try rig.ask("Www.example", edns: 1232).ask)
            _ = try rig.ask("www.example")
            let step = try rig.fail(ask, failure)
            #expect(step.replies.count == 2)
            for reply in step.replies {
                #expect(reply.message.rcode == 2 && reply.outcome == .failed)
                #expect(reply.message.extendedError?.code == (reply.token == 1 ? code : nil))
            }
            let first = try #require(step.replies.first { $0.token == 1 })
            #expect(first.message.question == "Www.example")
            #expect(rig.resolver.questionCount == 0)
        }
    }

    /// S32, RFC 8767 §4: TTL 30, said by error 3.
    @Test func aStaleAnswerIsServedWhenUpstreamsFail() throws {
        let rig = try Self.staleRig()
        let ask = try #require(try rig.ask("www.example", edns: 1232).ask)
        let reply = try #require(try rig.fail(ask).reply)
        #expect(reply.outcome == .stale && reply.message.rcode == 0)
        #expect(reply.message.answers.map(\.ttl) == [30])
        #expect(reply.message.extendedError?.code == 3)
        #expect(rig.resolver.counters.staleHits.load() == 1 && rig.resolver.questionCount == 0)
    }

    @Test func aStaleNameErrorHasItsOwnCode() throws {
        let draft = answer("www.example", rcode: 3)
            .adding(.authority, "example", .soa, MessageDraft.soa(minimum: 60))
        let rig = try Self.staleRig(draft)
        let ask = try #require(try rig.ask("www.example", edns: 1232).ask)
        let reply = try #require(try rig.fail(ask).reply)
        #expect(reply.message.rcode == 3 && reply.message.extendedError?.code == 19)
    }

    /// RFC 8767 §5: after 1.8 s the client has waited long enough; the question goes on.
    @Test func lateUpstreamsAreNotWaitedFor() throws {
        let rig = try Self.staleRig()
        let ask = try #require(try rig.ask("www.example").ask)
        #expect(rig.resolver.nextTick == rig.now + .milliseconds(1800))
        #expect(try rig.wait(.milliseconds(1799)).isEmpty)
        #expect(try rig.wait(.milliseconds(1)).reply?.outcome == .stale)
        #expect(rig.resolver.questionCount == 1)
        // Who comes later joins the question and has the stale answer at once.
        #expect(try rig.ask("www.example").reply?.outcome == .stale)
        #expect(try rig.answer(ask, Self.plain()).isEmpty)
        #expect(try rig.ask("www.example").reply?.message.answers.map(\.ttl) == [300])
    }

    @Test func aQuestionThatEndedHasNoTimer() throws {
        let rig = try Self.staleRig()
        let ask = try #require(try rig.ask("www.example").ask)
        _ = try rig.answer(ask, Self.plain())
        #expect(try rig.wait(.seconds(2)).isEmpty && rig.resolver.nextTick == nil)
    }

    @Test func pastTheWindowNothingIsServed() throws {
        var options = ResolverOptions()
        options.staleMaximumAge = .seconds(100)
        let rig = try Self.staleRig(options: options)
        _ = try rig.wait(.seconds(100))
        let ask = try #require(try rig.ask("www.example").ask)
        #expect(try rig.fail(ask).reply?.message.rcode == 2)
    }

    @Test func withoutServeStaleNothingIsServed() throws {
        var options = ResolverOptions()
        options.staleMaximumAge = .zero
        let rig = try Self.staleRig(options: options)
        let ask = try #require(try rig.ask("www.example").ask)
        #expect(rig.resolver.nextTick == nil)
        #expect(try rig.fail(ask).reply?.message.rcode == 2)
    }

    /// UPS-02: SERVFAIL from upstream gives the stale answer, and is itself never kept.
    @Test func aServerFailureIsNeverServedStale() throws {
        let rig = try Self.staleRig()
        let ask = try #require(try rig.ask("www.example").ask)
        #expect(try rig.answer(ask, answer("www.example", rcode: 2)).reply?.outcome == .stale)
        let next = try #require(try rig.ask("www.example").ask)
        let gone = answer("www.example", rcode: 3)
            .adding(.authority, "example", .soa, MessageDraft.soa(minimum: 60))
        #expect(try rig.answer(next, gone).reply?.message.rcode == 3)
        #expect(try rig.ask("www.example").reply?.message.rcode == 3)
    }

    /// What the owner says last counts, even when it may not be kept.
    @Test func anAnswerThatMayNotBeKeptEndsTheOldOne() throws {
        for draft in [
            answer("www.example", rcode: 3),
            answer("www.example").adding("www.example", .a, ttl: 0, [1, 2, 3, 4]),
        ] {
            let rig = try Self.staleRig()
            let ask = try #require(try rig.ask("www.example").ask)
            _ = try rig.answer(ask, draft)
            #expect(rig.cache.entryCount == 0)
            let next = try #require(try rig.ask("www.example").ask)
            #expect(try rig.fail(next).reply?.message.rcode == 2)
        }
    }

    @Test func moreQuestionsThanTheLimitAreTurnedDown() throws {
        var options = ResolverOptions()
        options.questionLimit = 3
        options.waiterLimit = 5
        let rig = try ResolverRig(options: options)
        var asks: [ResolverRig.Ask] = []
        for number in 0..<3 { asks.append(try #require(try rig.ask("n\(number).example").ask)) }
        let full = try #require(try rig.ask("n3.example", edns: 1232).reply)
        #expect(full.message.rcode == 2 && full.message.extendedError?.code == 0)
        #expect(try rig.ask("n0.example").isEmpty && rig.ask("n1.example").isEmpty)
        #expect(try rig.ask("n0.example").reply?.message.rcode == 2)
        #expect(try rig.fail(asks[0]).replies.count == 2)
        #expect(try rig.ask("n3.example").ask != nil)
        #expect(rig.resolver.counters.failed.load() == 4)
    }

    /// 64 KiB for each of thousands of clients at once would be a gigabyte.
    @Test func clientsOverTCPThatWaitForOneQuestionAreBounded() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example", transport: .tcp).ask)
        for _ in 0..<127 { #expect(try rig.ask("www.example", transport: .tcp).isEmpty) }
        #expect(try rig.ask("www.example", transport: .tcp).reply?.message.rcode == 2)
        #expect(try rig.ask("www.example").isEmpty)
        #expect(try rig.fail(ask).replies.count == 129)
    }

    /// A waiter table that is full leaves no question behind.
    @Test func noQuestionIsAskedForNobody() throws {
        var options = ResolverOptions()
        options.waiterLimit = 1
        let rig = try ResolverRig(options: options)
        #expect(try rig.ask("a.example").ask != nil)
        #expect(try rig.ask("b.example").reply?.message.rcode == 2)
        #expect(rig.resolver.questionCount == 1)
    }
}
