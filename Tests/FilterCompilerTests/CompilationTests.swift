import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Foundation
import Quantities
import Testing

/// Lists in, snapshot out.
@Suite struct CompilationTests {
    private func isBlocked(_ snapshot: Snapshot, _ name: String, type: UInt16 = 1) throws -> Bool {
        try snapshot.verdict(name, type: type).decision.isBlocked
    }

    @Test func equalInputGivesEqualOctetsAndOrderOfLinesDoesNotMatter() throws {
        let lines = (0..<500).map { "h\($0 * 7919 % 500).example.com" }
        func build(_ text: String) throws -> [UInt8] {
            try Compilation(lists: [
                ListSource(
                    name: "l", text: .octets(Array(text.utf8)), options: .init(format: .domains))
            ]).build().image
        }
        let text = lines.joined(separator: "\n")
        #expect(try build(text) == build(text))
        let one = try SnapshotFixture.open(build(text))
        let other = try SnapshotFixture.open(build(lines.reversed().joined(separator: "\n")))
        // The digest of the text is part of the manifest; all else is equal.
        #expect(one.size == other.size)
        #expect(one.manifest.lists[0].digest != other.manifest.lists[0].digest)
        var rules = (0..<200).map {
            NaiveFilter.Rule(
                name: [Array("n\($0)".utf8), Array("com".utf8)], scope: .subtree,
                answer: $0 % 3 == 0 ? .refused : .standard, list: UInt16($0 % 4))
        }
        let first = try SnapshotFixture.image(rules)
        rules.reverse()
        #expect(try SnapshotFixture.image(rules) == first)
    }

    @Test func aSnapshotWithoutRulesDecidesNothing() throws {
        let (snapshot, result) = try SnapshotFixture.compile([])
        #expect(snapshot.prefilter.isEmpty)
        #expect(result.names == 0 && result.bytesPerName == 0)
        #expect(try snapshot.verdict("example.com") == .none)
        #expect(try snapshot.verdict(".") == .none)
    }

    @Test func coveredNamesAreDroppedAndCounted() throws {
        let (snapshot, result) = try SnapshotFixture.compile([
            (.adblock, "||a.com^\n||b.a.com^\n||a.com^\n||other.org^\n! comment\n##.ad\n")
        ])
        #expect(result.names == 4)
        #expect(result.namesAfterCovering == 2)
        #expect(result.rules == 4)
        #expect(
            result.skipped == [.init(kind: "comment", count: 1), .init(kind: "cosmetic", count: 1)])
        #expect(try isBlocked(snapshot, "x.b.a.com"))
        #expect(result.bytesPerName == Double(snapshot.size.octets) / 2)
        #expect(result.prefilterSize == snapshot.size(of: .prefilter))
    }

    @Test func theVerdictNamesTheListThatSpeaksOfTheName() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.hosts, "0.0.0.0 a.com\n0.0.0.0 only.com"), (.adblock, "||a.com^\n||b.com^"),
            (.rpz, "*.only.com CNAME ."),
        ])
        #expect(
            try snapshot.verdict("a.com")
                == .blocked(.init(list: 0), answer: .standard, isImportant: false))
        #expect(
            try snapshot.verdict("x.a.com")
                == .blocked(.init(list: 1), answer: .standard, isImportant: false))
        let below = try snapshot.verdict("x.only.com")
        #expect(below == .blocked(.init(list: 2), answer: .standard, isImportant: false))
        #expect(snapshot.listName(.init(list: 2)) == "list2")
    }

    @Test func badFilterDisablesTheSameRuleInEveryAdblockList() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.adblock, "||a.com^\n||b.com^$important\n||c.com^$dnstype=A\n||d.com^"),
            (
                .adblock,
                "||a.com^$badfilter\n||b.com^$badfilter,important\n||c.com^$dnstype=A,badfilter"
            ),
            (.hosts, "0.0.0.0 h.com"),
        ])
        #expect(try !isBlocked(snapshot, "a.com"))
        #expect(try !isBlocked(snapshot, "b.com"))
        #expect(try !isBlocked(snapshot, "c.com"))
        #expect(try isBlocked(snapshot, "d.com"))
        #expect(try isBlocked(snapshot, "h.com"))
    }

    @Test func precedenceIsThatOfTheDesign() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (
                .adblock,
                """
                ||a.com^
                @@||ok.a.com^
                ||bad.ok.a.com^$important
                @@||good.bad.ok.a.com^$important
                ||t.com^$dnstype=~A
                ||d.com^$denyallow=x.d.com
                """
            )
        ])
        #expect(try isBlocked(snapshot, "a.com"))
        #expect(try snapshot.verdict("x.ok.a.com") == .allowed(.init(list: 0), isImportant: false))
        #expect(try snapshot.verdict("bad.ok.a.com").decision.isImportant)
        #expect(
            try snapshot.verdict("good.bad.ok.a.com") == .allowed(.init(list: 0), isImportant: true)
        )
        #expect(try !isBlocked(snapshot, "t.com", type: 1))
        #expect(try isBlocked(snapshot, "t.com", type: 28))
        #expect(try isBlocked(snapshot, "y.d.com"))
        #expect(try !isBlocked(snapshot, "z.x.d.com"))
    }

    @Test func theMoreSpecificLineOfADnsmasqListWins() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.dnsmasq, "address=/a.com/0.0.0.0\nserver=/ok.a.com/#\nlocal=/bad.ok.a.com/"),
            (.domains, "ok.a.com"),
        ])
        #expect(try isBlocked(snapshot, "x.a.com"))
        #expect(try !isBlocked(snapshot, "x.ok.a.com"))
        #expect(try isBlocked(snapshot, "bad.ok.a.com"))
        // An exception inside one list says nothing about another.
        #expect(try snapshot.verdict("ok.a.com").decision.lists == [1])
    }

    @Test func unboundAnswersAreKeptAndRedirectsToAnAddressAreNoBlocks() throws {
        let (snapshot, result) = try SnapshotFixture.compile([
            (
                .unbound,
                """
                local-zone: "r.com" refuse
                local-zone: "n.com" always_nodata
                local-zone: "real.com" redirect
                local-data: "real.com A 192.0.2.1"
                local-zone: "sink.com" redirect
                local-data: "sink.com A 0.0.0.0"
                local-data: "alone.com A 0.0.0.0"
                local-data: "localhost A 127.0.0.1"
                """
            )
        ])
        #expect(try snapshot.verdict("x.r.com").decision.answer == .refused)
        #expect(try snapshot.verdict("n.com").decision.answer == .noData)
        #expect(try !isBlocked(snapshot, "x.real.com"))
        #expect(try isBlocked(snapshot, "x.sink.com"))
        #expect(try isBlocked(snapshot, "alone.com"))
        #expect(try !isBlocked(snapshot, "x.alone.com"))
        #expect(try !isBlocked(snapshot, "localhost"))
        #expect(try snapshot.verdict("x.real.com").decision.isRewritten)
        #expect(result.skipped.isEmpty && result.lists[0].rewriteRules == 2)
        #expect(result.lists[0].blockRules == 5)
    }

    @Test func aStandardRuleBelowAnAnswerOfItsOwnKeepsItsAnswer() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.domains, ""), (.adblock, "||com.test^\n||a.b.com.test^"),
            (.unbound, "local-zone: \"b.com.test\" refuse"),
        ])
        #expect(try snapshot.verdict("b.com.test").decision.answer == .refused)
        #expect(try snapshot.verdict("x.b.com.test").decision.answer == .refused)
        #expect(try snapshot.verdict("x.a.b.com.test").decision.answer == .standard)
        #expect(try snapshot.verdict("com.test").decision.answer == .standard)
    }

    @Test func rootAndOneLabelRulesAreProbed() throws {
        let one = try SnapshotFixture.open(
            SnapshotFixture.image([.init(name: [Array("zip".utf8)], scope: .subtree)]))
        #expect(one.prefilter.hasOneLabelNames && !one.prefilter.hasRoot)
        #expect(try isBlocked(one, "zip"))
        #expect(try isBlocked(one, "a.b.zip"))
        #expect(try !isBlocked(one, "zip.com"))
        let root = try SnapshotFixture.open(
            SnapshotFixture.image([.init(name: [], scope: .below)]))
        #expect(root.prefilter.hasRoot && root.prefilter.nameCount == 0)
        #expect(try isBlocked(root, "anything.example"))
        #expect(try !isBlocked(root, "."))
    }

    @Test func observationsTellFalsePositivesFromNamesOutOfScope() throws {
        let rules = (0..<2000).map {
            NaiveFilter.Rule(name: [Array("h\($0)".utf8), Array("com".utf8)], scope: .exact)
        }
        let snapshot = try SnapshotFixture.open(
            SnapshotFixture.image(rules, options: .init(falsePositiveRate: 0.1)))
        var scratch = MatchScratch()
        let below = CanonicalName(try DomainName(text: "x.h7.com"))
        #expect(snapshot.match(below, type: 1, on: .nobody, into: &scratch) == .none)
        #expect(scratch.observation.outOfScope && !scratch.observation.falsePositive)
        var falsePositives = 0
        for number in 0..<1000 {
            let name = CanonicalName(try DomainName(text: "free\(number).org"))
            #expect(snapshot.match(name, type: 1, on: .nobody, into: &scratch) == .none)
            #expect(!scratch.observation.outOfScope)
            #expect(scratch.observation.prefilterHit == scratch.observation.falsePositive)
            if scratch.observation.falsePositive { falsePositives += 1 }
        }
        #expect(falsePositives > 20)
    }

    @Test func aBadLineIsADiagnosticAndItsNeighboursLoad() throws {
        let (snapshot, result) = try SnapshotFixture.compile([
            (.domains, "good.com\n..\nalso.com\n\(String(repeating: "a", count: 70)).com\nlast.com")
        ])
        #expect(result.diagnosticCount == 2)
        #expect(result.diagnostics.map(\.line) == [2, 4])
        #expect(result.names == 3)
        for name in ["good.com", "also.com", "last.com"] {
            #expect(try isBlocked(snapshot, name))
        }
    }

    @Test func theFileIsWrittenWholeAndReadOnly() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-compile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let list = folder.appendingPathComponent("l.txt")
        try Data("a.com\nb.com\n".utf8).write(to: list)
        let output = folder.appendingPathComponent("o.sluice")
        let compilation = Compilation(lists: [
            ListSource(name: "l", text: .file(path: list.path), options: .init(format: .domains))
        ])
        var read = 0
        let result = try compilation.write(to: output.path) {
            if case .reading = $0.stage { read = $0.done }
        }
        #expect(read == 12)
        let snapshot = try Snapshot(path: output.path)
        #expect(snapshot.snapshotID == result.snapshotID)
        #expect(snapshot.manifest.lists[0].source == list.path)
        let attributes = try FileManager.default.attributesOfItem(atPath: output.path)
        #expect(attributes[.posixPermissions] as? Int == 0o444)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        let missing = Compilation(lists: [
            ListSource(
                name: "gone", text: .file(path: "/nonexistent/list"),
                options: .init(format: .domains))
        ])
        #expect(throws: CompilationError.self) { try missing.write(to: output.path) }
    }

    @Test func rulesForSingleClientsAreOnesOfTheirOwn() throws {
        let (snapshot, result) = try SnapshotFixture.compile([
            (
                .adblock,
                """
                ||a.example^$client=10.0.0.1
                ||a.example^$client=::ffff:10.0.0.1/128|10.0.0.1
                ||b.example^$client=10.0.0.0/8
                ||b.example^$client=10.9.9.9/8,badfilter
                ||c.example^$client='kids'
                """
            )
        ])
        #expect(snapshot.dependsOnOccasion && snapshot.conditionalNameCount == 1)
        #expect(result.rules == 4 && result.skipped.map(\.kind) == ["client condition"])
        let address = try #require(IPAddress(text: "10.0.0.1"))
        let client = Occasion(client: address, seconds: 0)
        #expect(try snapshot.verdict("x.a.example", on: client) != .none)
        #expect(try snapshot.verdict("x.a.example") == .none)
        #expect(try snapshot.verdict("b.example", on: client) == .none)
        let (plain, _) = try SnapshotFixture.compile([(.adblock, "||a.example^$dnstype=A")])
        #expect(!plain.dependsOnOccasion)
    }
}
