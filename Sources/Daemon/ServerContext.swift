import Configuration
import DNSCache
import DNSResolver
import DNSUpstream
import LinuxSystem
import Quantities
import Synchronization

/// What the workers and the control thread share: fixed at start, but for what stands behind its
/// own lock or counter.
final class ServerContext: Sendable {
    /// The file that the configuration came from.
    let configurationFile: String
    /// The configuration at start; listeners, sizes and paths stay as they are until a restart.
    let settings: Settings
    /// Where to serve.
    let listen: [NetworkAddress]
    /// Whom to ask.
    let upstreams: [NetworkAddress]
    /// The state in force.
    let state: StatePublisher
    /// For whom filtering is paused.
    let pauses: PauseTable
    /// The answers.
    let cache: AnswerCache
    /// The memory plan at start.
    let plan: MemoryPlan
    /// One a worker.
    let workers: [WorkerStatus]
    /// Wakes workers that wait.
    let wakeUps: [WakeUp]
    /// Signalled when pages of a snapshot were lost.
    let lostPages: WakeUp
    /// When the daemon started.
    let started: MonotonicInstant
    /// Where log lines go.
    let log: LogWriter
    /// Set to ask the workers to end.
    let isStopping = Atomic(false)

    /// A context with nothing counted and no answers kept.
    /// - Throws: `SystemError` of `eventfd`.
    init(
        configurationFile: String, settings: Settings, listen: [NetworkAddress],
        upstreams: [NetworkAddress], state: ActiveState, plan: MemoryPlan, workerCount: Int,
        lostPages: WakeUp
    ) throws(SystemError) {
        self.configurationFile = configurationFile
        self.settings = settings
        self.listen = listen
        self.upstreams = upstreams
        self.plan = plan
        self.lostPages = lostPages
        self.state = StatePublisher(state)
        let now = Clock.now()
        started = now
        pauses = PauseTable(path: "\(settings.stateDirectory)/pause", now: now)
        var random = RandomSource()
        cache = AnswerCache(
            size: settings.cacheSize, seed: UInt64(random.next32()) << 32 | UInt64(random.next32()))
        workers = (0..<workerCount).map { _ in WorkerStatus(upstreamCount: upstreams.count) }
        var wakeUps: [WakeUp] = []
        for _ in 0..<workerCount { wakeUps.append(try WakeUp()) }
        self.wakeUps = wakeUps
        log = LogWriter(level: settings.log.level)
    }

    /// The resolver's part of the settings.
    var resolverOptions: ResolverOptions {
        var options = ResolverOptions()
        options.blockResponse =
            switch settings.blockAnswer {
            case .nxdomain: .nxdomain
            case .nxdomainSafe: .nxdomainSafe
            case .nodata: .nodata
            case .null: .null
            case .refused: .refused
            }
        options.blockTTL = ServerContext.seconds(settings.blockTTL)
        options.minimumTTL = ServerContext.seconds(settings.ttl.minimum)
        options.maximumTTL = ServerContext.seconds(settings.ttl.maximum)
        options.negativeMaximumTTL = ServerContext.seconds(settings.ttl.negativeMaximum)
        options.staleMaximumAge = settings.serveStale.maximumAge
        options.staleClientTimeout = settings.serveStale.clientTimeout
        return options
    }

    private static func seconds(_ duration: Duration) -> UInt32 {
        UInt32(clamping: duration.components.seconds)
    }

    /// Asks the workers to look at what changed.
    func wakeWorkers() { wakeUps.forEach { $0.signal() } }
}
