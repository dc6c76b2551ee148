import Configuration
import FilterIndex
import LinuxSystem
import ListImpact
import ListUpdates
import Quantities

/// What a list costs, on the disk and in the daemon's memory.
///
/// The snapshot of the list alone is exact. What it adds to a policy is less, since names that the
/// policy has already cost nothing: it is the share of the names that are new.
struct TryCost: Equatable {
    /// The snapshot of the list alone.
    let snapshotSize: ByteCount
    /// Its prefilter.
    let prefilterSize: ByteCount
    /// About what a snapshot grows by.
    let addedSize: ByteCount
    /// About what its prefilter grows by, which stays in memory.
    let addedPrefilterSize: ByteCount
    /// About what its directories grow by, which stay in memory too.
    let addedDirectorySize: ByteCount
    /// What the daemon needs now; `nil` without a configuration.
    let before: MemoryPlan?
    /// What it would need.
    let after: MemoryPlan?

    /// The cost of a list in one policy of `settings`.
    init(
        _ candidate: CandidateList, _ tally: CandidateWalk.Tally, _ settings: Settings?
    ) throws(CommandError) {
        snapshotSize = candidate.snapshot.size
        prefilterSize = candidate.snapshot.size(of: .prefilter)
        addedSize = Self.share(of: snapshotSize, tally)
        addedPrefilterSize = Self.share(of: prefilterSize, tally)
        addedDirectorySize = Self.share(of: candidate.snapshot.directorySize, tally)
        guard let settings else {
            (before, after) = (nil, nil)
            return
        }
        var prefilters = 0
        var directories = 0
        for policy in settings.policies {
            let store = PolicyStore(policy: policy.name, stateDirectory: settings.stateDirectory)
            guard FileIO.kind(path: store.current) != nil else { continue }
            let snapshot = try TryCommand.open(store.current)
            prefilters += snapshot.size(of: .prefilter).octets
            directories += snapshot.directorySize.octets
        }
        let workers = settings.workers ?? Process.processorCount
        before = MemoryPlan(
            settings, prefilters: ByteCount(prefilters), directories: ByteCount(directories),
            workerCount: workers)
        after = MemoryPlan(
            settings, prefilters: ByteCount(prefilters + addedPrefilterSize.octets),
            directories: ByteCount(directories + addedDirectorySize.octets), workerCount: workers)
    }

    /// The part of a size that the new names have, rounded up.
    private static func share(of size: ByteCount, _ tally: CandidateWalk.Tally) -> ByteCount {
        guard tally.names > 0 else { return ByteCount(0) }
        let share = Double(tally.new) / Double(tally.names)
        return ByteCount(min(size.octets, Int(share * Double(size.octets)) + (share > 0 ? 1 : 0)))
    }
}
