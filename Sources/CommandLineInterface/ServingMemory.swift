import Configuration
import LinuxSystem
import Quantities

/// What the daemon will hold in memory when it serves the policies, against its limit.
///
/// The daemon refuses by the same sum at its start; here it is told before a snapshot is put in
/// force.
package struct ServingMemory: Equatable, Sendable {
    /// Code, stacks and tables of an idle daemon.
    private static let base = ByteCount.mebibytes(8)
    /// What one worker holds once in use.
    private static let perWorker = ByteCount.mebibytes(2)

    /// The prefilters of all policies.
    let prefilters: ByteCount
    /// The answer cache.
    let cache: ByteCount
    /// The workers.
    let workers: ByteCount
    /// The setting `memory-limit`.
    let limit: ByteCount

    /// The forecast for settings and the prefilters of their policies.
    init(_ settings: Settings, prefilters: ByteCount) {
        self.prefilters = prefilters
        cache = settings.cacheSize
        let count = settings.workers ?? Process.processorCount
        workers = ByteCount(Self.perWorker.octets * count)
        limit = settings.memoryLimit
    }

    /// All parts together.
    var total: ByteCount {
        ByteCount(
            Self.base.octets + prefilters.octets + cache.octets + workers.octets)
    }

    /// Whether it is within the limit.
    var isWithinLimit: Bool { total <= limit }

    /// The parts, for people.
    var figures: String {
        "base \(Self.base), prefilters \(prefilters), cache \(cache), workers \(workers)"
    }

    /// Why nothing is put in force.
    var refusal: String {
        "the daemon would need \(total), 'memory-limit' is \(limit) (\(figures)); raise "
            + "'memory-limit' or 'prefilter-false-positive-rate', lower 'cache-size', or use "
            + "fewer lists; the snapshots in force stay"
    }
}
