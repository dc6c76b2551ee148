import Automata
import FilterIndex
import FilterLists

/// Writes the section that `PatternRules` reads.
///
/// Patterns are numbered in the order of their texts, so that the order of lines says nothing.
struct PatternRulesBuilder {
    /// The rules that are not in the section, and why.
    private(set) var refusals: [GatheredPatterns.Refusal]
    /// Patterns of block kind.
    private var blockCount = 0
    /// The rules of each pattern; their key is its number.
    private var rules: [PolicyRule] = []
    private var blockTables: [[UInt8]] = []
    private var allowTables: [[UInt8]] = []
    private var patternCount = 0

    /// One pattern and its rules.
    private struct Group {
        let tree: SyntaxTree
        var rules: [PatternRule]
    }

    /// Builds the automata of a policy's patterns.
    /// - Complexity: O(octets of patterns), and the states that they multiply to within their
    ///   limits.
    init(_ patterns: GatheredPatterns, listsWithBadFilter: Set<UInt16>) {
        refusals = patterns.refusals
        let enabled = patterns.enabled(listsWithBadFilter: listsWithBadFilter)
        blockTables = build(enabled.filter { !$0.meaning.rule.isAllow })
        blockCount = patternCount
        allowTables = build(enabled.filter(\.meaning.rule.isAllow))
    }

    /// Numbers the patterns of one kind, keeps their rules and makes their automata.
    private mutating func build(_ rules: [PatternRule]) -> [[UInt8]] {
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
                self.rules.append(numbered)
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

    /// Appends the section; nothing without patterns.
    func append(to image: inout [UInt8]) {
        guard patternCount > 0 else { return }
        var groups: [UInt8] = []
        ConditionalRulesBuilder(rules).append(to: &groups)
        image.append(littleEndian: UInt32(patternCount))
        image.append(littleEndian: UInt32(blockCount))
        image.append(littleEndian: UInt32(groups.count))
        image.append(littleEndian: UInt16(blockTables.count))
        image.append(littleEndian: UInt16(allowTables.count))
        for table in blockTables + allowTables {
            image.append(littleEndian: UInt32(table.count))
        }
        image.append(contentsOf: groups)
        for table in blockTables + allowTables { image.append(contentsOf: table) }
    }
}
