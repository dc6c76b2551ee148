import DNSWire
import DomainNames
import Foundation
import LoopbackFixtures
import Testing
import WireFixtures

@testable import CommandLineInterface

/// What an answer leads to, with an upstream on loopback that the test answers for.
@Suite struct ExplainAliasTests {
    private static func upstream(
        _ records: @escaping @Sendable (MessageDraft, String) -> MessageDraft
    ) throws -> LoopbackResponder {
        try LoopbackResponder { query, _ in
            guard let view = try? MessageView(query.span), let question = try? view.question(),
                let name = try? DomainName(
                    wire: query.span.extracting(Header.size..<question.nameEnd))
            else { return [] }
            let draft = MessageDraft(id: view.header.id, flags: MessageDraft.answerFlags)
                .asking(name.description, question.type)
            return [records(draft, name.description).octets]
        }
    }

    private static func shop(upstream port: UInt16) throws -> (Workshop, String) {
        let shop = try Workshop()
        try shop.write(
            "ads.txt",
            "||tracker.example^\n||plain.example^\n||vip.example^$important\n"
                + "@@||free.example^\n||bad.free.example^$dnstype=AAAA\n")
        let config = try shop.configure(
            """
            upstreams: ["127.0.0.1:\(port)"]
            lists: { ads: { file: ads.txt, format: adblock } }
            """)
        #expect(shop.run("compile", "--config", config).outcome == .good)
        return (shop, config)
    }

    /// Leads from `www` over `edge.cdn.example` to `x.tracker.example`, with a detour.
    private static func chain(_ draft: MessageDraft, _ name: String) -> MessageDraft {
        draft.adding(name, .cname, MessageDraft.wire("Edge.cdn.example"))
            .adding("edge.cdn.example", .cname, MessageDraft.wire("x.tracker.example"))
            .adding("x.tracker.example", .a, [192, 0, 2, 7])
    }

    @Test func theHopThatIsBlockedIsExplainedByItsOwnRules() throws {
        let server = try Self.upstream(Self.chain)
        defer { server.stop() }
        let (shop, config) = try Self.shop(upstream: server.port)
        let (outcome, output, errors) = shop.run("explain", "--config", config, "www.site.example")
        #expect(outcome == .found && errors == "")
        #expect(
            output == """
                www.site.example is blocked: it leads to x.tracker.example, blocked by list ads, \
                line 1: ||tracker.example^ (subtree)
                it leads to edge.cdn.example, x.tracker.example, says 127.0.0.1:\(server.port)
                to unblock it, and what else gets through:
                  sluice allow www.site.example             nothing; names below it stay as they are
                  sluice allow x.tracker.example            also every name that leads to it
                  take line 1 out of list ads               tracker.example and every name below \
                it, unless another rule blocks them
                  sluice allow x.tracker.example --subtree  every name below it, none of them is \
                on a list

                """)
        let report = try object(
            shop.run("explain", "--config", config, "www.site.example", "--json").output)
        #expect(report["verdict"] as? String == "none" && report["blocked"] as? Bool == true)
        let aliases = try #require(report["aliases"] as? [String: Any])
        #expect(aliases["state"] as? String == "answered")
        #expect(aliases["targets"] as? [String] == ["edge.cdn.example", "x.tracker.example"])
        let blocked = try #require(aliases["blocked"] as? [String: Any])
        #expect(blocked["name"] as? String == "x.tracker.example" && blocked["line"] as? Int == 1)
        #expect(blocked["passes"] as? Bool == false)
    }

    @Test func anAllowRuleOnTheNameLetsWhatItLeadsToPass() throws {
        let server = try Self.upstream(Self.chain)
        defer { server.stop() }
        let (shop, config) = try Self.shop(upstream: server.port)
        let (outcome, output, _) = shop.run("explain", "--config", config, "www.free.example")
        #expect(outcome == .good)
        #expect(output.hasPrefix("www.free.example is not blocked: "))
        #expect(
            output.contains(
                "x.tracker.example, on list ads, line 1: ||tracker.example^ (subtree), passes: an "
                    + "allow rule on www.free.example lets what it leads to pass\n"))
        #expect(!output.contains("to unblock it"))
    }

    @Test func anImportantBlockOfATargetComesFirstAndIsNotExempt() throws {
        let server = try Self.upstream { draft, name in
            draft.adding(name, .cname, MessageDraft.wire("plain.example"))
                .adding("plain.example", .cname, MessageDraft.wire("vip.example"))
        }
        defer { server.stop() }
        let (shop, config) = try Self.shop(upstream: server.port)
        let (outcome, output, _) = shop.run("explain", "--config", config, "www.free.example")
        #expect(outcome == .found)
        #expect(
            output.hasPrefix(
                "www.free.example is blocked: it leads to vip.example, blocked by list ads, "
                    + "line 3: ||vip.example^$important (subtree), important\n"))
    }

    /// RFC 9460 §2.2: the target of an HTTPS record is judged when that type is asked for.
    @Test func theTargetOfAServiceIsJudged() throws {
        let server = try Self.upstream { draft, name in
            draft.adding(name, .https, [0, 1] + MessageDraft.wire("x.tracker.example"))
        }
        defer { server.stop() }
        let (shop, config) = try Self.shop(upstream: server.port)
        let (outcome, output, _) = shop.run(
            "explain", "--config", config, "www.site.example", "--type", "HTTPS")
        #expect(outcome == .found)
        #expect(output.hasPrefix("www.site.example is blocked: it leads to x.tracker.example"))
    }

    @Test func nobodyIsAskedForABlockedNameNorWhenToldNotTo() throws {
        let server = try Self.upstream(Self.chain)
        defer { server.stop() }
        let (shop, config) = try Self.shop(upstream: server.port)
        #expect(shop.run("explain", "--config", config, "tracker.example").outcome == .found)
        let quiet = shop.run("explain", "--config", config, "www.site.example", "--no-resolve")
        #expect(quiet.outcome == .good)
        #expect(
            quiet.output == "www.site.example is not blocked: no block rule of 1 list applies\n")
        #expect(server.queryCount == 0)
    }

    @Test func anUpstreamThatDoesNotAnswerIsSaidWithinItsTime() throws {
        let server = try LoopbackResponder { _, _ in [] }
        defer { server.stop() }
        let (shop, config) = try Self.shop(upstream: server.port)
        let start = Date()
        let (outcome, output, _) = shop.run("explain", "--config", config, "www.site.example")
        #expect(Date().timeIntervalSince(start) < 10)
        #expect(outcome == .good)
        #expect(
            output.contains(
                "where it leads is not known: no upstream answers for www.site.example; the last, "
                    + "127.0.0.1:\(server.port): no answer in time\n"))
    }
}
