import Automata
import FilterIndex
import FilterLists

/// Writes the section that `PatternRules` reads.
///
/// Patterns are numbered in the order of their texts, so that the order of lines says nothing.
struct PatternRulesBuilder: Sendable {
    /// The rules that are not in the section, and why.
    private(set) var refusals: [GatheredPatterns.Refusal] = []
    /// Patterns of both kinds.
    private(set) var patternCount = 0
    /// The octets of the section; none without patterns.
    private(set) var section: [UInt8] = []
    /// The last list with a pattern, which is named when the section is too much.
    private(set) var lastList: UInt16 = 0

    /// One pattern and its rules.
    private struct Group {
        let tree: SyntaxTree
        var rules: [PatternRule]
    }

    /// No patterns.
    init() {}

    /// Builds the automata of a policy's patterns.
    /// - Complexity: O(octets of patterns), and the states that they multiply to within their
    ///   limits.
    /// - Throws: `.tooMuchText`.
    init(
        _ patterns: GatheredPatterns, listsWithBadFilter: Set<UInt16>
    ) throws(CompilationError) {
        refusals = patterns.refusals
        let enabled = patterns.enabled(listsWithBadFilter: listsWithBadFilter)
        var rules: [PolicyRule] = []
        let blockTables = build(enabled.filter { !$0.meaning.rule.isAllow }, into: &rules)
        let blockCount = patternCount
        let allowTables = build(enabled.filter(\.meaning.rule.isAllow), into: &rules)
        lastList = rules.map(\.list).max() ?? 0
        section = try PatternRulesBuilder.section(
            of: rules, blockTables: blockTables, allowTables: allowTables, blockCount: blockCount)
    }

    /// Numbers the patterns of one kind, adds their rules and makes their automata.
    private mutating func build(
        _ rules: [PatternRule], into numberedRules: inout [PolicyRule]
    ) -> [[UInt8]] {
        var byText: [[UInt8]: Group] = [:]
        for rule in rules {
            byText[rule.meaning.text, default: Group(tree: rule.tree, rules: [])].rules.append(rule)
        }
        let groups = byText.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        let set = PatternSet(groups.map(\.tree), direction: .backward)
        for place in set.rejected {
            for rule in groups[place].rules {
                refusals.append(
                    .init(
                        list: rule.meaning.rule.list, line: rule.line,
                        isWholeLine: rule.isWholeLine, isAllow: rule.meaning.rule.isAllow,
                        reason: .patternTooComplex))
            }
        }
        let first = patternCount
        for place in set.kept {
            for rule in groups[place].rules {
                var numbered = rule.meaning.rule
                numbered.key = PatternRulesBuilder.key(ofPattern: patternCount)
                numberedRules.append(numbered)
            }
            patternCount += 1
        }
        return set.automata.map { automaton in
            var octets: [UInt8] = []
            AutomatonTableBuilder(automaton, direction: .backward, firstPattern: first)
                .append(to: &octets)
            return octets
        }
    }

    /// The number of a pattern, most significant octet first, so that groups ascend by it.
    private static func key(ofPattern number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func section(
        of rules: [PolicyRule], blockTables: [[UInt8]], allowTables: [[UInt8]], blockCount: Int
    ) throws(CompilationError) -> [UInt8] {
        guard !rules.isEmpty else { return [] }
        let groups = ConditionalRulesBuilder(rules)
        var groupOctets = SnapshotOutput(file: nil)
        try groups.append(to: &groupOctets)
        let tables = blockTables + allowTables
        var octets: [UInt8] = []
        octets.reserveCapacity(
            PatternRules.headerSize + groupOctets.size + tables.reduce(0) { $0 + 4 + $1.count })
        octets.append(littleEndian: UInt32(groups.nameCount))
        octets.append(littleEndian: UInt32(blockCount))
        octets.append(littleEndian: UInt32(groupOctets.size))
        octets.append(littleEndian: UInt16(blockTables.count))
        octets.append(littleEndian: UInt16(allowTables.count))
        for table in tables { octets.append(littleEndian: UInt32(table.count)) }
        octets.append(contentsOf: groupOctets.octets)
        for table in tables { octets.append(contentsOf: table) }
        return octets
    }
}
