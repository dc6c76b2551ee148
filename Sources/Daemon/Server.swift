import Configuration
import FilterIndex
import LinuxSystem
import Quantities
import Synchronization

/// The daemon from start to end.
package enum Server {
    /// Descriptors kept for files, listeners and clients; the rest may be upstream sockets.
    private static let reservedDescriptors = 512
    /// UDP sockets for each upstream in a worker, at most and at least.
    private static let largestPool = 256
    private static let smallestPool = 8
    /// How long workers have to open their sockets.
    private static let startTime = Duration.seconds(10)
    /// How long workers have to end.
    private static let stopTime = Duration.seconds(5)

    /// Runs with the arguments of the command line; returns the exit status.
    package static func run(arguments: [String]) -> Int32 {
        do throws(DaemonError) {
            guard arguments.count == 2, arguments[0] == "--config" else { throw .usage }
            try serve(file: arguments[1])
            return 0
        } catch {
            StandardStream.write("sluiced: \(error)\n", to: .error)
            if case .usage = error { return 2 }
            return 3
        }
    }

    private static func serve(file: String) throws(DaemonError) {
        let (context, warnings) = try prepare(file: file)
        for warning in warnings { context.log.warning(warning) }
        let signals: SignalSource
        do { signals = try SignalSource() } catch { throw .system(error) }
        Process.ignoreBrokenPipes()
        var control = try ControlServer(context: context, signals: signals)
        try startWorkers(context)
        announce(context)
        control.run()
        stop(context)
    }

    private static func prepare(
        file: String
    ) throws(DaemonError) -> (context: ServerContext, warnings: [String]) {
        let (settings, warnings) = try StateLoader.settings(file: file)
        var notes = warnings
        let listen = try usableAddresses(settings, notes: &notes)
        let upstreams = try StateLoader.upstreams(settings)
        let lostPages = try watchForLostPages()
        let (state, snapshots) = try firstState(settings, notes: &notes)
        let workerCount = settings.workers ?? Process.processorCount
        let plan = StateLoader.plan(settings, snapshots, workerCount: workerCount)
        guard plan.isWithinLimit else { throw .memory(plan) }
        do throws(SystemError) {
            try FileIO.makeDirectories(path: settings.stateDirectory)
            let context = try ServerContext(
                configurationFile: file, settings: settings, listen: listen, upstreams: upstreams,
                state: state, plan: plan, workerCount: workerCount, lostPages: lostPages)
            return (context, notes)
        } catch {
            throw .system(error)
        }
    }

    /// The state to begin with. Own rules that cannot be read are told of and left out: whoever
    /// wrote them can make them again, and nobody should be without names for them.
    private static func firstState(
        _ settings: Settings, notes: inout [String]
    ) throws(DaemonError) -> (state: ActiveState, snapshots: [Snapshot]) {
        do throws(DaemonError) { return try StateLoader.state(settings, epoch: 1) } catch {
            guard case .ownRules = error else { throw error }
            notes.append("own rules are not in force: \(error)")
            return try StateLoader.state(settings, epoch: 1, hasOwnRules: false)
        }
    }

    /// From here on a snapshot whose file is cut or fails does not end the process.
    private static func watchForLostPages() throws(DaemonError) -> WakeUp {
        do throws(SystemError) {
            let wakeUp = try WakeUp()
            try MappedFile.surviveLostPages(waking: wakeUp)
            return wakeUp
        } catch {
            throw .system(error)
        }
    }

    /// Where to serve. IPv6 addresses on a host without IPv6 are left out with a note, unless none
    /// is left then.
    ///
    /// Workers share their ports, and so would another daemon of this user: it is looked for first.
    private static func usableAddresses(
        _ settings: Settings, notes: inout [String]
    ) throws(DaemonError) -> [NetworkAddress] {
        var usable: [NetworkAddress] = []
        var refused: SystemError?
        for endpoint in settings.listen {
            let address = try StateLoader.address(endpoint)
            do throws(SystemError) {
                try Sockets.probe(address)
                usable.append(address)
            } catch {
                switch error.code {
                case SystemError.Code.addressInUse:
                    throw .addressInUse(address, holder: PortHolder.find(port: address.port))
                case SystemError.Code.familyNotSupported, SystemError.Code.addressNotAvailable:
                    guard address.family == 6 else { throw .system(error) }
                    refused = error
                    notes.append("not listening on \(address), this host has no IPv6: \(error)")
                default:
                    throw .system(error)
                }
            }
        }
        if usable.isEmpty, let refused { throw .system(refused) }
        return usable
    }

    // MARK: Workers

    /// How the start of the workers goes.
    private struct Start: Sendable {
        var ready = 0
        var error: SystemError?
    }

    private final class StartBoard: Sendable {
        let state = Mutex(Start())
    }

    private static func startWorkers(_ context: ServerContext) throws(DaemonError) {
        let count = context.workers.count
        let descriptors = Process.raiseDescriptorLimit() - reservedDescriptors
        let pool = descriptors / (count * max(1, context.upstreams.count) * 2)
        let poolSize = min(max(pool, smallestPool), largestPool)
        let board = StartBoard()
        for index in 0..<count {
            let started: Void? = try? start(context, index, poolSize, board)
            guard started != nil else {
                throw .system(SystemError("pthread_create", code: SystemError.Code.again))
            }
        }
        let deadline = Clock.now() + startTime
        while Clock.now() < deadline {
            let state = board.state.withLock { $0 }
            if let error = state.error { throw .system(error) }
            if state.ready == count { return }
            Clock.pause(.milliseconds(1))
        }
        throw .system(SystemError("start of the workers", code: SystemError.Code.timedOut))
    }

    private static func start(
        _ context: ServerContext, _ index: Int, _ poolSize: Int, _ board: StartBoard
    ) throws(SystemError) {
        _ = try Thread(name: "worker-\(index)") {
            do throws(SystemError) {
                var worker = try Worker(context: context, index: index, poolSize: poolSize)
                board.state.withLock { $0.ready += 1 }
                worker.run()
            } catch {
                board.state.withLock { $0.error = error }
            }
            context.workers[index].isDone.store(true, ordering: .releasing)
        }
    }

    private static func announce(_ context: ServerContext) {
        let state = context.state.load()
        for policy in state.unfiltered {
            context.log.warning(
                "policy \(policy) has no compiled lists and filters nothing; run: sluice compile "
                    + "--config \(context.configurationFile), then: sluice reload")
        }
        if context.upstreams.isEmpty {
            // A router may start before it has a resolver: blocked names are served meanwhile.
            context.log.warning(
                "no upstream to forward to: 'upstreams' is empty and \(SystemResolvers.file) names "
                    + "none but Sluice itself; set upstreams: [ADDRESS] and restart")
        }
        let addresses = context.listen.map(\.description).joined(separator: ", ")
        let upstreams =
            context.upstreams.isEmpty
            ? "none" : context.upstreams.map(\.description).joined(separator: ", ")
        context.log.info(
            "serving on \(addresses), \(state.nameCount) names, \(context.workers.count) workers, "
                + "upstreams \(upstreams)")
    }

    private static func stop(_ context: ServerContext) {
        context.log.info("stopping")
        context.isStopping.store(true, ordering: .relaxed)
        context.wakeWorkers()
        let deadline = Clock.now() + stopTime
        while Clock.now() < deadline {
            if context.workers.allSatisfy({ $0.isDone.load(ordering: .acquiring) }) { break }
            Clock.pause(.milliseconds(5))
        }
        let removed: Void? = try? FileIO.remove(path: context.settings.controlSocket)
        if removed == nil { context.log.warning("the control socket could not be removed") }
    }
}
