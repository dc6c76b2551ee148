import DomainNames
import FilterIndex
import FilterLists
import Testing
import WireFixtures

@testable import ListImpact

@Suite struct CandidateWalkTests {
    private func walk(
        _ policy: [ListFixture], _ candidate: ListFixture, names: [String] = []
    ) throws -> CandidateWalk {
        let decision = JointDecision(
            current: policy.isEmpty ? nil : try ListFixture.compile(policy),
            candidate: try ListFixture.compile([candidate]))
        return candidate.walk(decision, names: try names.map { try DomainName(text: $0) })
    }

    @Test func everyNameIsCountedOnceInItsKind() throws {
        let tally = try walk(
            [
                .init(format: .domains, text: "exact.example\nalso.example"),
                .init(format: .adblock, text: "||wide.example^\n@@||free.example^"),
            ],
            .init(
                format: .adblock,
                text: """
                    ! twelve lines
                    ||exact.example^
                    |also.example^
                    ||x.wide.example^
                    ||*.wide.example^
                    ||new.example^
                    ||*.below.example^
                    ||free.example^
                    ||free.example^$important
                    ||own.example^
                    @@||own.example^
                    ||off.example^$badfilter
                    """)
        ).tally
        #expect(tally.names == 9)
        #expect(tally.blockedBy == [0: 2, 1: 2] && tally.widened == 1)
        #expect(tally.allowedBy == [:] && tally.exempt == 1)
        // The important rule on free.example makes both of its lines block.
        #expect(tally.new == 4)
        #expect(
            tally.examples.map(\.description) == [
                "new.example", "below.example", "free.example",
            ])
    }

    @Test func anAllowRuleOfThePolicyKeepsNamesReachable() throws {
        let tally = try walk(
            [
                .init(format: .domains, text: "other.example"),
                .init(format: .adblock, text: "@@||free.example^"),
            ], .init(format: .domains, text: "a.free.example\nfree.example\nnew.example")
        ).tally
        #expect(tally.allowedBy == [1: 2] && tally.new == 1)
    }

    /// The kinds add up, and each name's kind is that of a compilation of both.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func theKindsAddUp(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let policy = (0..<generator.number(1..<4)).map { _ in generator.list() }
        var candidate = generator.list()
        candidate.format = .domains
        candidate.text = (0..<generator.number(0..<30)).map { _ in generator.fewName() }
            .joined(separator: "\n")
        let tally = try walk(policy, candidate).tally
        let current = try ListFixture.compile(policy)
        let joint = try ListFixture.compile(policy + [candidate])
        var scratch = MatchScratch()
        var expected = CandidateWalk.Tally()
        for line in candidate.text.split(separator: "\n") {
            let name = CanonicalName(try DomainName(text: String(line)))
            expected.names += 1
            let isBlocked =
                if case .blocked = joint.match(name, type: 1, on: .nobody, into: &scratch) {
                    true
                } else {
                    false
                }
            if case .blocked(let rule, _, _) = current.match(
                name, type: 1, on: .nobody, into: &scratch)
            {
                expected.blockedBy[Int(rule.list), default: 0] += 1
            } else if isBlocked {
                expected.new += 1
            } else {
                expected.allowedBy[-1, default: 0] += 1
            }
        }
        #expect(tally.names == expected.names && tally.new == expected.new, "seed \(seed)")
        #expect(tally.blockedBy == expected.blockedBy, "seed \(seed)")
        #expect(tally.allowed == expected.allowed && tally.exempt == 0, "seed \(seed)")
    }

    @Test func theFirstLineThatSpeaksOfANameIsFound() throws {
        let lines = try walk(
            [],
            .init(
                format: .adblock,
                text: """
                    ! a line
                    ||example^$denyallow=x.a.example
                    ||*.b.a.example^
                    ||a.example^
                      ||x.a.example^  
                    """), names: ["X.a.example", "b.a.example", "y.b.a.example", "c.test"]
        ).lines
        func line(_ name: String) throws -> CandidateWalk.Line? {
            lines[try DomainName(text: name)]
        }
        #expect(try line("x.a.example") == .init(number: 4, text: "||a.example^"))
        #expect(try line("b.a.example")?.number == 2)
        #expect(try line("y.b.a.example")?.number == 2)
        #expect(try line("c.test") == nil)
    }

    @Test func aNameTooLongForAStarBelowItIsLeftOut() throws {
        let label = String(repeating: "a", count: 63)
        let long = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        let tally = try walk([], .init(format: .adblock, text: "||*.\(long)^\n||\(long)^")).tally
        #expect(tally.names == 1 && tally.new == 1)
    }
}
