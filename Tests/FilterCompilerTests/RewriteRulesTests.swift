import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Quantities
import Testing
import WireFixtures

/// Rewrites in a snapshot: what counts, what decides, what it answers.
@Suite struct RewriteRulesTests {
    private func answer(
        _ snapshot: Snapshot, _ name: String, type: UInt16 = 1
    ) throws -> RewriteAnswer? {
        var scratch = MatchScratch()
        return snapshot.rewriteAnswer(
            CanonicalName(try DomainName(text: name)), type: type, on: .nobody, into: &scratch)
    }

    private func record(_ last: UInt8) -> RewriteRecord {
        RewriteRecord(type: 1, data: [192, 0, 2, last])
    }

    @Test func everyFormatRewrites() throws {
        let lists: [(format: ListFormat, text: String)] = [
            (.hosts, "192.0.2.1 a.example"),
            (.adblock, "|a.example^$dnsrewrite=192.0.2.1"),
            (.dnsmasq, "address=/a.example/192.0.2.1"),
            (.unbound, "local-data: \"a.example A 192.0.2.1\""),
            (.rpz, "a.example A 192.0.2.1"),
        ]
        for list in lists {
            let (snapshot, result) = try SnapshotFixture.compile([list])
            #expect(
                try answer(snapshot, "a.example") == .records([record(1)]), "\(list.format)")
            #expect(result.lists.map(\.rewriteRules) == [1] && result.rules == 1)
            #expect(result.skipped.isEmpty && snapshot.rewriteNameCount == 1)
            let isSubtree = list.format == .dnsmasq
            #expect(try (answer(snapshot, "x.a.example") != nil) == isSubtree, "\(list.format)")
        }
    }

    @Test func rewritesOfAListThatMayNotAreSkipped() throws {
        let text = """
            ||a.example^$dnsrewrite=192.0.2.1
            @@||b.example^$dnsrewrite
            ||c.example^$dnsrewrite=0.0.0.0
            """
        let source = ListSource(
            name: "ads", text: .octets(Array(text.utf8)),
            options: ListOptions(format: .adblock, rewrites: false))
        let (image, result) = try Compilation(lists: [source]).build()
        let snapshot = try SnapshotFixture.open(image)
        #expect(snapshot.rewriteNameCount == 0 && !snapshot.manifest.lists[0].takesRewrites)
        #expect(result.skipped == [.init(kind: "rewrite", count: 2)] && result.rules == 1)
        #expect(try snapshot.verdict("a.example") == .none)
        #expect(try snapshot.verdict("c.example").decision.isBlocked)
    }

    /// The zone's block is none: its data answers for all names below.
    @Test func aRedirectZoneIsARewriteOfAllBelow() throws {
        let (snapshot, result) = try SnapshotFixture.compile([
            (
                .unbound,
                """
                local-zone: "portal.example" redirect
                local-data: "portal.example A 192.0.2.1"
                local-data: "portal.example AAAA 2001:db8::1"
                local-zone: "ads.example" redirect
                local-data: "ads.example A 0.0.0.0"
                """
            )
        ])
        #expect(result.lists[0].blockRules == 2 && result.lists[0].rewriteRules == 2)
        #expect(try answer(snapshot, "x.portal.example") != nil)
        let both = try #require(try answer(snapshot, "portal.example"))
        guard case .records(let records) = both else {
            Issue.record("\(both)")
            return
        }
        #expect(Set(records.map(\.type)) == [1, 28])
        #expect(try snapshot.verdict("x.ads.example").decision.isBlocked)
    }

    /// dnsmasq, Unbound and RPZ: the longer name wins inside the list.
    @Test func theMoreSpecificEntryOfOneListWins() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (
                .dnsmasq,
                """
                address=/a.example/192.0.2.1
                address=/blocked.a.example/
                address=/again.blocked.a.example/192.0.2.2
                server=/free.a.example/#
                address=/back.free.a.example/192.0.2.3
                """
            ),
            (
                .unbound,
                "local-zone: \"z.example\" transparent\nlocal-data: \"n.z.example A 192.0.2.4\""
            ),
        ])
        #expect(try answer(snapshot, "x.a.example") == .records([record(1)]))
        #expect(try snapshot.verdict("x.blocked.a.example").decision.isBlocked)
        #expect(try answer(snapshot, "again.blocked.a.example") == .records([record(2)]))
        #expect(try !snapshot.verdict("x.free.a.example").decision.isRewritten)
        #expect(try answer(snapshot, "x.back.free.a.example") == .records([record(3)]))
        #expect(try snapshot.verdict("x.back.free.a.example").decision.isRewritten)
        #expect(try snapshot.verdict("n.z.example").decision.isRewritten)
    }

    @Test func theFirstListOnTheLongestNameAnswers() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.adblock, "||example^$dnsrewrite=192.0.2.9\n||a.example^$dnsrewrite=192.0.2.1"),
            (
                .adblock,
                """
                ||a.example^$dnsrewrite=192.0.2.2
                ||a.example^$dnsrewrite=192.0.2.3
                |exact.a.example^$dnsrewrite=192.0.2.4
                """
            ),
            (
                .adblock,
                "||mixed.example^$dnsrewrite=192.0.2.5\n||mixed.example^$dnsrewrite=b.example"
            ),
        ])
        #expect(try answer(snapshot, "x.a.example") == .records([record(1)]))
        #expect(try answer(snapshot, "exact.a.example") == .records([record(4)]))
        #expect(
            try answer(snapshot, "mixed.example")
                == .alias([1, 0x62, 7] + Array("example".utf8) + [0]))
        #expect(try answer(snapshot, "mixed.example", type: 43) == nil)
        #expect(try answer(snapshot, "other.test") == nil)
    }

    @Test func aNameWithARewriteBelowIsNotBlockedWhole() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.adblock, "||a.example^\n|x.a.example^$dnsrewrite=192.0.2.1\n||b.example^")
        ])
        let whole = try ["a.example", "b.example"].map { name in
            snapshot.blocksWholeSubtree(
                of: CanonicalName(try DomainName(text: name)), on: .nobody)
        }
        #expect(whole == [false, true])
    }

    @Test func theOrderOfLinesChangesNothing() throws {
        let lines = [
            "||a.example^$dnsrewrite=192.0.2.1", "||a.example^$dnsrewrite=192.0.2.2",
            "@@||b.example^$dnsrewrite=::1", "||b.example^$dnsrewrite=c.example,client=10.0.0.1",
        ]
        func sections(_ lines: [String]) throws -> [UInt8] {
            var policy = PolicyRules()
            for line in lines {
                var reader = ListReader(options: ListOptions(format: .adblock))
                var reading = LineReading()
                let octets = Array(line.utf8)
                reader.read(line: octets.span, number: 1, into: &reading)
                let answer: RewriteAnswer? =
                    switch reading.answer {
                    case .addresses(let addresses):
                        .records(
                            addresses.map {
                                RewriteRecord(
                                    type: $0.octets.count == 4 ? 1 : 28, data: $0.octets)
                            })
                    case .cname(let target): .alias(target)
                    default: nil
                    }
                for name in reading.names {
                    let rule = PolicyRule(
                        key: PolicyRules.key(of: reading.domainName(name)), scope: name.scope,
                        isAllow: reading.exceptsRewrites, list: 0)
                    policy.add(PolicyRewrite(rule, answer: answer))
                }
            }
            return try SnapshotBuilder().image(
                of: policy, manifest: SnapshotFixture.manifest(lists: 1))
        }
        #expect(try sections(lines) == sections(lines.reversed()))
    }
}
