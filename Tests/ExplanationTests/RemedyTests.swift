import DomainNames
import FilterIndex
import FilterLists
import Testing

@testable import Explanation

/// Every change that is offered does unblock, and lets through what it says: held against new
/// compilations of the changed lists.
@Suite struct RemedyTests {
    /// The lists after a change; a rule of one's own is a list of its own.
    private static func lists(
        _ lists: [PolicyFixture.List], after change: Remedy.Change, on name: String,
        isImportant: Bool
    ) -> [PolicyFixture.List] {
        var lists = lists
        switch change {
        case .allowName, .allowSubtree:
            // A rule of one's own is out of reach of a `$badfilter` of a list: no line that the
            // generator draws disables these.
            let isWide = change == .allowSubtree
            let rule = "@@\(isWide ? "||" : "|")\(name)^$important,dnstype=A"
            lists.append(
                isImportant
                    ? .init(format: .adblock, text: rule)
                    : .init(
                        format: .domains, text: name, action: .allow,
                        scope: isWide ? .subtree : .exact))
        case .removeLine(let list, let line):
            var lines = lists[list].text.split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            lines.remove(at: line - 1)
            lists[list].text = lines.joined(separator: "\n")
        case .removeList(let list):
            lists[list].text = ""
        }
        return lists
    }

    /// The names of all rules of block kind, as the list reader has them.
    private static func blockNames(_ lists: [PolicyFixture.List]) -> Set<DomainName> {
        var names: Set<DomainName> = []
        for list in lists {
            var reader = ListReader(options: list.options)
            var reading = LineReading()
            var splitter = LineSplitter()
            let take: (Span<UInt8>, Int) -> Void = { line, number in
                reader.read(line: line, number: number, into: &reading)
                let isBlock =
                    reading.kind == .block || reading.isSinkBlock(in: list.options.action)
                guard isBlock, !reading.isBadFilter else { return }
                for name in reading.names { names.insert(reading.domainName(name)) }
            }
            splitter.split(Array(list.text.utf8).span, take)
            splitter.finish(take)
        }
        return names
    }

    @Test(arguments: 0..<120 as Range<UInt64>)
    func everyChangeUnblocksAndLetsThroughWhatItSays(seed: UInt64) throws {
        var generator = PolicyGenerator(seed: seed)
        let lists = generator.policy()
        let fixture = try PolicyFixture(lists)
        for _ in 0..<6 {
            let name = generator.name()
            let explanation = try fixture.explain(name)
            guard case .blocked(_, _, let isImportant) = explanation.verdict else {
                #expect(explanation.remedies.isEmpty)
                continue
            }
            #expect(explanation.remedies.first?.change == .allowName)
            for remedy in explanation.remedies {
                let changed = try PolicyFixture(
                    Self.lists(
                        lists, after: remedy.change, on: name, isImportant: isImportant))
                #expect(
                    try !changed.explain(name).isBlocked,
                    "seed \(seed): \(name) after \(remedy.change)")
            }
            let own = explanation.question.name
            let below = try Self.blockNames(lists).filter { below in
                try below != own && below.isSubdomain(of: own)
                    && fixture.explain(below.description).isBlocked
            }
            let subtree = try #require(explanation.remedies.last)
            #expect(subtree.change == .allowSubtree && subtree.nameCount == below.count)
            #expect(Set(subtree.examples).isSubset(of: below), "seed \(seed): \(name)")
            #expect(subtree.examples.count == min(below.count, 10))
        }
    }

    @Test func aLineAloneIsOfferedWithItsOtherNames() throws {
        let fixture = try PolicyFixture([
            .init(format: .hosts, text: "0.0.0.0 a.example b.example c.example b.example"),
            .init(format: .adblock, text: "||b.example^$dnstype=AAAA"),
        ])
        let remedies = try fixture.explain("b.example").remedies
        #expect(
            remedies.map(\.change) == [
                .allowName, .removeLine(list: 0, line: 1), .allowSubtree,
            ])
        #expect(remedies[1].nameCount == 2 && remedies[1].subtree == nil)
        #expect(remedies[1].examples.map(\.description) == ["a.example", "c.example"])
        // For AAAA a second list blocks as well: no one line or list is to blame.
        let both = try fixture.explain("b.example", type: 28).remedies
        #expect(both.map(\.change) == [.allowName, .allowSubtree])
    }

    @Test func severalLinesOfOneListAreOfferedAsTheList() throws {
        let fixture = try PolicyFixture([
            .init(format: .domains, text: "other.example"),
            .init(format: .adblock, text: "||b.example^\n||example^\n@@||x.b.example^"),
        ])
        let remedies = try fixture.explain("b.example").remedies
        #expect(remedies.map(\.change) == [.allowName, .removeList(1), .allowSubtree])
    }

    @Test func manyNamesBelowAreCountedOnceAndTenAreShown() throws {
        let names = (0..<40).map { "n\($0).a.example" }.joined(separator: "\n")
        let fixture = try PolicyFixture([
            .init(format: .adblock, text: "||a.example^"),
            .init(format: .domains, text: names), .init(format: .domains, text: names),
        ])
        let remedy = try #require(try fixture.explain("a.example").remedies.last)
        #expect(remedy.nameCount == 40 && !remedy.isAtLeast && remedy.examples.count == 10)
        #expect(remedy.examples.first?.description == "n0.a.example")
    }
}

/// The nearest rules, held against a plain sort of all rules by their distance.
@Suite struct NearbyRuleTests {
    private static func distance(_ left: DomainName, _ right: DomainName) -> Int {
        var shared = left
        while !right.isSubdomain(of: shared) {
            guard let parent = shared.parent else { break }
            shared = parent
        }
        return left.labelCount + right.labelCount - 2 * shared.labelCount
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func noNearerRuleIsLeftOut(seed: UInt64) throws {
        var generator = PolicyGenerator(seed: seed)
        let names = (0..<30).map { _ in generator.name(fewest: 2) }
        let fixture = try PolicyFixture([
            .init(format: .domains, text: names.joined(separator: "\n"))
        ])
        for _ in 0..<5 {
            let question = try DomainName(text: generator.name())
            let explanation = try fixture.explain(question.description)
            guard !explanation.isBlocked else { continue }
            let far = try Set(names).map { try DomainName(text: $0) }.filter { name in
                let own = question.description.split(separator: ".").reversed()
                let other = name.description.split(separator: ".").reversed()
                let shared = zip(own, other).prefix { $0 == $1 }
                let isInLine =
                    name.isSubdomain(of: question) || question.isSubdomain(of: name)
                let isSuffix =
                    shared.count == 2 && own.first?.count == 2
                    && (own.dropFirst().first?.count ?? 0) < 4
                return isInLine || shared.count >= 2 && !isSuffix
            }
            let expected = far.map { Self.distance(question, $0) }.sorted().prefix(5)
            let found = explanation.nearby.map { Self.distance(question, $0.rule.meaning.name) }
            #expect(found == Array(expected), "seed \(seed): \(question) of \(names)")
        }
    }

    @Test func rulesThatBlockNothingAreNotNear() throws {
        let fixture = try PolicyFixture([
            .init(
                format: .adblock,
                text: "@@||a.b.example^\n||c.b.example^$badfilter\n||d.b.example^\n! e.b.example")
        ])
        let nearby = try fixture.explain("x.b.example").nearby
        #expect(nearby.map(\.rule.meaning.name.description) == ["d.b.example"])
        #expect(nearby.map(\.relation) == [.beside(2)])
    }
}

/// Where an answer leads is judged as the resolver judges it.
@Suite struct AliasChainTests {
    private func chain(_ text: String, _ name: String, _ targets: String...) throws -> AliasChain {
        let fixture = try PolicyFixture([.init(format: .adblock, text: text)])
        return AliasChain(
            question: Question(name: try DomainName(text: name), type: 1, occasion: .nobody),
            targets: try targets.map { try DomainName(text: $0) }, snapshot: fixture.snapshot)
    }

    @Test func theFirstBlockedTargetBlocks() throws {
        let chain = try chain(
            "||b.example^\n||c.example^", "a.example", "X.example", "b.example", "c.example",
            "b.example")
        #expect(chain.isBlocking && chain.blocked == 1)
        #expect(chain.targets.map(\.name.description) == ["x.example", "b.example", "c.example"])
    }

    @Test func anImportantBlockComesBeforeAnEarlierPlainOne() throws {
        let text = "||b.example^\n||c.example^$important"
        #expect(try chain(text, "a.example", "b.example", "c.example").blocked == 1)
        #expect(try chain(text, "a.example", "c.example", "b.example").blocked == 0)
    }

    @Test func anAllowRuleOnTheNameExemptsAllButImportantBlocks() throws {
        let plain = try chain("||b.example^\n@@||a.example^", "a.example", "b.example")
        #expect(!plain.isBlocking && plain.blocked == 0)
        let important = "||b.example^$important\n"
        #expect(try chain(important + "@@||a.example^", "a.example", "b.example").isBlocking)
        #expect(
            try !chain(important + "@@||a.example^$important", "a.example", "b.example").isBlocking)
    }

    @Test func anAllowedTargetPasses() throws {
        let chain = try chain("||example^\n@@||b.example^", "a.test", "b.example")
        #expect(!chain.isBlocking && chain.blocked == nil && chain.exemption == nil)
    }
}
