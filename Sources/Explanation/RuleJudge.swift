import DomainNames
import FilterIndex

/// Decides by a plain scan of the rules found: the second truth beside `Snapshot.match`.
///
/// It shares no table, key or search with the snapshot. Important allow, important block, important
/// rewrite, allow, rewrite, block; inside a tier the longest name, patterns after all names; an
/// exact rule before wider ones; the first list; the standard answer.
package struct RuleJudge: Sendable {
    /// The rules of all lists with their fates: those of the deciding tier first.
    package private(set) var rules: [FoundRule]
    /// The decision, which names the best rule's list.
    package let verdict: Verdict
    /// The lists that may be named for the decision: other rules of the tier say the same, and a
    /// snapshot keeps the widest only.
    package let namedLists: Set<Int>
    /// What a rewritten name is answered with by the rules that decide: of an alias or a response
    /// code one of these, of records all.
    package let rewriteAnswers: [RewriteAnswer]

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
                    if settled[index].kind != .unsupported { settled[index].fate = .disabled }
                }
            }
            rules += settled
        }
        RuleJudge.exceptRewrites(in: &rules)
        self.rules = rules.sorted(by: RuleJudge.isBefore)
        (verdict, namedLists) = RuleJudge.decide(self.rules)
        rewriteAnswers = RuleJudge.rewriteAnswers(of: self.rules)
    }

    /// Takes out the rewrites to which there is an exception.
    private static func exceptRewrites(in rules: inout [FoundRule]) {
        let exceptions = rules.filter { $0.fate == .applies && $0.meaning.exceptsRewrites }
        for index in rules.indices
        where rules[index].kind == .rewrite && rules[index].fate == .applies {
            let meaning = rules[index].meaning
            if meaning.exceptsRewrites {
                rules[index].fate = .exceptsRewrites
            } else if exceptions.contains(where: {
                ($0.meaning.rewrite == nil || $0.meaning.rewrite == meaning.rewrite)
                    && ($0.meaning.isImportant || !meaning.isImportant)
            }) {
                rules[index].fate = .rewriteExcepted
            }
        }
    }

    /// The answers of the rewrites that decide, or none.
    private static func rewriteAnswers(of sorted: [FoundRule]) -> [RewriteAnswer] {
        guard let best = sorted.first, best.kind == .rewrite, best.fate == .applies else {
            return []
        }
        return sorted.compactMap { rule in
            let isDeciding =
                rule.fate == .applies && rule.tier == best.tier && rule.list == best.list
                && rule.meaning.name.labelCount == best.meaning.name.labelCount
                && (rule.meaning.scope == .exact) == (best.meaning.scope == .exact)
            return isDeciding ? rule.meaning.rewrite : nil
        }
    }

    /// Settles a list in which the more specific entry wins.
    ///
    /// A plain allow entry on a name that has a block of the list below it says no more than that
    /// this list's blocks on it, and on names above, do not reach the names that it covers. Without
    /// such a block or rewrite it is an allow rule as any other. A rewrite gives way to a block of
    /// the list on a longer name.
    private static func settled(_ list: ListFindings) -> [FoundRule] {
        var rules = list.rules
        for index in rules.indices
        where rules[index].kind == .rewrite && rules[index].fate == .applies {
            let labels = rules[index].meaning.name.labelCount
            let block = list.rules.first {
                $0.isBlocking && $0.meaning.types.isEmpty && $0.meaning.name.labelCount > labels
            }
            if let block { rules[index].fate = .outrankedInList(line: block.line) }
        }
        for index in rules.indices {
            let allow = rules[index]
            let labels = allow.meaning.rank
            guard allow.kind == .allow, !allow.isBadFilter, allow.isPlain, labels >= 0,
                !allow.meaning.isImportant, allow.meaning.scope.includesBelow,
                list.overrules(allow.meaning.scope, labels: labels)
            else { continue }
            rules[index].fate = .narrowsItsList
            for other in rules.indices
            where rules[other].fate == .applies {
                let isOutranked: Bool
                switch rules[other].kind {
                case .block: isOutranked = (0...labels).contains(rules[other].meaning.rank)
                case .rewrite: isOutranked = rules[other].meaning.name.labelCount < labels
                case .allow, .unsupported: isOutranked = false
                }
                guard isOutranked else { continue }
                rules[other].fate = .outrankedInList(line: allow.line)
            }
        }
        return rules
    }

    private static func decide(_ sorted: [FoundRule]) -> (Verdict, Set<Int>) {
        let applying = sorted.filter { $0.fate == .applies }
        guard let best = applying.first, applying.contains(where: { $0.kind != .allow }) else {
            return (.none, [])
        }
        let meaning = best.meaning
        let same = applying.filter {
            $0.tier == best.tier
                && (best.kind == .rewrite
                    ? $0.list == best.list : meaning.isAllow || $0.meaning.answer == meaning.answer)
        }
        let reference = RuleReference(list: UInt16(clamping: best.list))
        let verdict: Verdict =
            switch best.kind {
            case .rewrite: .rewritten(reference, isImportant: meaning.isImportant)
            case .allow: .allowed(reference, isImportant: meaning.isImportant)
            case .block, .unsupported:
                .blocked(reference, answer: meaning.answer, isImportant: meaning.isImportant)
            }
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
        switch (kind, meaning.isImportant) {
        case (.allow, true): 0
        case (.block, true), (.unsupported, true): 1
        case (.rewrite, true): 2
        case (.allow, false): 3
        case (.rewrite, false): 4
        case (.block, false), (.unsupported, false): 5
        }
    }
}

extension ListFindings {
    /// Whether an allow entry on the name asked for or one above it, of so many labels, gives way
    /// to a block or rewrite of the list on a longer name, or a rewrite on its own.
    fileprivate func overrules(_ scope: NameScope, labels: Int) -> Bool {
        if let longestAboveBlock, labels <= longestAboveBlock { return true }
        if let longestAboveRewrite, labels <= longestAboveRewrite { return true }
        return scope.includesName && rewriteLabels.contains(labels)
    }
}
