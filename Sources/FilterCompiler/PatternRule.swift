import Automata
import FilterIndex
import FilterLists

/// One rule on a pattern, with all that the filter can decide by.
struct PatternRule {
    /// What rules are compared by: equal ones say the same.
    struct Meaning: Hashable {
        /// The pattern as it is written, its language and anchors in front.
        let text: [UInt8]
        /// All else; its key is empty, its scope everything.
        var rule: PolicyRule

        /// The same as if list 0 had it.
        var withoutList: Meaning { Meaning(text: text, rule: rule.withoutList) }
    }

    /// What it says.
    let meaning: Meaning
    /// The pattern.
    let tree: SyntaxTree
    /// The line that it stands in.
    let line: Int
    /// Whether the line says nothing else.
    let isWholeLine: Bool
}

/// The rules on patterns of a policy, gathered list by list.
///
/// They stay values: a policy has few of them, and no more than the limits say.
struct GatheredPatterns {
    /// Most rules on patterns of one policy.
    static let ruleLimit = 100_000
    /// Most octets of patterns of one policy.
    static let textLimit = 1 << 20
    /// Most parts of all patterns of one policy, counts written out.
    static let sizeLimit = 1 << 21

    /// A rule that a policy has no room for, or that no automaton takes.
    struct Refusal {
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
            if disabled.count < Self.ruleLimit { disabled.insert(meaning.withoutList) }
            return
        }
        guard !seen.contains(meaning) else { return }
        let parts = pattern.tree.size(limit: Self.sizeLimit)
        guard rules.count < Self.ruleLimit, textSize + text.count <= Self.textLimit,
            size + parts <= Self.sizeLimit
        else {
            return refusals.append(
                Refusal(
                    list: rule.list, line: line, isWholeLine: reading.names.isEmpty,
                    isAllow: rule.isAllow, reason: .tooManyPatterns))
        }
        textSize += text.count
        size += parts
        seen.insert(meaning)
        rules.append(
            PatternRule(
                meaning: meaning, tree: pattern.tree, line: line,
                isWholeLine: reading.names.isEmpty))
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
