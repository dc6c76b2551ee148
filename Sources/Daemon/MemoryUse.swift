import Configuration
import Control
import DNSCache
import DNSResolver
import FilterIndex
import LinuxSystem
import Quantities
import Synchronization

/// What the daemon holds in memory now, by part.
///
/// The pages of snapshots are counted by what is in the memory of this process; the tables of the
/// workers and the cache by what they allocated. What is left of the whole is code, stacks and the
/// allocator's free room.
struct MemoryUse {
    /// Memory of the process, snapshot pages included.
    let resident = Process.residentOctets
    private var snapshots = SnapshotResidence()
    private var mapped = 0
    private let cache: Int
    private let pending: Int
    private let buffers: Int
    private let limit: ByteCount
    private let planned: ByteCount

    /// The use of a daemon's parts at this moment.
    init(context: ServerContext, state: ActiveState) {
        let policies = state.filters.policies
        for snapshot in policies.compactMap(\.snapshot) + policies.compactMap(\.ownRules) {
            mapped += snapshot.size.octets
            if let residence = snapshot.residence() { snapshots += residence }
        }
        cache = context.cache.heldOctets
        pending = context.workers.reduce(0) { $0 + $1.pendingOctets.load(ordering: .relaxed) }
        buffers = context.workers.reduce(0) { $0 + $1.bufferOctets.load(ordering: .relaxed) }
        limit = context.plan.limit
        planned = context.plan.total
    }

    /// Writes the members into an object: octets, the parts of `rssBytes` before `otherBytes`.
    func write(to json: inout JSONWriter) {
        let parts = [
            ("prefilterBytes", snapshots.prefilter.octets),
            ("directoryBytes", snapshots.directories.octets),
            ("nameBytes", snapshots.names.octets),
            ("cacheBytes", cache),
            ("pendingBytes", pending),
            ("bufferBytes", buffers),
        ]
        json.member("rssBytes", resident)
        json.member("limitBytes", limit.octets)
        json.member("plannedBytes", planned.octets)
        for (key, octets) in parts { json.member(key, octets) }
        json.member("otherBytes", max(0, resident - parts.reduce(0) { $0 + $1.1 }))
        json.member("mappedBytes", mapped)
    }
}
