import Configuration
import FilterIndex
import Quantities

/// What the daemon will hold in memory, part by part, against the limit.
package struct MemoryPlan: Equatable, Sendable {
    /// Code, stacks and tables of an idle daemon: measured, rounded up.
    private static let base = ByteCount.mebibytes(8)
    /// Batches of datagrams, tables of sockets and questions of one worker, once in use.
    private static let perWorker = ByteCount.mebibytes(2)

    /// The parts and their sizes.
    package let parts: [Part]
    /// The setting `memory-limit`.
    package let limit: ByteCount

    /// A part of the plan.
    package struct Part: Equatable, Sendable {
        /// Its name in `status`.
        package let name: String
        /// Its size.
        package let size: ByteCount
    }

    init(settings: Settings, snapshots: [Snapshot], workers: Int) {
        let prefilters = snapshots.reduce(0) { $0 + $1.size(of: .prefilter).octets }
        parts = [
            Part(name: "baseBytes", size: MemoryPlan.base),
            Part(name: "cacheBytes", size: settings.cacheSize),
            Part(name: "prefilterBytes", size: ByteCount(prefilters)),
            Part(
                name: "workerBytes", size: ByteCount(MemoryPlan.perWorker.octets * workers)),
        ]
        limit = settings.memoryLimit
    }

    /// All parts together.
    package var total: ByteCount { ByteCount(parts.reduce(0) { $0 + $1.size.octets }) }

    /// Whether the plan fits.
    package var isWithinLimit: Bool { total <= limit }

    /// The figures and the ways out, when it does not fit.
    var refusal: String {
        let figures = parts.map { "\($0.name) \($0.size)" }.joined(separator: ", ")
        return "needs \(total) of memory, memory-limit is \(limit) (\(figures)); raise "
            + "'memory-limit', lower 'cache-size', or use fewer lists"
    }
}
