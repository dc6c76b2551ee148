import DomainNames
import FilterIndex

/// Decides by a plain scan of the rules found: the second truth beside `Snapshot.match`.
///
/// It shares no table, key or search with the snapshot. Important allow, important block, allow,
/// block; inside a tier the longest name, patterns after all names; an exact rule before wider
/// ones; the first list; the standard answer.
package struct RuleJudge: Sendable {
    /// The rules of all lists with their fates: those of the deciding tier first.
    package private(set) var rules: [FoundRule]
    /// The decision, which names the best rule's list.
    package let verdict: Verdict
    /// The lists that may be named for the decision: other rules of the tier say the same, and a
    /// snapshot keeps the widest only.
    package let namedLists: Set<Int>

    /// Judges what the lists of a policy say, given in the order of the manifest.
    package init(_ findings: [ListFindings]) {
        var disabled: Set<FoundRule.Meaning> = []
        for list in findings {
            for rule in list.rules where rule.fate == .disables { disabled.insert(rule.meaning) }
        }
        var rules: [FoundRule] = []
        for list in findings {
            var settled = list.isSettledBySpecificity ? RuleJudge.settled(list) : list.rules
            if list.heedsBadFilter {
                for index in settled.indices
                where !settled[index].isBadFilter && disabled.contains(settled[index].meaning) {
                    let isRule = settled[index].kind == .block || settled[index].kind == .allow
                    if isRule { settled[index].fate = .disabled }
                }
            }
            rules += settled
        }
        self.rules = rules.sorted(by: RuleJudge.isBefore)
        (verdict, namedLists) = RuleJudge.decide(self.rules)
    }

    /// Settles a list in which the more specific entry wins.
    ///
    /// A plain allow entry on a name that has a block of the list below it says no more than that
    /// this list's blocks on it, and on names above, do not reach the names that it covers. Without
    /// such a block it is an allow rule as any other.
    private static func settled(_ list: ListFindings) -> [FoundRule] {
        var rules = list.rules
        guard let longest = list.longestAboveBlock else { return rules }
        for index in rules.indices {
            let allow = rules[index]
            let labels = allow.meaning.rank
            guard allow.kind == .allow, !allow.isBadFilter, allow.isPlain,
                !allow.meaning.isImportant, allow.meaning.scope.includesBelow, labels <= longest
            else { continue }
            rules[index].fate = .narrowsItsList
            for other in rules.indices
            where rules[other].isBlocking && (0...labels).contains(rules[other].meaning.rank) {
                rules[other].fate = .outrankedInList(line: allow.line)
            }
        }
        return rules
    }

    private static func decide(_ sorted: [FoundRule]) -> (Verdict, Set<Int>) {
        let applying = sorted.filter { $0.fate == .applies }
        guard let best = applying.first, applying.contains(where: { $0.kind == .block }) else {
            return (.none, [])
        }
        let meaning = best.meaning
        let same = applying.filter {
            $0.tier == best.tier && (meaning.isAllow || $0.meaning.answer == meaning.answer)
        }
        let reference = RuleReference(list: UInt16(clamping: best.list))
        let verdict: Verdict =
            meaning.isAllow
            ? .allowed(reference, isImportant: meaning.isImportant)
            : .blocked(reference, answer: meaning.answer, isImportant: meaning.isImportant)
        return (verdict, Set(same.map(\.list)))
    }

    /// Rules that count before those that do not; then by precedence.
    private static func isBefore(_ left: FoundRule, _ right: FoundRule) -> Bool {
        let counts = (left.fate == .applies, right.fate == .applies)
        if counts.0 != counts.1 { return counts.0 }
        if left.tier != right.tier { return left.tier < right.tier }
        let labels = (left.meaning.rank, right.meaning.rank)
        if labels.0 != labels.1 { return labels.0 > labels.1 }
        let isExact = (left.meaning.scope == .exact, right.meaning.scope == .exact)
        if isExact.0 != isExact.1 { return isExact.0 }
        if left.list != right.list { return left.list < right.list }
        let answers = (left.meaning.answer.rawValue, right.meaning.answer.rawValue)
        if answers.0 != answers.1 { return answers.0 < answers.1 }
        return left.line < right.line
    }
}

extension FoundRule {
    /// Its place in the precedence of kinds: 0 decides first.
    fileprivate var tier: Int {
        switch (meaning.isAllow, meaning.isImportant) {
        case (true, true): 0
        case (false, true): 1
        case (true, false): 2
        case (false, false): 3
        }
    }
}
