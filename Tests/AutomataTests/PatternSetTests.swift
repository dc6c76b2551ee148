import Automata
import Testing
import WireFixtures

/// Automata and their tables find what a slow search finds, and stay within their bounds.
@Suite struct PatternSetTests {
    private static let alphabet = Array("ab.".utf8)

    private static func octets(_ generator: inout SeededGenerator) -> OctetSet {
        if generator.chance(15) { return .all }
        var set = OctetSet(alphabet.randomElement(using: &generator) ?? 0)
        if generator.chance(20) {
            set.insert(alphabet.randomElement(using: &generator) ?? 0)
        }
        return generator.chance(10) ? set.complement : set
    }

    private static func randomTree(_ generator: inout SeededGenerator, depth: Int = 3) -> SyntaxTree
    {
        let kind = depth == 0 ? generator.number(0..<5) : generator.number(0..<12)
        switch kind {
        case 0...3: return .octet(octets(&generator))
        case 4: return generator.chance(30) ? .empty : .anchor(generator.chance(50) ? .start : .end)
        case 5...8:
            let count = generator.number(1..<4)
            return .sequence((0..<count).map { _ in randomTree(&generator, depth: depth - 1) })
        case 9:
            let count = generator.number(1..<4)
            return .alternation((0..<count).map { _ in randomTree(&generator, depth: depth - 1) })
        default:
            let least = generator.number(0..<3)
            let most = generator.chance(50) ? nil : least + generator.number(0..<3)
            return .repetition(randomTree(&generator, depth: depth - 1), least: least, most: most)
        }
    }

    private static func texts(_ generator: inout SeededGenerator) -> [[UInt8]] {
        [[]]
            + (0..<24).map { _ in
                (0..<generator.number(1..<9)).map { _ in
                    generator.chance(95) ? alphabet[generator.number(0..<3)] : 0xFF
                }
            }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func automataFindWhatASlowSearchFinds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let trees = (0..<generator.number(1..<7)).map { _ in Self.randomTree(&generator) }
        let texts = Self.texts(&generator)
        for direction in [PatternSet.Direction.forward, .backward] {
            let set = PatternSet(trees, direction: direction)
            #expect(set.rejected.isEmpty, "seed \(seed)")
            let tables = set.tables
            for text in texts {
                let expected = Set(
                    trees.indices.filter { BacktrackingMatcher.finds(trees[$0], in: text) })
                let place = "seed \(seed), \(direction), \(String(decoding: text, as: UTF8.self))"
                #expect(set.finds(in: text) == expected, "\(place)")
                var found: Set<Int> = []
                for table in tables { found.formUnion(finds(table, in: text) ?? [-1]) }
                #expect(found == expected, "\(place)")
                let any = tables.contains { findsAny($0, in: text) == true }
                #expect(any == !expected.isEmpty, "\(place)")
            }
        }
        for (number, tree) in trees.enumerated() {
            var matcher = PatternMatcher(tree)
            for text in texts {
                let expected = BacktrackingMatcher.finds(tree, in: text)
                #expect(matcher.matches(text.span) == expected, "seed \(seed), tree \(number)")
            }
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func whatGoesOnMayMatchUnlessItCannot(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let trees = (0..<3).map { _ in Self.randomTree(&generator, depth: 2) }
        let texts = Self.texts(&generator)
        for table in PatternSet(trees, direction: .backward).tables {
            for text in texts where text.count < 5 {
                // Read from the end: `text` is what the whole name ends with.
                let isPossible = mayFind(table, after: text)
                for longer in texts {
                    let name = longer + [UInt8(ascii: ".")] + text
                    let isFound = findsAny(table, in: name) == true
                    #expect(isPossible || !isFound, "seed \(seed)")
                }
            }
        }
    }

    private func mayFind(_ table: [UInt8], after text: [UInt8]) -> Bool {
        guard let view = AutomatonTable(table.span) else { return false }
        return view.mayFind(after: text.span, UInt8(ascii: "."))
    }

    @Test func equalPatternsGiveEqualTables() throws {
        let trees = try ["ads\\d+", "^a.*b.*c$", "(x|y)z{2,5}", "[a-f]+\\.com$"].map {
            try tree($0)
        }
        let first = PatternSet(trees, direction: .backward).tables
        #expect(first == PatternSet(trees, direction: .backward).tables)
        #expect(!first.isEmpty && first.count <= 3)
    }

    @Test func minimisationLeavesNoEqualStates() throws {
        // Every alternative ends alike: one chain serves them all.
        let set = PatternSet([try tree("^(?:aaxyz|bbxyz|ccxyz|ddxyz)$")], direction: .forward)
        // Dead, start, a b c d apart, then the tails x y z and the end in common.
        #expect(set.automata.count == 1 && set.automata[0].stateCount == 10)
    }

    @Test func aPatternThatGrowsWithoutBoundIsRejected() throws {
        // The 18th octet from the end: 2^18 states when read forward, 18 when read backward.
        let tree = try AutomataTests.tree("a[ab]{17}$")
        #expect(PatternSet([tree], direction: .forward).rejected == [0])
        let backward = PatternSet([tree], direction: .backward)
        #expect(backward.rejected.isEmpty && backward.automata[0].stateCount < 30)
    }

    @Test func patternsThatMultiplyAreSpreadAndTheRestIsRejected() throws {
        // Each pair seen or not: n of them are 2^n states in one automaton.
        let few = try (0..<40).map { try tree("x\($0)y.*z\($0)w") }
        let set = PatternSet(few, direction: .backward)
        #expect(set.rejected.isEmpty)
        #expect(set.automata.count > 1 && set.automata.count <= PatternSet.automatonLimit)
        for number in [0, 17, 23] {
            let text = Array("a.x\(number)y.b.z\(number)w.c".utf8)
            #expect(set.finds(in: text).contains(number))
            #expect(!set.finds(in: Array("a.z\(number)w.x\(number)y".utf8)).contains(number))
        }
        let many = try (0..<250).map { try tree("x\($0)y.*z\($0)w") }
        let full = PatternSet(many, direction: .backward)
        #expect(full.automata.count == PatternSet.automatonLimit && !full.rejected.isEmpty)
        #expect(full.kept.count + full.rejected.count == 250)
        for (number, place) in full.kept.enumerated().suffix(3) {
            #expect(full.finds(in: Array("x\(place)y-z\(place)w".utf8)).contains(number))
        }
    }

    @Test func tenThousandPatternsUnderDomainsStayLinear() throws {
        let trees = try (0..<10_000).map { try tree("(^|\\.)ads.*\\.name\($0)\\.com$") }
        let set = PatternSet(trees, direction: .backward)
        #expect(set.rejected.isEmpty && set.automata.count == 1)
        #expect(set.automata[0].stateCount < 150_000)
        let table = try #require(set.tables.first)
        #expect(table.count < 3_000_000)
        #expect(finds(table, in: Array("ads1.name77.com".utf8)) == [77])
        #expect(finds(table, in: Array("x.ads-b.c.name9999.com".utf8)) == [9999])
        #expect(finds(table, in: Array("bads.name77.com".utf8)) == [])
        #expect(finds(table, in: Array("ads1.name77.com.org".utf8)) == [])
    }
}
