import Automata
import FilterIndex
import FilterLists

/// One rule on a pattern, with all that the filter can decide by.
struct PatternRule: Sendable {
    /// What rules are compared by: equal ones say the same.
    struct Meaning: Hashable, Sendable {
        /// The pattern as it is written, its language and anchors in front.
        let text: [UInt8]
        /// All else; its key is empty, its scope everything.
        var rule: PolicyRule

        /// The same as if list 0 had it.
        var withoutList: Meaning { Meaning(text: text, rule: rule.withoutList) }

        /// Octets of memory that it takes, blocks of its arrays included.
        var memorySize: Int { rule.memorySize + MemoryLayout<[UInt8]>.stride + 48 + text.count }
    }

    /// What it says.
    let meaning: Meaning
    /// The pattern.
    let tree: SyntaxTree
    /// The line that it stands in.
    let line: Int
    /// Whether the line says nothing else.
    let isWholeLine: Bool

    /// Octets of memory that it takes, its entry among those seen included.
    var memorySize: Int {
        meaning.memorySize + 2 * MemoryLayout<Meaning>.stride + MemoryLayout<PatternRule>.stride
            + tree.memorySize
    }
}

/// The rules on patterns of a policy, gathered list by list.
///
/// They stay values: a policy has few of them, and no more than the limits say.
struct GatheredPatterns: Sendable {
    /// Most rules on patterns of one policy.
    static let ruleLimit = 100_000
    /// Most octets of patterns of one policy.
    static let textLimit = 1 << 20
    /// Most parts of all patterns of one policy, counts written out.
    static let sizeLimit = 1 << 21

    /// A rule that a policy has no room for, or that no automaton takes.
    struct Refusal: Sendable {
        /// The list, by its place in the policy.
        let list: UInt16
        /// The line in it.
        let line: Int
        /// Whether the line says nothing else.
        let isWholeLine: Bool
        /// Whether the rule allows.
        let isAllow: Bool
        /// Why it is left out.
        let reason: LineReason
    }

    /// The rules that there is room for, in the order of lines.
    private(set) var rules: [PatternRule] = []
    /// The rules that there was no room for.
    private(set) var refusals: [Refusal] = []
    private var disabled: Set<PatternRule.Meaning> = []
    private var seen: Set<PatternRule.Meaning> = []
    private var textSize = 0
    private var size = 0
    /// Octets of memory that all of it takes.
    private(set) var memorySize = 0

    /// Whether there is neither a rule nor a refusal.
    var isEmpty: Bool { rules.isEmpty && refusals.isEmpty }

    /// Adds the rule of a line, or what its `$badfilter` disables.
    /// - Parameter rule: the rule's conditions; its key and scope say nothing.
    mutating func add(
        _ pattern: HostPattern, of reading: borrowing LineReading, rule: PolicyRule, line: Int
    ) {
        var text = Array(reading.patternSyntax.rawValue.utf8.prefix(1))
        text.append(reading.patternAnchors.rawValue)
        text.append(contentsOf: reading.pattern)
        let meaning = PatternRule.Meaning(text: text, rule: rule)
        if reading.isBadFilter {
            if disabled.count < Self.ruleLimit, disabled.insert(meaning.withoutList).inserted {
                memorySize += meaning.memorySize
            }
            return
        }
        guard !seen.contains(meaning) else { return }
        let parts = pattern.tree.size(limit: Self.sizeLimit)
        guard rules.count < Self.ruleLimit, textSize + text.count <= Self.textLimit,
            size + parts <= Self.sizeLimit
        else {
            memorySize += MemoryLayout<Refusal>.stride
            return refusals.append(
                Refusal(
                    list: rule.list, line: line, isWholeLine: reading.names.isEmpty,
                    isAllow: rule.isAllow, reason: .tooManyPatterns))
        }
        textSize += text.count
        size += parts
        seen.insert(meaning)
        let gathered = PatternRule(
            meaning: meaning, tree: pattern.tree, line: line, isWholeLine: reading.names.isEmpty)
        memorySize += gathered.memorySize
        rules.append(gathered)
    }

    /// The rules that no `$badfilter` of an adblock list disables.
    func enabled(listsWithBadFilter: Set<UInt16>) -> [PatternRule] {
        guard !disabled.isEmpty else { return rules }
        return rules.filter { rule in
            !listsWithBadFilter.contains(rule.meaning.rule.list)
                || !disabled.contains(rule.meaning.withoutList)
        }
    }
}
