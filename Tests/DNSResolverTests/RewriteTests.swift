import DNSCache
import DNSResolver
import DNSWire
import Metrics
import Quantities
import QueryEvents
import Testing
import WireFixtures

/// What a list rewrites is answered in its way, and never mixed with what upstreams say.
@Suite struct RewriteTests {
    private static let addresses = """
        ||nas.example^$dnsrewrite=192.0.2.1
        ||nas.example^$dnsrewrite=192.0.2.2
        ||nas.example^$dnsrewrite=2001:db8::1
        """

    @Test func addressesAreAnsweredByType() throws {
        let rig = try ResolverRig(lists: [Self.addresses])
        let first = try #require(try rig.ask("NaS.example", edns: 1232).reply)
        #expect(first.outcome == .rewritten(list: 0) && first.message.rcode == 0)
        #expect(first.message.answers.map(\.rdata) == [[192, 0, 2, 1], [192, 0, 2, 2]])
        #expect(first.message.answers.allSatisfy { $0.owner == "nas.example" && $0.ttl == 10 })
        #expect(first.message.question == "NaS.example")
        #expect(first.message.extendedError?.code == 4)
        #expect(first.message.extendedError?.text == "rewritten by list list0")
        #expect(first.message.header.flags & HeaderFlags.authenticData == 0)
        let second = try #require(try rig.ask("x.nas.example", .aaaa).reply)
        #expect(second.message.answers.count == 1 && second.message.options == nil)
        // NODATA for the other types, HTTPS among them: the real service is another one.
        for type in [RecordType.https, .mx] {
            let reply = try #require(try rig.ask("nas.example", type).reply)
            #expect(reply.message.rcode == 0 && reply.message.answers.isEmpty)
            #expect(reply.message.authorities.map(\.type) == [.soa])
        }
        #expect(rig.resolver.counters.rewritten.load() == 4 && rig.cache.entryCount == 0)
    }

    /// A validator behind us proves what is below the name by the real DS and DNSKEY.
    @Test func keysAreAskedForAsEver() throws {
        let rig = try ResolverRig(lists: [Self.addresses])
        #expect(try rig.ask("nas.example", .ds).ask != nil)
        #expect(try rig.ask("nas.example", .dnskey).ask != nil)
        #expect(try rig.ask("nas.example", .any).reply?.outcome == .local)
    }

    @Test func codesAndOtherRecordsAreAnswered() throws {
        let rig = try ResolverRig(
            lists: [
                """
                ||fail.example^$dnsrewrite=SERVFAIL;;
                ||mail.example^$dnsrewrite=NOERROR;MX;10 mx.example
                """
            ])
        let failure = try #require(try rig.ask("fail.example").reply)
        #expect(failure.message.rcode == 2 && failure.outcome == .rewritten(list: 0))
        #expect(failure.message.answers.isEmpty && failure.message.authorities.isEmpty)
        let mail = try #require(try rig.ask("mail.example", .mx).reply)
        #expect(mail.message.answers.map(\.rdata) == [[0, 10] + MessageDraft.wire("mx.example")])
    }

    @Test func precedenceIsThatOfTheDesign() throws {
        let rig = try ResolverRig(
            lists: [
                """
                ||a.example^$dnsrewrite=192.0.2.1
                ||a.example^
                @@||allowed.a.example^
                ||hard.a.example^$important
                ||i.example^$dnsrewrite=192.0.2.2,important
                @@||i.example^
                @@||free.i.example^$important
                """
            ])
        #expect(try rig.ask("x.a.example").reply?.outcome == .rewritten(list: 0))
        #expect(try rig.ask("allowed.a.example").ask != nil)
        #expect(try rig.ask("hard.a.example").reply?.outcome == .blocked(list: 0))
        #expect(try rig.ask("i.example").reply?.outcome == .rewritten(list: 0))
        #expect(try rig.ask("free.i.example").ask != nil)
    }

    /// The target's records follow the alias, under the case and question of the client, and are
    /// cached under the target's own name.
    @Test func anAliasLeadsToItsTarget() throws {
        let rig = try ResolverRig(
            lists: ["||search.example^$dnsrewrite=NOERROR;CNAME;safe.example"])
        let ask = try #require(try rig.ask("Search.example", edns: 1232).ask)
        #expect(ask.message.question == "safe.example")
        let draft = answer("safe.example", flags: HeaderFlags.authenticData)
            .adding("safe.example", .cname, MessageDraft.wire("far.example"))
            .adding(.answer, wire: [0xC0, 12], .mx, [0, 1, 0xC0, 12])
            .adding("far.example", .a, [192, 0, 2, 9])
        let reply = try #require(try rig.answer(ask, draft, isTrusted: true).reply)
        #expect(reply.outcome == .rewritten(list: 0) && reply.message.rcode == 0)
        #expect(reply.message.question == "Search.example")
        #expect(
            reply.message.answers.map(\.owner) == [
                "search.example", "safe.example", "safe.example", "far.example",
            ])
        #expect(reply.message.answers[0].rdata == MessageDraft.wire("safe.example"))
        #expect(reply.message.answers[2].rdata == [0, 1] + MessageDraft.wire("safe.example"))
        #expect(reply.message.header.flags & HeaderFlags.authenticData == 0)
        #expect(reply.message.extendedError?.code == 4)
        // From the cache for the next one, and as it is for who asks for the target itself.
        let cached = try #require(try rig.ask("search.example").reply)
        #expect(cached.message.answers.count == 4 && cached.outcome == .rewritten(list: 0))
        let own = try #require(try rig.ask("safe.example", flags: 0x0120).reply)
        #expect(own.outcome == .cached && own.message.answers.count == 3)
        #expect(own.message.header.flags & HeaderFlags.authenticData != 0)
        #expect(try rig.ask("search.example", .cname).reply?.message.answers.count == 1)
        #expect(rig.cache.entryCount == 1)
    }

    @Test func clientsOfTargetAndAliasShareOneFlight() throws {
        let rig = try ResolverRig(
            lists: ["|search.example^$dnsrewrite=safe.example", "||other.example^"])
        let ask = try #require(try rig.ask("safe.example").ask)
        #expect(try rig.ask("SEARCH.example").isEmpty)
        #expect(try rig.ask("safe.example", policy: 1).isEmpty)
        let draft = answer("safe.example").adding("safe.example", .a, [192, 0, 2, 9])
        let replies = try rig.answer(ask, draft).replies
        var questions: [UInt32: String?] = [:]
        for reply in replies { questions[reply.token] = reply.message.question }
        #expect(questions == [1: "safe.example", 2: "SEARCH.example", 3: "safe.example"])
        #expect(replies.first { $0.token == 2 }?.message.answers.count == 2)
    }

    @Test func aFailureNamesTheQuestionOfTheClient() throws {
        let rig = try ResolverRig(lists: ["|Search.example^$dnsrewrite=safe.example"])
        let ask = try #require(try rig.ask("SEARCH.example").ask)
        let reply = try #require(try rig.fail(ask).reply)
        #expect(reply.message.rcode == 2 && reply.message.question == "SEARCH.example")
        #expect(reply.outcome == .failed)
    }

    @Test func aStaleAnswerStandsBehindTheAliasToo() throws {
        let rig = try ResolverRig(lists: ["|search.example^$dnsrewrite=safe.example"])
        let ask = try #require(try rig.ask("search.example").ask)
        let draft = answer("safe.example").adding("safe.example", .a, ttl: 5, [192, 0, 2, 9])
        _ = try rig.answer(ask, draft)
        _ = try rig.wait(.seconds(60))
        #expect(try rig.ask("search.example").ask != nil)
        let reply = try #require(try rig.wait(.seconds(2)).reply)
        #expect(reply.message.question == "search.example" && reply.message.answers.count == 2)
    }

    @Test func aBlockedTargetBlocks() throws {
        let rig = try ResolverRig(
            lists: [
                """
                |a.example^$dnsrewrite=t.ads.example
                |b.example^$dnsrewrite=ok.example
                ||ads.example^
                """
            ])
        let direct = try #require(try rig.ask("A.example").reply)
        #expect(direct.outcome == .blockedByAlias(list: 0) && direct.message.rcode == 3)
        #expect(direct.message.question == "A.example")
        let ask = try #require(try rig.ask("B.example").ask)
        #expect(try rig.ask("ok.example").isEmpty)
        let draft = answer("ok.example")
            .adding("ok.example", .cname, MessageDraft.wire("x.ads.example"))
            .adding("x.ads.example", .a, [192, 0, 2, 9])
        let replies = try rig.answer(ask, draft).replies
        var questions: Set<String?> = []
        for reply in replies {
            #expect(reply.outcome == .blockedByAlias(list: 0) && reply.message.rcode == 3)
            questions.insert(reply.message.question)
        }
        #expect(questions == ["B.example", "ok.example"])
    }

    @Test func chainsAreFollowedAndBounded() throws {
        let links = (0..<8).map { "|c\($0).example^$dnsrewrite=c\($0 + 1).example" }
        let end = "|c8.example^$dnsrewrite=192.0.2.1"
        let rig = try ResolverRig(lists: [(links + [end]).joined(separator: "\n")])
        let whole = try #require(try rig.ask("c0.example", edns: 1232).reply)
        #expect(whole.message.answers.count == 9 && whole.message.rcode == 0)
        #expect(whole.message.answers.last?.owner == "c8.example")
        #expect(whole.message.answers.last?.rdata == [192, 0, 2, 1])
        let longer = try ResolverRig(
            lists: [
                (links + ["|c8.example^$dnsrewrite=c9.example", "|c9.example^$dnsrewrite=::1"])
                    .joined(separator: "\n")
            ])
        #expect(try longer.ask("c0.example").reply?.message.rcode == 2)
        #expect(try longer.ask("c1.example", .aaaa).reply?.message.answers.count == 9)
        let circle = try ResolverRig(
            lists: ["|a.example^$dnsrewrite=b.example\n|b.example^$dnsrewrite=a.example"])
        let reply = try #require(try circle.ask("A.example").reply)
        #expect(reply.message.rcode == 2 && reply.message.question == "A.example")
    }

    /// A rule on a whole subtree may lead to a name inside it, which is then its own answer.
    @Test func aNameThatLeadsToItselfIsResolved() throws {
        let rig = try ResolverRig(lists: ["||example.com^$dnsrewrite=safe.example.com"])
        #expect(try rig.ask("safe.example.com").ask?.message.question == "safe.example.com")
        #expect(try rig.ask("www.example.com").isEmpty)
    }

    @Test func rewritesAreForTheirClientsAndTypes() throws {
        let rig = try ResolverRig(
            lists: [
                """
                ||a.example^$dnsrewrite=192.0.2.1,client=10.0.0.1
                ||b.example^$dnsrewrite=192.0.2.1,dnstype=A
                ||c.example^$dnsrewrite=192.0.2.1,denyallow=x.c.example
                """
            ])
        #expect(try rig.ask("a.example", from: "10.0.0.1").reply != nil)
        #expect(try rig.ask("a.example", from: "10.0.0.2").ask != nil)
        #expect(try rig.ask("b.example").reply != nil)
        #expect(try rig.ask("b.example", .aaaa).ask != nil)
        #expect(try rig.ask("y.c.example").reply != nil && rig.ask("x.c.example").ask != nil)
    }

    @Test func exceptionsAndBadFilterTakeRewritesOut() throws {
        let rig = try ResolverRig(
            lists: [
                """
                ||a.example^$dnsrewrite=192.0.2.1
                @@||x.a.example^$dnsrewrite
                ||b.example^$dnsrewrite=192.0.2.1
                ||b.example^$dnsrewrite=192.0.2.2
                @@||b.example^$dnsrewrite=192.0.2.1
                ||c.example^$dnsrewrite=192.0.2.1,important
                @@||c.example^$dnsrewrite
                ||d.example^$dnsrewrite=192.0.2.1
                ||d.example^$dnsrewrite=192.0.2.1,badfilter
                """
            ])
        #expect(try rig.ask("a.example").reply != nil && rig.ask("x.a.example").ask != nil)
        let left = try #require(try rig.ask("b.example").reply)
        #expect(left.message.answers.map(\.rdata) == [[192, 0, 2, 2]])
        #expect(try rig.ask("c.example").reply != nil)
        #expect(try rig.ask("d.example").ask != nil)
    }

    @Test func whatDoesNotFitIsCut() throws {
        let lines = (0..<60).map { "|many.example^$dnsrewrite=2001:db8::\($0)" }
        let rig = try ResolverRig(lists: [lines.joined(separator: "\n")])
        let cut = try #require(try rig.ask("many.example", .aaaa).reply)
        #expect(cut.message.header.flags & HeaderFlags.truncated != 0 && cut.octets.count <= 512)
        let whole = try #require(try rig.ask("many.example", .aaaa, transport: .tcp).reply)
        #expect(whole.message.answers.count == 60)
    }
}
