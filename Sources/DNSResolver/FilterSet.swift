import DNSWire
import DomainNames
import FilterIndex

/// The filter in force: a snapshot for each policy, replaced whole at a reload.
package final class FilterSet: Sendable {
    /// A named set of lists.
    package final class Policy: Sendable {
        /// Its name in the configuration.
        package let name: String
        /// Its rules; `nil` while none were compiled, then nothing is filtered.
        package let snapshot: Snapshot?
        /// The user's own rules, asked first; `nil` when there are none.
        package let ownRules: Snapshot?
        /// Until then own rules end: a judgement of now says nothing of later.
        private let lastOwnEnd: Int64
        /// What a blocked answer says of each list, by its number: made once, not once a query.
        let blockTexts: [[UInt8]]
        /// The same of a rewritten answer.
        let rewriteTexts: [[UInt8]]

        /// A policy with its rules.
        package init(name: String, snapshot: Snapshot?, ownRules: Snapshot? = nil) {
            self.name = name
            self.snapshot = snapshot
            self.ownRules = ownRules
            lastOwnEnd = ownRules?.lastOwnEnd ?? 0
            let lists = snapshot?.manifest.lists ?? []
            blockTexts = lists.map { ReplyNote(.blocked, "blocked by list \($0.name)").text }
            rewriteTexts = lists.map {
                ReplyNote(.forgedAnswer, "rewritten by list \($0.name)").text
            }
        }

        /// The verdict on a name: that of the own rules, else that of the lists.
        func verdict(
            _ name: borrowing CanonicalName, type: UInt16, on occasion: Occasion,
            into scratch: inout MatchScratch
        ) -> Verdict {
            if let ownRules {
                let own = ownRules.ownVerdict(name, type: type, on: occasion, into: &scratch)
                if own != .none { return own }
            }
            return snapshot?.match(name, type: type, on: occasion, into: &scratch) ?? .none
        }

        /// Whether a judgement of now is good for every client and later moment.
        func isSteady(at seconds: Int64) -> Bool {
            snapshot?.dependsOnOccasion != true && seconds >= lastOwnEnd
        }
    }

    /// What a blocked answer says of the own rules.
    static let ownText = ReplyNote(
        .blocked, "blocked by list \(SnapshotLayout.ownRulesList)"
    ).text

    /// The policies, in the order that client tables count them by.
    package let policies: [Policy]
    /// Grows by one with each set, so that a judgement under an older set is told apart.
    package let epoch: UInt32

    /// A set in force from `epoch` on.
    package init(policies: [Policy], epoch: UInt32) {
        self.policies = policies
        self.epoch = epoch
    }

    /// What a judgement under policy `index` is marked with: never 0, never the same for two sets.
    ///
    /// `nil` when it is good for one client and moment only, since the policy has rules for single
    /// clients or rules that end: such a judgement must not be kept.
    func judgement(policy index: Int, at seconds: Int64) -> UInt64? {
        guard policies[index].isSteady(at: seconds) else { return nil }
        return UInt64(epoch) << 16 | UInt64(index + 1)
    }
}
