import Configuration
import Cryptography
import FilterCompiler
import Quantities

/// What became of one policy.
package struct PolicyOutcome: Sendable {
    /// How it stands now.
    package enum State: Equatable, Sendable {
        /// Its snapshot came into force; the one from before, if any.
        case published(before: SHA256Digest?)
        /// What was in force is what its lists give.
        case unchanged
        /// Its lists give a snapshot that was rolled back: the one in force stays.
        case rolledBack(inForce: SHA256Digest)
        /// Lists whose texts are not there, but are in the snapshot in force: it stays.
        case kept(missing: [String])
    }

    /// Its name.
    package let name: String
    /// How it stands.
    package internal(set) var state: State
    /// The snapshot that its lists give; of `kept`, the one in force.
    package let identity: SHA256Digest
    /// The file of that snapshot.
    package let file: String
    /// What was compiled; `nil` when there was nothing to compile.
    package let result: CompilationResult?
    /// The lists that are in it, in the policy's order.
    package let inputs: [ListInput]
    /// Lists that are not in it, since they were never fetched.
    package let missing: [String]

    /// Whether its lists give a snapshot that was rolled back.
    var isRolledBack: Bool {
        if case .rolledBack = state { true } else { false }
    }
}

/// What a compilation of all policies came to.
package struct ConfiguredOutcome: Sendable {
    /// The policies, in the order of the configuration.
    package let policies: [PolicyOutcome]
    /// Policies of which no list was ever fetched: without a snapshot, since an empty one would
    /// look like a policy that has all it should.
    package let unfetched: [String]
    /// What the daemon will need.
    package let memory: MemoryPlan
    /// The configuration.
    package let configuration: String

    /// Whether every policy has all its lists.
    package var isWhole: Bool { unfetched.isEmpty && policies.allSatisfy(\.missing.isEmpty) }
}

/// How far fetching and compiling have come.
package struct UpdateProgress: Sendable {
    /// What is done, such as `fetching ads`.
    package let work: String
    /// Octets done.
    package let done: ByteCount
    /// Octets in all, when that is known.
    package let total: ByteCount?
}

/// Hears of progress, often.
package typealias ProgressHandler = (UpdateProgress) -> Void

/// Hears what the daemon will need, before a snapshot is written.
package typealias ForecastHandler = (MemoryPlan) -> Void
