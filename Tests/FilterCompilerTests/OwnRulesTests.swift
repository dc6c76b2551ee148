import DomainNames
import FilterCompiler
import FilterIndex
import Testing
import WireFixtures

/// The file of own rules, and what the snapshot made from it decides.
@Suite struct OwnRulesTests {
    private func rules(_ text: String) -> OwnRules { OwnRules(Array(text.utf8)) }

    private func text(_ rules: OwnRules) -> String { String(decoding: rules.octets, as: UTF8.self) }

    private func name(_ text: String) throws -> DomainName { try DomainName(text: text) }

    private func snapshot(_ text: String, policy: String = "default", at now: Int64 = 0) throws
        -> Snapshot
    {
        try SnapshotFixture.open(
            try #require(try rules(text).image(policy: policy, at: now)))
    }

    /// `+` allowed, `-` blocked, `.` nothing said.
    private func verdicts(
        _ snapshot: Snapshot, _ names: [String], at now: Int64 = 0
    ) throws -> String {
        var scratch = MatchScratch()
        return try names.map { text in
            let verdict = snapshot.ownVerdict(
                CanonicalName(try name(text)), type: 1, on: Occasion(client: nil, seconds: now),
                into: &scratch)
            switch verdict {
            case .none: return "."
            case .allowed(let rule, _): return rule == .own ? "+" : "?"
            case .blocked(let rule, _, _): return rule == .own ? "-" : "?"
            case .rewritten: return "?"
            }
        }.joined()
    }

    @Test func linesAreReadAndWritten() throws {
        let lines = [
            "block a.example", "allow a.example subtree", "block x policy kids",
            "allow b\\032c.example until 1764560000", "block . subtree policy p until 5",
        ]
        for line in lines { #expect(try OwnRule(line: line).line == line) }
        let loose = try OwnRule(line: "\tblock  A.Example. until 7\tsubtree")
        #expect(
            loose
                == OwnRule(
                    isAllow: false, name: try name("a.example"), includesSubtree: true, until: 7))
    }

    @Test func linesThatAreNoRulesSayWhy() throws {
        let cases: [(String, OwnRule.Fault)] = [
            ("deny a.example", .unknownAction("deny")), ("block", .badName("")),
            ("block a..b", .badName("a..b")), ("block a b", .unexpected("b")),
            ("block a subtree subtree", .unexpected("subtree")),
            ("block a policy", .incomplete("policy")),
            ("block a until", .incomplete("until")), ("block a until 0", .unexpected("0")),
            ("block a until 99999999999", .unexpected("99999999999")),
        ]
        for (line, fault) in cases {
            #expect(throws: fault) { try OwnRule(line: line) }
        }
    }

    @Test func whatIsNotUnderstoodStaysAsItIs() throws {
        let before = "# mine\n\nblok a.example\nblock b.example\n\u{FFFD}"
        var rules = OwnRules(Array(before.utf8.dropLast(3)) + [0xFF, 0x00, 0x0A])
        #expect(rules.malformed.map(\.line) == [3, 5])
        try rules.put(OwnRule(isAllow: true, name: try name("B.example.")))
        let octets = Array("# mine\n\nblok a.example\n".utf8) + [0xFF, 0x00, 0x0A]
        #expect(rules.octets == octets + Array("allow b.example\n".utf8))
        #expect(OwnRules(rules.octets) == rules)
    }

    @Test func aLaterRuleReplacesTheFormerOne() throws {
        var own = rules("block a.example\nblock a.example policy kids\n")
        let former = try own.put(
            OwnRule(isAllow: true, name: try name("a.example"), includesSubtree: true))
        #expect(former?.line == "block a.example")
        #expect(text(own) == "block a.example policy kids\nallow a.example subtree\n")
        #expect(own.remove(try name("a.example"), policy: "kids")?.isAllow == false)
        #expect(own.remove(try name("a.example"), policy: "kids") == nil)
        #expect(text(own) == "allow a.example subtree\n")
        // By hand both may stand there: the last one counts.
        let twice = rules("allow b.example\nblock b.example\n")
        #expect(twice.rules.map(\.line) == [2])
        #expect(
            try verdicts(try snapshot("allow b.example\nblock b.example\n"), ["b.example"]) == "-")
    }

    @Test func rulesThatEndedAreTakenOut() throws {
        var own = rules("block a until 10\nblock b until 11\nblock c\n")
        own.dropEnded(at: 10)
        #expect(text(own) == "block b until 11\nblock c\n")
        #expect(try rules("block a until 10\n").image(policy: "default", at: 10) == nil)
        #expect(try rules("block a\n").image(policy: "kids", at: 0) == nil)
    }

    @Test func thereAreNoMoreRulesThanTheLimit() throws {
        let many = (0...OwnRules.ruleLimit).map { "block n\($0).example\n" }.joined()
        var own = rules(many)
        #expect(own.rules.count == OwnRules.ruleLimit)
        #expect(own.malformed.map(\.fault) == [.tooMany(limit: OwnRules.ruleLimit)])
        let extra = OwnRule(isAllow: true, name: try name("extra.example"))
        #expect(throws: OwnRule.Fault.tooMany(limit: OwnRules.ruleLimit)) { try own.put(extra) }
        #expect(text(own) == many)
        try own.put(OwnRule(isAllow: true, name: try name("n7.example")))
        #expect(own.rules.count == OwnRules.ruleLimit)
    }

    @Test func theLongestNameDecides() throws {
        let snapshot = try snapshot(
            """
            block example subtree
            allow a.example subtree
            block b.a.example
            block c.a.example subtree
            allow d.c.a.example
            allow e

            """)
        let names = [
            "example", "x.example", "a.example", "x.a.example", "b.a.example", "x.b.a.example",
            "c.a.example", "y.c.a.example", "d.c.a.example", "x.d.c.a.example", "e", "x.e", "other",
        ]
        #expect(try verdicts(snapshot, names) == "--++-+--+-+..")
        #expect(snapshot.lastOwnEnd == 0)
    }

    @Test func aRuleEndsToTheSecond() throws {
        let snapshot = try snapshot("allow a until 100\nblock a.b until 90\nblock b subtree\n")
        #expect(try verdicts(snapshot, ["a", "a.b", "b"], at: 89) == "+--")
        #expect(try verdicts(snapshot, ["a", "a.b", "b"], at: 99) == "+--")
        #expect(try verdicts(snapshot, ["a", "b"], at: 100) == ".-")
        #expect(snapshot.lastOwnEnd == 100)
    }

    @Test func wholeSubtreesAreToldCautiously() throws {
        let snapshot = try snapshot(
            """
            block a subtree
            block b subtree
            allow x.b
            block c
            allow d subtree
            block e.d subtree
            block f subtree
            allow x.f until 50
            """)
        func blocksAll(_ text: String, at now: Int64 = 0) throws -> Bool? {
            snapshot.ownRulesBlockWholeSubtree(
                of: CanonicalName(try name(text)), on: Occasion(client: nil, seconds: now))
        }
        #expect(try blocksAll("a") == true && blocksAll("x.a") == true)
        #expect(try blocksAll("b") == false && blocksAll("y.b") == true)
        #expect(try blocksAll("c") == nil && blocksAll("d") == false && blocksAll("e.d") == true)
        #expect(try blocksAll("f") == false && blocksAll("f", at: 50) == true)
    }

    /// The snapshot decides as the longest rule of a plain scan does.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func theSnapshotEqualsAScan(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let labels = ["a", "b", "ab"]
        func draw() throws -> DomainName {
            let count = Int.random(in: 1...4, using: &random)
            return try name(
                (0..<count).map { _ in labels.randomElement(using: &random) ?? "" }.joined(
                    separator: "."))
        }
        var own = rules("")
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            try own.put(
                OwnRule(
                    isAllow: Bool.random(using: &random), name: try draw(),
                    includesSubtree: Bool.random(using: &random),
                    until: Bool.random(using: &random)
                        ? Int64.random(in: 1...4, using: &random) : nil))
        }
        let snapshot = try snapshot(text(own))
        var scratch = MatchScratch()
        for _ in 0..<60 {
            let asked = try draw()
            let now = Int64.random(in: 0...4, using: &random)
            let found = snapshot.ownVerdict(
                CanonicalName(asked), type: 1, on: Occasion(client: nil, seconds: now),
                into: &scratch)
            let expected = own.matching(asked, policy: "default", at: now).first?.rule
            let isAllowed: Bool? =
                switch found {
                case .none: nil
                case .allowed: true
                case .blocked, .rewritten: false
                }
            #expect(
                isAllowed == expected?.isAllow, "seed \(seed), \(asked) at \(now): \(text(own))")
        }
    }
}
