import DNSWire
import FilterIndex

/// The filter in force: a snapshot for each policy, replaced whole at a reload.
package final class FilterSet: Sendable {
    /// A named set of lists.
    package struct Policy: Sendable {
        /// Its name in the configuration.
        package let name: String
        /// Its rules; `nil` while none were compiled, then nothing is filtered.
        package let snapshot: Snapshot?
        /// What a blocked answer says of each list, by its number: made once, not once a query.
        let blockTexts: [[UInt8]]
        /// The same of a rewritten answer.
        let rewriteTexts: [[UInt8]]

        /// A policy with its rules.
        package init(name: String, snapshot: Snapshot?) {
            self.name = name
            self.snapshot = snapshot
            let lists = snapshot?.manifest.lists ?? []
            blockTexts = lists.map { ReplyNote(.blocked, "blocked by list \($0.name)").text }
            rewriteTexts = lists.map {
                ReplyNote(.forgedAnswer, "rewritten by list \($0.name)").text
            }
        }
    }

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
    func judgement(policy index: Int) -> UInt64? {
        if policies[index].snapshot?.dependsOnOccasion == true { return nil }
        return UInt64(epoch) << 16 | UInt64(index + 1)
    }
}
