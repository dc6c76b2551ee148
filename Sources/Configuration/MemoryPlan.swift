import Quantities

/// What the daemon will hold in memory, part by part, against the limit.
///
/// One sum for both sides: `sluice compile` forecasts by it, the daemon refuses by it at start.
package struct MemoryPlan: Equatable, Sendable {
    /// Code, stacks and tables of an idle daemon: measured, rounded up.
    private static let base = ByteCount.mebibytes(8)
    /// Batches of datagrams, tables of sockets and questions of one worker, once in use.
    private static let perWorker = ByteCount.mebibytes(2)

    /// A part of the plan.
    package struct Part: Equatable, Sendable {
        /// Its name in `status`.
        package let key: String
        /// Its name for people.
        package let name: String
        /// Its size.
        package let size: ByteCount
    }

    /// The parts and their sizes.
    package let parts: [Part]
    /// The setting `memory-limit`.
    package let limit: ByteCount

    /// The plan for settings, the prefilters and the directories of the name indexes of all
    /// policies together, and so many workers.
    package init(
        _ settings: Settings, prefilters: ByteCount, directories: ByteCount, workerCount: Int
    ) {
        let workers = ByteCount(MemoryPlan.perWorker.octets * workerCount)
        parts = [
            Part(key: "baseBytes", name: "base", size: MemoryPlan.base),
            Part(key: "cacheBytes", name: "cache", size: settings.cacheSize),
            Part(key: "prefilterBytes", name: "prefilters", size: prefilters),
            Part(key: "directoryBytes", name: "directories", size: directories),
            Part(key: "workerBytes", name: "workers", size: workers),
        ]
        limit = settings.memoryLimit
    }

    /// All parts together.
    package var total: ByteCount { ByteCount(parts.reduce(0) { $0 + $1.size.octets }) }

    /// Whether the plan fits.
    package var isWithinLimit: Bool { total <= limit }

    /// The parts, for people.
    package var figures: String {
        parts.map { "\($0.name) \($0.size)" }.joined(separator: ", ")
    }

    /// The figures and the ways out, when the plan does not fit.
    package var refusal: String {
        "the daemon needs \(total) of memory, 'memory-limit' is \(limit) (\(figures)); raise "
            + "'memory-limit' or 'prefilter-false-positive-rate', lower 'cache-size', or use "
            + "fewer lists"
    }
}
