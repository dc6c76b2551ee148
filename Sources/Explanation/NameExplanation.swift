import DomainNames
import FilterIndex
import FilterLists

/// Why a name is blocked or not: the snapshot's verdict and the rules behind it.
package struct NameExplanation: Sendable {
    /// What was asked.
    package let question: Question
    /// The snapshot's verdict.
    package let verdict: Verdict
    /// The rules that speak of the name; the deciding one first when it was found.
    package let rules: [FoundRule]
    /// Whether `rules` starts with the deciding one.
    package let hasDecidingRule: Bool
    /// Whether the rules found give the very verdict; `false` when a list could not be read.
    package let isComplete: Bool
    /// Rules left out of `rules`, since others of their lists say the same.
    package let omittedRules: Int
    /// Of a name that is not blocked, the nearest block rules, the nearest first.
    package let nearby: [NearbyRule]
    /// Of a blocked name, the blocked names below it; `nil` when they were not counted.
    package let below: NamesBelow?
    /// Why the daemon does not heed the verdict; `nil` when it does.
    package let exemption: Exemption?

    /// Brings a snapshot's verdict and what its lists say together.
    /// - Parameters:
    ///   - findings: what each list says, in the order of the manifest; `nil` for lists whose text
    ///     is not there.
    ///   - below: the blocked names below the name, of all lists.
    package init(
        question: Question, verdict: Verdict, exemption: Exemption? = nil,
        findings: [ListFindings?], below: NamesBelow? = nil
    ) {
        self.question = question
        self.verdict = verdict
        self.exemption = exemption
        self.below = below
        let known = findings.compactMap { $0 }
        let judge = RuleJudge(known)
        isComplete =
            known.count == findings.count && !known.contains { $0.isCut }
            && NameExplanation.agrees(verdict, with: judge)
        omittedRules = known.reduce(0) { $0 + $1.omittedRules }
        var nearest = NearbyRules()
        for list in known { for rule in list.nearby.rules { nearest.offer(rule) } }
        nearby = nearest.rules
        var rules = judge.rules
        let deciding = NameExplanation.decidingRule(of: verdict, among: rules)
        hasDecidingRule = deciding != nil
        if let deciding { rules.insert(rules.remove(at: deciding), at: 0) }
        self.rules = rules
    }

    /// The deciding rule.
    package var decidingRule: FoundRule? { hasDecidingRule ? rules.first : nil }

    /// Whether the daemon blocks the name.
    package var isBlocked: Bool {
        if case .blocked = verdict { return exemption == nil }
        return false
    }

    /// The list that decides; `nil` when none does.
    package var decidingList: Int? {
        switch verdict {
        case .none: nil
        case .allowed(let rule, _), .blocked(let rule, _, _), .rewritten(let rule, _):
            Int(rule.list)
        }
    }

    /// The rule of an adblock list that unblocks the name and no other; `nil` when it is not
    /// blocked, or has no text that an adblock rule can carry.
    package var unblockingRule: String? {
        guard isBlocked, case .blocked(_, _, let isImportant) = verdict,
            NameExplanation.isHost(question.name)
        else { return nil }
        return "@@|\(question.name)^" + (isImportant ? "$important" : "")
    }

    /// Whether two decisions are the same but for the list that is named.
    package static func agrees(_ verdict: Verdict, with judge: RuleJudge) -> Bool {
        switch (verdict, judge.verdict) {
        case (.none, .none): true
        case (.allowed(let rule, let important), .allowed(_, let other)):
            important == other && judge.namedLists.contains(Int(rule.list))
        case (.blocked(let rule, let answer, let important), .blocked(_, let stated, let other)):
            answer == stated && important == other && judge.namedLists.contains(Int(rule.list))
        case (.rewritten(let rule, let important), .rewritten(_, let other)):
            important == other && judge.namedLists.contains(Int(rule.list))
        default: false
        }
    }

    /// The rule that the snapshot kept: of the rules of the verdict's list that say what it says
    /// the widest, the first in the list.
    private static func decidingRule(of verdict: Verdict, among rules: [FoundRule]) -> Int? {
        func isDeciding(_ rule: FoundRule) -> Bool {
            guard rule.fate == .applies else { return false }
            let meaning = rule.meaning
            switch verdict {
            case .none: return false
            case .allowed(let reference, let isImportant):
                return meaning.isAllow && meaning.isImportant == isImportant
                    && rule.list == Int(reference.list)
            case .blocked(let reference, let answer, let isImportant):
                return rule.kind == .block && meaning.isImportant == isImportant
                    && meaning.answer == answer && rule.list == Int(reference.list)
            case .rewritten(let reference, let isImportant):
                return rule.kind == .rewrite && meaning.isImportant == isImportant
                    && rule.list == Int(reference.list)
            }
        }
        // Of rewrites, which are all kept, the longest name decides: it stands first.
        if case .rewritten = verdict { return rules.firstIndex(where: isDeciding) }
        return rules.indices.filter { isDeciding(rules[$0]) }.min { left, right in
            let ranks = (rules[left].meaning.rank, rules[right].meaning.rank)
            if ranks.0 == ranks.1 { return rules[left].line < rules[right].line }
            // A pattern decides only where no name does.
            return ranks.0 < 0 || ranks.1 < 0 ? ranks.0 > ranks.1 : ranks.0 < ranks.1
        }
    }

    /// Whether every octet of the name is one that host names in lists have.
    private static func isHost(_ name: DomainName) -> Bool {
        guard !name.isRoot else { return false }
        return name.description.utf8.allSatisfy { octet in
            (0x61...0x7A).contains(octet) || (0x30...0x39).contains(octet)
                || "-_.".utf8.contains(octet)
        }
    }
}
