import DomainNames
import FilterIndex

/// Where the answer for a name leads, judged as the daemon judges it before it replies.
///
/// Every target is matched in the order of the answer. The first blocked one blocks the answer, an
/// important block before all others. An allow rule on the name asked for lets its targets pass,
/// unless the block is important and the rule is not.
package struct AliasChain: Sendable {
    /// A name that the answer leads to.
    package struct Target: Equatable, Sendable {
        /// The name, in lower case.
        package let name: DomainName
        /// What the snapshot says of it.
        package let verdict: Verdict
    }

    /// The targets, each once, in the order of the answer.
    package let targets: [Target]
    /// The place of the one that is blocked; `nil` when none is.
    package let blocked: Int?
    /// The verdict by which the name asked for lets the blocked target pass; `nil` when it does
    /// not.
    package let exemption: Verdict?

    /// Whether the daemon blocks the answer.
    package var isBlocking: Bool { blocked != nil && exemption == nil }

    /// The target that is blocked, whether or not it passes.
    package var blockedTarget: Target? { blocked.map { targets[$0] } }

    /// Judges the targets of an answer to a question that is not blocked by its own name.
    /// - Complexity: a look-up for each target.
    package init(question: Question, targets names: [DomainName], snapshot: Snapshot) {
        var scratch = MatchScratch()
        var targets: [Target] = []
        var seen: Set<DomainName> = []
        var found: (index: Int, isImportant: Bool)?
        for name in names where seen.insert(name).inserted {
            let verdict = snapshot.match(
                CanonicalName(name), type: question.type, on: question.occasion, into: &scratch)
            targets.append(Target(name: name.lowercased, verdict: verdict))
            guard case .blocked(_, _, let isImportant) = verdict else { continue }
            if found == nil || isImportant && found?.isImportant == false {
                found = (targets.count - 1, isImportant)
            }
        }
        self.targets = targets
        blocked = found?.index
        guard let found else {
            exemption = nil
            return
        }
        let own = snapshot.allowVerdict(
            CanonicalName(question.name), type: question.type, on: question.occasion,
            into: &scratch)
        if case .allowed(_, let isImportant) = own, isImportant || !found.isImportant {
            exemption = own
        } else {
            exemption = nil
        }
    }
}
