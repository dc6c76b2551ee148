import Configuration
import Cryptography
import FilterIndex

/// Puts an earlier snapshot of a policy in force again.
package enum Rollback {
    /// What was done.
    package struct Outcome: Equatable, Sendable {
        /// The snapshot that was in force.
        package let from: SHA256Digest
        /// The snapshot that is in force now.
        package let to: SHA256Digest
    }

    /// Turns the link of `policy` to the snapshot whose id begins with `prefix`; without one, to
    /// the newest from before the one in force that was not rolled back itself.
    ///
    /// What a rollback took out of force does not come back by an update of unchanged lists: as
    /// soon as lists give another snapshot, that one comes into force.
    /// - Throws: `UpdateError`; nothing is changed then.
    package static func run(
        _ settings: Settings, policy: String, prefix: String?
    ) throws(UpdateError) -> Outcome {
        let names = settings.policies.map(\.name)
        guard names.contains(policy) else { throw .unknownPolicy(policy, known: names) }
        let directory = try StateDirectory(path: settings.stateDirectory)
        defer { extendLifetime(directory) }
        let store = PolicyStore(policy: policy, stateDirectory: settings.stateDirectory)
        guard let current = store.currentID else { throw .noEarlierSnapshot(policy: policy) }
        let target =
            if let prefix { try find(prefix, in: store, policy: policy) } else {
                try earlier(than: current, in: store, policy: policy)
            }
        // Verified before anything is turned: the daemon would refuse what is damaged.
        do { _ = try Snapshot(path: store.path(of: target)) } catch { throw .snapshot(error) }
        if target != current { try store.rollBack(to: target) }
        return Outcome(from: current, to: target)
    }

    private static func find(
        _ prefix: String, in store: PolicyStore, policy: String
    ) throws(UpdateError) -> SHA256Digest {
        let history = store.history()
        let found = history.filter { "\($0)".hasPrefix(prefix) }
        guard let only = found.first else {
            throw .unknownSnapshot(prefix, policy: policy, known: history)
        }
        guard found.count == 1 else { throw .ambiguousSnapshot(prefix, policy: policy) }
        return only
    }

    private static func earlier(
        than current: SHA256Digest, in store: PolicyStore, policy: String
    ) throws(UpdateError) -> SHA256Digest {
        let history = store.history()
        let rolledBack = store.rolledBack
        guard let place = history.firstIndex(of: current),
            let found = history[(place + 1)...].first(where: { !rolledBack.contains($0) })
        else { throw .noEarlierSnapshot(policy: policy) }
        return found
    }
}
