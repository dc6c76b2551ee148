import DomainNames

/// The best rule found so far in each of the six tiers of precedence.
///
/// Important allow, important block, important rewrite, allow, rewrite, block: the first tier with
/// a rule decides. Inside a tier the longest name decides, any name before a pattern; at equal
/// names an exact rule before subtree and below; then the list whose name comes first; then, inside
/// one list, the standard answer.
struct TierCandidates {
    /// A rule that applies to the name.
    struct Candidate {
        /// Octets of the rule's key; along one name a longer key is a longer name. −1 for a rule on
        /// a pattern.
        let keySize: Int
        /// Scope of the rule.
        let scope: NameScope
        /// List of the rule.
        let list: UInt16
        /// Answer of a block.
        let answer: BlockAnswer

        /// Whether this rule decides rather than `other`, of the same tier.
        func isBefore(_ other: Candidate) -> Bool {
            if keySize != other.keySize { return keySize > other.keySize }
            if (scope == .exact) != (other.scope == .exact) { return scope == .exact }
            if list != other.list { return list < other.list }
            return answer.rawValue < other.answer.rawValue
        }

        /// The list, for the verdict.
        var reference: RuleReference { RuleReference(list: list) }
    }

    private var importantAllow: Candidate?
    private var importantBlock: Candidate?
    private var importantRewrite: Candidate?
    private var allow: Candidate?
    private var rewrite: Candidate?
    private var block: Candidate?

    /// No rule found yet.
    init() {}

    /// Whether a rule of block kind applies, important or not.
    var hasBlock: Bool { block != nil || importantBlock != nil }

    /// Whether a rewrite applies, important or not.
    var hasRewrite: Bool { rewrite != nil || importantRewrite != nil }

    /// The rewrite that decides among rewrites.
    var bestRewrite: (rule: Candidate, isImportant: Bool)? {
        if let importantRewrite { return (importantRewrite, true) }
        return rewrite.map { ($0, false) }
    }

    /// Takes a rewrite that applies, if it is the best of its tier.
    mutating func offerRewrite(_ candidate: Candidate, isImportant: Bool) {
        if isImportant {
            TierCandidates.offer(candidate, to: &importantRewrite)
        } else {
            TierCandidates.offer(candidate, to: &rewrite)
        }
    }

    /// Takes a rule that applies, if it is the best of its tier.
    mutating func offer(_ candidate: Candidate, isAllow: Bool, isImportant: Bool) {
        switch (isAllow, isImportant) {
        case (true, true): TierCandidates.offer(candidate, to: &importantAllow)
        case (false, true): TierCandidates.offer(candidate, to: &importantBlock)
        case (true, false): TierCandidates.offer(candidate, to: &allow)
        case (false, false): TierCandidates.offer(candidate, to: &block)
        }
    }

    private static func offer(_ candidate: Candidate, to best: inout Candidate?) {
        if let current = best, !candidate.isBefore(current) { return }
        best = candidate
    }

    /// The decision; `.none` without a block or rewrite, whatever allow rules apply.
    var verdict: Verdict {
        guard hasBlock || hasRewrite else { return .none }
        if let rule = importantAllow { return .allowed(rule.reference, isImportant: true) }
        if let rule = importantBlock {
            return .blocked(rule.reference, answer: rule.answer, isImportant: true)
        }
        if let rule = importantRewrite { return .rewritten(rule.reference, isImportant: true) }
        if let rule = allow { return .allowed(rule.reference, isImportant: false) }
        if let rule = rewrite { return .rewritten(rule.reference, isImportant: false) }
        guard let rule = block else { return .none }
        return .blocked(rule.reference, answer: rule.answer, isImportant: false)
    }

    /// The decision of own rules: the longest name decides, whether it blocks or allows.
    var closestVerdict: Verdict {
        guard let block else { return allow == nil ? .none : .allowed(.own, isImportant: false) }
        if let allow, allow.keySize >= block.keySize { return .allowed(.own, isImportant: false) }
        return .blocked(.own, answer: block.answer, isImportant: false)
    }

    /// The best allow rule, whether or not a block applies.
    var allowVerdict: Verdict {
        if let rule = importantAllow { return .allowed(rule.reference, isImportant: true) }
        if let rule = allow { return .allowed(rule.reference, isImportant: false) }
        return .none
    }
}
