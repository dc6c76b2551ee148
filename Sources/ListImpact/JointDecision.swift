import DomainNames
import FilterIndex

/// What becomes of a name when a list joins a policy: both snapshots asked, their answers put
/// together by the precedence that one snapshot of both would have.
///
/// Important allow, important block, important rewrite, allow, rewrite, block (see
/// `Snapshot.match`). What is rewritten is not blocked. A `$badfilter` rule or an exception to
/// rewrites of the one does not reach the rules of the other here, as it would in one policy.
package struct JointDecision: Sendable {
    /// The policy as it is; `nil` when nothing was compiled yet.
    package let current: Snapshot?
    /// The list that may join it.
    package let candidate: Snapshot
    private var scratch = MatchScratch()

    /// Decisions on a list that may join a policy.
    package init(current: Snapshot?, candidate: Snapshot) {
        self.current = current
        self.candidate = candidate
    }

    /// Whether a question is blocked before the list joins, and after.
    package struct Change: Equatable, Sendable {
        /// Before.
        package let wasBlocked: Bool
        /// After.
        package let isBlocked: Bool
    }

    /// What becomes of a question.
    /// - Complexity: two look-ups; two more when one of the snapshots blocks or allows.
    package mutating func change(of name: borrowing CanonicalName, type: UInt16) -> Change {
        let before = current?.match(name, type: type, on: .nobody, into: &scratch) ?? .none
        let added = candidate.match(name, type: type, on: .nobody, into: &scratch)
        let wasBlocked = before.isBlock
        // The list neither blocks the name nor lifts a block from it.
        if added == .none, before == .none { return Change(wasBlocked: false, isBlocked: false) }
        let allows = [
            current?.allowVerdict(name, type: type, on: .nobody, into: &scratch) ?? .none,
            candidate.allowVerdict(name, type: type, on: .nobody, into: &scratch),
        ]
        return Change(
            wasBlocked: wasBlocked, isBlocked: Self.isBlocked([before, added], allows: allows))
    }

    /// What the policy as it is says of a question.
    mutating func verdict(of name: borrowing CanonicalName, type: UInt16) -> Verdict {
        current?.match(name, type: type, on: .nobody, into: &scratch) ?? .none
    }

    /// What the list alone says of a question.
    mutating func candidateVerdict(of name: borrowing CanonicalName, type: UInt16) -> Verdict {
        candidate.match(name, type: type, on: .nobody, into: &scratch)
    }

    /// The list of the policy that rewrites a question or allows it, whether or not another
    /// blocks it too.
    mutating func sparingList(of name: borrowing CanonicalName, type: UInt16) -> Int? {
        if case .rewritten(let rule, _) = verdict(of: name, type: type) { return Int(rule.list) }
        guard
            case .allowed(let rule, _) = current?.allowVerdict(
                name, type: type, on: .nobody, into: &scratch)
        else { return nil }
        return Int(rule.list)
    }

    private static func isBlocked(_ verdicts: [Verdict], allows: [Verdict]) -> Bool {
        func isImportant(_ verdict: Verdict) -> Bool {
            switch verdict {
            case .none: false
            case .allowed(_, let isImportant), .blocked(_, _, let isImportant),
                .rewritten(_, let isImportant):
                isImportant
            }
        }
        if allows.contains(where: isImportant) { return false }
        // Without an important allow rule nothing hides an important block.
        if verdicts.contains(where: { $0.isBlock && isImportant($0) }) { return true }
        if verdicts.contains(where: { $0.isRewrite }) { return false }
        return allows.allSatisfy { $0 == .none } && verdicts.contains { $0.isBlock }
    }
}

extension Verdict {
    /// Whether the name is blocked.
    var isBlock: Bool {
        if case .blocked = self { return true }
        return false
    }

    /// Whether the name is rewritten.
    fileprivate var isRewrite: Bool {
        if case .rewritten = self { return true }
        return false
    }
}
