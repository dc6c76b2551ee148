import Cryptography
import DomainNames
import FilterIndex
import FilterLists
import Quantities
import Testing
import WireFixtures

@testable import FilterCompiler

/// Rules on patterns in a snapshot: they decide as a naive scan of the same lines does.
@Suite struct PatternSnapshotTests {
    /// One line as the slow twin reads it.
    private struct Line {
        var isAllow: Bool
        var isImportant: Bool
        var start: String
        var text: String
        var isAtEnd: Bool
        var isForIPv6Only: Bool
        var exception: String?

        var rule: String {
            var modifiers: [String] = []
            if isImportant { modifiers.append("important") }
            if isForIPv6Only { modifiers.append("dnstype=AAAA") }
            if let exception { modifiers.append("denyallow=\(exception)") }
            return (isAllow ? "@@" : "") + start + text + (isAtEnd ? "^" : "")
                + (modifiers.isEmpty ? "" : "$" + modifiers.joined(separator: ","))
        }

        func applies(to name: String, type: UInt16) -> Bool {
            if isForIPv6Only && type != 28 { return false }
            if let exception, name == exception || name.hasSuffix("." + exception) { return false }
            let places = (0...name.count).filter { place in
                switch start {
                case "|": place == 0
                case "||": place == 0 || Array(name)[place - 1] == "."
                default: true
                }
            }
            return places.contains { Line.glob(Array(text)[...], Array(name)[$0...], isAtEnd) }
        }

        private static func glob(
            _ text: ArraySlice<Character>, _ name: ArraySlice<Character>, _ isAtEnd: Bool
        ) -> Bool {
            guard let first = text.first else { return !isAtEnd || name.isEmpty }
            let rest = text.dropFirst()
            if first == "*" {
                return (0...name.count).contains { glob(rest, name.dropFirst($0), isAtEnd) }
            }
            return name.first == first && glob(rest, name.dropFirst(), isAtEnd)
        }
    }

    private static func word(_ generator: inout SeededGenerator, _ letters: String) -> String {
        String(
            (0..<generator.number(1..<6)).map { _ in
                letters.randomElement(using: &generator) ?? "a"
            })
    }

    private static func line(_ generator: inout SeededGenerator) -> Line {
        var line = Line(
            isAllow: generator.chance(30), isImportant: generator.chance(20),
            start: ["", "|", "||"].randomElement(using: &generator) ?? "",
            text: word(&generator, "ab.*") + ["a", "*b", ".a*"][generator.number(0..<3)],
            isAtEnd: generator.chance(50), isForIPv6Only: generator.chance(15),
            exception: generator.chance(15) ? "b.a" : nil)
        // Without any mark it would be a name, not a pattern.
        if line.start.isEmpty && !line.isAtEnd { line.text = "*" + line.text }
        return line
    }

    private static func compile(_ text: String) throws -> (Snapshot, CompilationResult) {
        let list = ListSource(
            name: "list0", text: .octets(Array(text.utf8)),
            options: ListOptions(format: .adblock, allowPublicSuffixes: true))
        let (image, result) = try Compilation(lists: [list]).build()
        return (try SnapshotFixture.open(image), result)
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func patternsDecideAsANaiveScanDoes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let lines = (0..<generator.number(1..<25)).map { _ in Self.line(&generator) }
        let (snapshot, _) = try Self.compile(lines.map(\.rule).joined(separator: "\n"))
        for _ in 0..<40 {
            let labels = (0..<generator.number(1..<5)).map { _ in Self.word(&generator, "abx") }
            let name = labels.joined(separator: ".")
            for type: UInt16 in [1, 28] {
                let applying = lines.filter { $0.applies(to: name, type: type) }
                let best = [(true, true), (false, true), (true, false), (false, false)].first {
                    tier in applying.contains { ($0.isAllow, $0.isImportant) == tier }
                }
                let isBlocking = applying.contains { !$0.isAllow }
                let verdict = try snapshot.verdict(name, type: type)
                let rules = applying.map(\.rule).joined(separator: " ")
                let text = "seed \(seed): \(name) type \(type): \(rules)"
                switch verdict {
                case .none: #expect(!isBlocking, "\(text)")
                case .rewritten: Issue.record("\(text)")
                case .allowed(_, let isImportant):
                    #expect(isBlocking && best ?? (false, false) == (true, isImportant), "\(text)")
                case .blocked(_, _, let isImportant):
                    #expect(isBlocking && best ?? (true, false) == (false, isImportant), "\(text)")
                }
                var scratch = MatchScratch()
                let allow = snapshot.allowVerdict(
                    CanonicalName(try DomainName(text: name)), type: type, on: .nobody,
                    into: &scratch)
                #expect((allow != .none) == applying.contains { $0.isAllow }, "\(text)")
            }
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func aWholeSubtreeIsNotSaidToBeBlockedWhereAPatternAllows(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let lines = (0..<4).map { _ in Self.line(&generator) }
        let names = ["a", "b.a", "a.b", "b"]
        let blocks = names.filter { _ in generator.chance(60) }.map { "||\($0)^" }
        let text = (blocks + lines.map(\.rule)).joined(separator: "\n")
        let (snapshot, _) = try Self.compile(text)
        for name in names
        where snapshot.blocksWholeSubtree(
            of: CanonicalName(try DomainName(text: name)), on: .nobody)
        {
            for _ in 0..<30 {
                let below = Self.word(&generator, "abx") + "." + name
                for type: UInt16 in [1, 28] {
                    let isBlocked = try snapshot.verdict(below, type: type).decision.isBlocked
                    #expect(isBlocked, "seed \(seed): \(below)")
                }
            }
        }
        // Patterns of block kind alone change nothing about a name that blocks all below.
        let (plain, _) = try Self.compile("||a^\n||x*y^\n@@||q*.b^")
        #expect(plain.blocksWholeSubtree(of: CanonicalName(try DomainName(text: "a")), on: .nobody))
    }

    @Test func aNameOutdoesAPatternAndTheFirstListIsNamed() throws {
        let (snapshot, result) = try SnapshotFixture.compile([
            (.adblock, "||ads*.example.com^\n/^ads[0-9]/$important"),
            (.adblock, "||ads*.example.com^$dnsrewrite=REFUSED\n||ads.example.com^"),
            (.domains, "other.example"),
        ])
        #expect(result.patterns == 2 && snapshot.patternCount == 2)
        #expect(
            try snapshot.verdict("ads.example.com")
                == .blocked(RuleReference(list: 1), answer: .standard, isImportant: false))
        #expect(
            try snapshot.verdict("ads-x.example.com")
                == .blocked(RuleReference(list: 0), answer: .standard, isImportant: false))
        #expect(
            try snapshot.verdict("ads1.example.com")
                == .blocked(RuleReference(list: 0), answer: .standard, isImportant: true))
        #expect(try snapshot.verdict("sub.example.com") == .none)
        #expect(try snapshot.verdict("other.example").decision.isBlocked)
    }

    @Test func theCountsOfThePrefilterAreItsOwn() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.adblock, "||ads*.example.com^\n||name.example.com^$dnstype=AAAA"),
            // Enough names for a prefilter that seldom errs.
            (.domains, (0..<500).map { "n\($0).example.org" }.joined(separator: "\n")),
        ])
        var scratch = MatchScratch()
        func observe(_ name: String) throws -> (Bool, MatchObservation) {
            let name = CanonicalName(try DomainName(text: name))
            let verdict = snapshot.match(name, type: 1, on: .nobody, into: &scratch)
            return (verdict != .none, scratch.observation)
        }
        let byPattern = try observe("ads1.example.com")
        #expect(byPattern == (true, MatchObservation(prefilterHit: false)))
        let outOfScope = try observe("name.example.com")
        #expect(outOfScope == (false, MatchObservation(prefilterHit: true, outOfScope: true)))
        let both = try observe("ads.name.example.com")
        #expect(both == (true, MatchObservation(prefilterHit: true, outOfScope: true)))
    }

    @Test func aPatternForOneClientMakesTheSnapshotDependOnTheOccasion() throws {
        let text = "||ads*.example.com^$client=10.0.0.0/8\n@@/^ads1/$client=~10.1.0.0/16"
        let (snapshot, result) = try Self.compile(text)
        #expect(result.rules == 2 && snapshot.dependsOnOccasion)
        func isBlocked(_ name: String, _ client: String) throws -> Bool {
            let occasion = Occasion(client: IPAddress(text: client), seconds: 0)
            return try snapshot.verdict(name, on: occasion).decision.isBlocked
        }
        #expect(try isBlocked("ads2.example.com", "10.0.0.1"))
        #expect(try !isBlocked("ads2.example.com", "11.0.0.1"))
        #expect(try !isBlocked("ads1.example.com", "10.0.0.1"))
        #expect(try isBlocked("ads1.example.com", "10.1.0.1"))
        #expect(try snapshot.verdict("ads2.example.com") == .none)
        let (plain, _) = try Self.compile("||ads*.example.com^")
        #expect(!plain.dependsOnOccasion)
    }

    @Test func patternsCountAgainstTheMemoryBoundAndSayTheListThatIsTooMuch() throws {
        let lines = (0..<2500).map { "||ads*.name\($0).com^" }
        let whole = try Compilation(lists: [Self.source(lines)]).build().image
        let bounded = Compilation(
            lists: [Self.source(lines)], memory: BuildMemory(bound: .mebibytes(8)))
        #expect(try bounded.build().image == whole)
        var memory = BuildMemory.unbounded
        memory.valuesSize = 100_000
        let small = Compilation(lists: [Self.source(lines)], memory: memory)
        #expect {
            _ = try small.build()
        } throws: { error in
            guard case .tooManyRulesInMemory(let list) = error as? CompilationError else {
                return false
            }
            return list == "list"
        }
    }

    @Test func theOrderOfListsSaysNothing() throws {
        let lists = (0..<4).map { number in
            ListSource(
                name: "list\(number)",
                text: .octets(
                    Array("||ads*.x\(number % 2).com^\n@@/^y\(3 - number)/\n/z+/".utf8)),
                options: ListOptions(format: .adblock))
        }
        let image = try Compilation(lists: lists).build().image
        #expect(try Compilation(lists: lists.reversed()).build().image == image)
    }

    @Test func badFilterDisablesAPatternOfAdblockLists() throws {
        let (snapshot, _) = try SnapshotFixture.compile([
            (.adblock, "||ads*.example.com^\n||ads*.example.com^$badfilter\n/trck/"),
            (.wildcard, "ads*.example.com"),
            (.adblock, "/trck/$badfilter\n/ads1/$badfilter"),
        ])
        #expect(
            try snapshot.verdict("ads1.example.com")
                == .blocked(RuleReference(list: 1), answer: .standard, isImportant: false))
        #expect(try snapshot.verdict("trck.example.com") == .none)
    }

    @Test func theOrderOfLinesSaysNothing() throws {
        let lines = (0..<300).map { "||ads*.name\($0).com^" } + ["/b+c/", "@@/^x/", "q*w*e"]
        let (image, _) = try Compilation(lists: [Self.source(lines)]).build()
        var generator = SeededGenerator(seed: 5)
        let (other, _) = try Compilation(lists: [Self.source(lines.shuffled(using: &generator))])
            .build()
        let sections = try SnapshotContents(verifying: image.span, path: "").sections[.patterns]
        let again = try SnapshotContents(verifying: other.span, path: "").sections[.patterns]
        #expect(Array(image[sections]) == Array(other[again]))
        let without = try Compilation(lists: [Self.source(["a.example"])]).build().image
        let empty = try SnapshotContents(verifying: without.span, path: "").sections[.patterns]
        #expect(empty.isEmpty)
    }

    private static func source(_ lines: [String]) -> ListSource {
        ListSource(
            name: "list", text: .octets(Array(lines.joined(separator: "\n").utf8)),
            options: ListOptions(format: .adblock))
    }

    @Test func patternsThatFitNowhereAreCountedAndNamed() throws {
        let many = (0..<30).map { "x\($0)y*z\($0)w" }
        let lines = ["/[ab]{20}b/", "||ads*.example.com^", "@@/c.{20}c$/"] + many
        let (image, result) = try Compilation(lists: [Self.source(lines)]).build()
        let left = result.skipped.first { $0.kind == "pattern too complex" }?.count ?? 0
        #expect(left == 1 && result.diagnosticCount == 1, "\(left)")
        #expect(result.rules == lines.count - left && result.patterns == result.rules)
        #expect(result.diagnostics.allSatisfy { $0.reason == .patternTooComplex && $0.line > 0 })
        let snapshot = try SnapshotFixture.open(image)
        #expect(try snapshot.verdict("ads1.example.com").decision.isBlocked)
        for line in many {
            let name = line.replacing("*", with: ".")
            #expect(try snapshot.verdict(name).decision.isBlocked, "\(name)")
        }
    }

    @Test func tooMuchTextOfPatternsIsRefused() throws {
        var gathered = GatheredPatterns()
        var reader = ListReader(
            options: ListOptions(format: .wildcard, allowPublicSuffixes: true))
        var reading = LineReading()
        let stem = Array(String(repeating: "abcdefgh", count: 100).utf8)
        let rule = PolicyRule(key: [], scope: .subtree, list: 3)
        for number in 0..<1400 {
            let line = Array("\(number)*".utf8) + stem
            reader.read(line: line.span, number: number, into: &reading)
            let pattern = try #require(reading.hostPattern)
            gathered.add(pattern, of: reading, rule: rule, line: number)
        }
        #expect(gathered.rules.count + gathered.refusals.count == 1400)
        #expect(gathered.refusals.count > 50 && gathered.refusals.count < 200)
        let last = try #require(gathered.refusals.last)
        #expect(last.list == 3 && last.line == 1399 && last.reason == .tooManyPatterns)
    }

    /// With a right checksum over wrong octets the patterns may mislead, but neither trap nor loop.
    @Test(arguments: 0..<600 as Range<UInt64>)
    func aLyingSectionHarmsNothing(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let lines = ["||ads*.a.example^", "/b+c[0-9]/$dnstype=AAAA", "@@/good/", "x1.example"]
        var (image, _) = try Compilation(lists: [Self.source(lines)]).build()
        let section = try SnapshotContents(verifying: image.span, path: "").sections[.patterns]
        for _ in 0..<generator.number(1..<7) {
            image[generator.number(section)] =
                [0, 1, 0x7F, 0x80, 0xFF, UInt8(generator.number(0..<256))]
                .randomElement(using: &generator) ?? 0
        }
        let checksum = SnapshotLayout.checksum(of: image.span)
        for index in checksum.octets.indices {
            image[SnapshotLayout.checksumOffset + index] = checksum.octets[index]
        }
        guard (try? SnapshotContents(verifying: image.span, path: "")) != nil else { return }
        let snapshot = try SnapshotFixture.open(image)
        for name in ["ads1.a.example", "bbc1.good.example", "x1.example", "."] {
            let name = CanonicalName(try DomainName(text: name))
            var scratch = MatchScratch()
            for type: UInt16 in [1, 28] {
                let verdict = snapshot.match(name, type: type, on: .nobody, into: &scratch)
                if case .blocked(let reference, _, _) = verdict {
                    #expect(snapshot.listName(reference).utf8.count <= 255, "seed \(seed)")
                }
                _ = snapshot.allowVerdict(name, type: type, on: .nobody, into: &scratch)
            }
            _ = snapshot.blocksWholeSubtree(of: name, on: .nobody)
        }
    }
}
