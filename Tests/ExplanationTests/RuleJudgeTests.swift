import DomainNames
import FilterIndex
import FilterLists
import Quantities
import Testing

@testable import Explanation

/// The plain scan of the lists' text and the compiled snapshot decide alike.
@Suite struct RuleJudgeTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func theScanEqualsTheSnapshot(seed: UInt64) throws {
        var generator = PolicyGenerator(seed: seed)
        let fixture = try PolicyFixture(generator.policy())
        for _ in 0..<25 {
            let name = try DomainName(text: generator.name())
            for type: UInt16 in [1, 28, 16] {
                let client = generator.client().flatMap { IPAddress(text: $0) }
                let question = Question(
                    name: name, type: type, occasion: Occasion(client: client, seconds: 0))
                let judge = RuleJudge(fixture.findings(question))
                let verdict = fixture.verdict(question)
                #expect(
                    NameExplanation.agrees(verdict, with: judge),
                    """
                    seed \(seed): \(name) type \(type): snapshot \(verdict), scan \
                    \(judge.verdict) of lists \(judge.namedLists)
                    """)
                let answer = fixture.rewriteAnswer(question)
                if case .rewritten = verdict {
                    #expect(
                        answer.map(judge.admits) == true,
                        "seed \(seed): \(name): \(answer), not \(judge.rewriteAnswers)")
                }
            }
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func everyBlockedNameHasADecidingRuleAndIsUnblockedByTheHint(seed: UInt64) throws {
        var generator = PolicyGenerator(seed: seed)
        let lists = generator.policy()
        let fixture = try PolicyFixture(lists)
        for _ in 0..<6 {
            let name = generator.name()
            let client = generator.client().flatMap { IPAddress(text: $0) }
            let explanation = try fixture.explain(name, client: client)
            #expect(explanation.isComplete, "seed \(seed): \(name)")
            #expect((explanation.decidingList != nil) == explanation.hasDecidingRule)
            if let rule = explanation.decidingRule {
                #expect(rule.fate == .applies && rule.list == explanation.decidingList)
            }
            guard let hint = explanation.unblockingRule else {
                #expect(!explanation.isBlocked)
                continue
            }
            let more = PolicyFixture.List(format: .adblock, text: hint)
            let unblocked = try PolicyFixture(lists + [more]).explain(name, client: client)
            #expect(!unblocked.isBlocked, "seed \(seed): \(name) with \(hint)")
        }
    }

    @Test func theDecidingRuleHasItsListLineAndText() throws {
        let fixture = try PolicyFixture([
            .init(format: .domains, text: "# names\nother.example\nads.example.com\n"),
            .init(
                format: .adblock,
                text: "! rules\n\n  ||Example.com^  \n@@||example.com^$badfilter"),
        ])
        let explanation = try fixture.explain("ADS.example.com")
        let rule = try #require(explanation.decidingRule)
        #expect(rule.list == 1 && rule.line == 3 && rule.text == "||Example.com^")
        #expect(rule.meaning.scope == .subtree)
        #expect(explanation.rules.map(\.line) == [3, 3, 4])
        #expect(explanation.rules.map(\.fate) == [.applies, .applies, .disables])
        #expect(explanation.unblockingRule == "@@|ads.example.com^")
    }

    @Test func rulesThatDoNotCountSayWhy() throws {
        let fixture = try PolicyFixture([
            .init(
                format: .adblock,
                text: """
                    ||a.example^$dnstype=AAAA
                    ||a.example^$denyallow=x.a.example
                    ||a.example^$client=192.168.1.2
                    ||a.example^$important
                    ||a.example^$important,badfilter
                    ||a.example^$dnsrewrite=192.0.2.1
                    """),
            .init(
                format: .dnsmasq,
                text: "address=/example/\nserver=/a.example/#\naddress=/b.a.example/"),
        ])
        let explanation = try fixture.explain("x.a.example")
        #expect(!explanation.isBlocked && explanation.isComplete)
        #expect(explanation.verdict == .rewritten(RuleReference(list: 0), isImportant: false))
        #expect(explanation.decidingRule?.line == 6)
        var fates: [String: FoundRule.Fate] = [:]
        for rule in explanation.rules { fates["\(rule.list):\(rule.line)"] = rule.fate }
        #expect(fates["0:1"] == .otherType)
        #expect(fates["0:2"] == .excepted(try DomainName(text: "x.a.example")))
        #expect(fates["0:3"] == .otherClient)
        #expect(fates["0:4"] == .disabled)
        #expect(fates["0:5"] == .disables)
        #expect(fates["0:6"] == .applies)
        #expect(fates["1:1"] == .outrankedInList(line: 2))
        #expect(fates["1:2"] == .narrowsItsList)
        #expect(fates["1:3"] == nil)
    }

    @Test func aListThatCannotBeReadIsSaid() throws {
        let fixture = try PolicyFixture([.init(format: .domains, text: "ads.example")])
        let question = Question(
            name: try DomainName(text: "ads.example"), type: 1,
            occasion: Occasion(client: nil, seconds: 0))
        let explanation = NameExplanation(
            question: question, verdict: fixture.verdict(question), findings: [nil])
        #expect(explanation.isBlocked && !explanation.isComplete)
        #expect(explanation.decidingRule == nil && explanation.decidingList == 0)
    }

    @Test func aRuleForSingleClientsCountsForThemOnly() throws {
        let fixture = try PolicyFixture([
            .init(format: .adblock, text: "||a.example^$client=10.0.0.0/8|~10.0.0.9")
        ])
        let inside = try fixture.explain("a.example", client: IPAddress(text: "::ffff:10.0.0.1"))
        #expect(inside.isBlocked && inside.decidingRule?.line == 1)
        for client in ["10.0.0.9", "11.0.0.1", "::1"] {
            let outside = try fixture.explain("a.example", client: IPAddress(text: client))
            #expect(!outside.isBlocked && outside.isComplete, "\(client)")
            #expect(outside.rules.map(\.fate) == [.otherClient], "\(client)")
        }
    }
}

extension RuleJudge {
    /// Whether the rules found may be answered so.
    fileprivate func admits(_ answer: RewriteAnswer) -> Bool {
        let aliases = rewriteAnswers.filter { if case .alias = $0 { true } else { false } }
        let codes = rewriteAnswers.filter { if case .rcode = $0 { true } else { false } }
        if !aliases.isEmpty { return aliases.contains(answer) }
        if !codes.isEmpty { return codes.contains(answer) }
        guard case .records(let records) = answer else { return false }
        let expected = rewriteAnswers.flatMap { other -> [RewriteRecord] in
            if case .records(let records) = other { records } else { [] }
        }
        return Set(records) == Set(expected)
    }
}
