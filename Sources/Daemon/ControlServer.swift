import Configuration
import Control
import DNSCache
import DNSResolver
import DomainNames
import LinuxSystem
import Quantities

/// The control thread: signals, the control socket, reloads. It never touches a query.
struct ControlServer: ~Copyable {
    private enum Token {
        static let signals: UInt64 = 1
        static let listener: UInt64 = 2
        static let firstConnection: UInt64 = 16
    }

    /// Clients of the socket at the same time.
    private static let connectionLimit = 16
    /// A connection is closed after this, whatever it does.
    private static let connectionTime = Duration.seconds(60)
    /// How long nothing is done when there are no descriptors left for a client.
    private static let restTime = Duration.milliseconds(200)

    private let context: ServerContext
    private var epoll: Epoll
    private let signals: SignalSource
    private let listener: FileDescriptor
    private var connections: [UInt64: ControlConnection] = [:]
    private var nextToken = Token.firstConnection
    private var epoch: UInt32 = 1
    private var lastError: String?

    /// Opens the control socket; a file left by a daemon that is gone is replaced.
    init(context: ServerContext, signals: consuming SignalSource) throws(DaemonError) {
        let path = context.settings.controlSocket
        do throws(SystemError) {
            if let parent = FileIO.parent(of: path) { try FileIO.makeDirectories(path: parent) }
            if FileIO.kind(path: path) == .socket {
                if (try? Sockets.connectUnix(path: path, timeoutMilliseconds: 1000)) != nil {
                    throw SystemError("listen", code: SystemError.Code.addressInUse, subject: path)
                }
                try FileIO.remove(path: path)
            }
            let listener = try Sockets.listenUnix(path: path, mode: 0o660)
            let epoll = try Epoll()
            try epoll.add(signals.number, for: .readable, token: Token.signals)
            try epoll.add(listener.number, for: .readable, token: Token.listener)
            self.context = context
            self.signals = signals
            self.listener = listener
            self.epoll = epoll
        } catch {
            throw error.code == SystemError.Code.addressInUse
                ? .alreadyRunning(socket: path) : .system(error)
        }
    }

    /// Serves until a signal says to stop.
    mutating func run() {
        while true {
            let count: Int
            do throws(SystemError) { count = try epoll.wait(milliseconds: 1000) } catch {
                context.log.error("waiting for control: \(error)")
                return
            }
            let now = Clock.now()
            for index in 0..<count {
                let event = epoll.event(index)
                switch event.token {
                case Token.signals: if handleSignals() { return }
                case Token.listener: accept(now: now)
                default: serve(event)
                }
            }
            for (token, connection) in connections
            where now - connection.opened > ControlServer.connectionTime {
                connections[token] = nil
            }
        }
    }

    /// - Returns: whether to stop.
    private mutating func handleSignals() -> Bool {
        while let signal = signals.next() {
            switch signal {
            case .interrupt, .terminate: return true
            case .hangUp: _ = reload()
            case .user1:
                let line = status()
                StandardStream.write(line.span, to: .error)
            }
        }
        return false
    }

    private mutating func accept(now: MonotonicInstant) {
        let accepted: FileDescriptor
        do throws(SystemError) {
            guard let taken = try Sockets.acceptUnix(listener) else { return }
            accepted = taken
        } catch {
            // The connection stays ready, and this thread would do nothing but try.
            if error.isForWantOfRoom { Clock.pause(ControlServer.restTime) }
            return
        }
        guard connections.count < ControlServer.connectionLimit else { return }
        let socket = SharedDescriptor(accepted)
        let token = nextToken
        nextToken += 1
        guard (try? epoll.add(socket.number, for: .readable, token: token)) != nil else { return }
        connections[token] = ControlConnection(socket: socket, opened: now)
    }

    private mutating func serve(_ event: ReadyEvent) {
        guard var connection = connections.removeValue(forKey: event.token) else { return }
        var state =
            event.readiness.contains(.writable) ? connection.write() : ControlConnection.State.open
        if state == .open, !event.readiness.isDisjoint(with: [.readable, .hungUp, .failed]) {
            state = connection.read { line in answer(line) }
        }
        guard state == .open,
            (try? epoll.modify(
                connection.socket.number, for: connection.interest, token: event.token)) != nil
        else { return }
        connections[event.token] = connection
    }

    // MARK: Requests

    private mutating func answer(_ line: Span<UInt8>) -> [UInt8] {
        let request: ControlRequest
        do { request = try ControlRequest(line: line) } catch {
            return ControlReply.errorLine("\(error)")
        }
        switch request {
        case .ping: return ControlReply.okLine()
        case .status: return status()
        case .reload: return reload()
        case .pause(let duration, let client): return pause(duration, client)
        case .resume:
            do { try context.pauses.resume(now: Clock.now()) } catch {
                return ControlReply.errorLine("resumed, but not for the next start: \(error)")
            }
            context.log.info("filtering resumed")
            return ControlReply.okLine()
        case .flush(let text): return flush(text)
        }
    }

    private func status() -> [UInt8] {
        let report = StatusReport(context: context, lastError: lastError)
        return ControlReply.okLine { report.write(to: &$0) }
    }

    private func pause(_ duration: Duration?, _ client: String?) -> [UInt8] {
        var address: IPAddress?
        if let client {
            guard let parsed = IPAddress(text: client) else {
                return ControlReply.errorLine("'\(client)' is no IP address")
            }
            address = parsed
        }
        do {
            guard try context.pauses.pause(address, for: duration, now: Clock.now()) else {
                return ControlReply.errorLine(
                    "\(PauseTable.clientLimit) clients are paused already; resume first")
            }
        } catch {
            return ControlReply.errorLine("paused, but a restart will forget it: \(error)")
        }
        context.log.info("filtering paused for \(client ?? "all clients")")
        return ControlReply.okLine()
    }

    private func flush(_ text: String?) -> [UInt8] {
        var name: DomainName?
        if let text {
            do { name = try DomainName(text: text) } catch {
                return ControlReply.errorLine("'\(text)' is no domain name: \(error)")
            }
        }
        let count = context.cache.flush(name: name)
        return ControlReply.okLine { $0.member("flushed", count) }
    }

    /// Reads configuration and snapshots again; what is bad leaves the old state in force.
    private mutating func reload() -> [UInt8] {
        do throws(DaemonError) {
            let file = context.configurationFile
            let (settings, warnings) = try StateLoader.settings(file: file)
            let inForce = context.state.load().filters.policies
            let filtered = Set(inForce.filter { $0.snapshot != nil }.map(\.name))
            let (state, snapshots) = try StateLoader.state(
                settings, epoch: epoch &+ 1, filtered: filtered)
            let plan = MemoryPlan(
                context.settings, prefilters: StateLoader.prefilterSize(of: snapshots),
                directories: StateLoader.directorySize(of: snapshots),
                workerCount: context.workers.count)
            guard plan.isWithinLimit else { throw .memory(plan) }
            epoch &+= 1
            context.state.publish(state)
            context.wakeWorkers()
            lastError = nil
            let restart = ControlServer.keysThatNeedRestart(context.settings, settings)
            for warning in warnings { context.log.warning(warning) }
            if !restart.isEmpty {
                context.log.warning(
                    "\(restart.joined(separator: ", ")) changed: in force after a restart")
            }
            let names = state.nameCount
            context.log.info("reloaded: \(state.filters.policies.count) policies, \(names) names")
            return ControlReply.okLine { json in
                json.member("names", names)
                json.member("needRestart") { value in
                    value.array { array in restart.forEach { array.string($0) } }
                }
            }
        } catch {
            lastError = "reload: \(error)"
            context.log.error("reload failed, the old state stays in force: \(error)")
            return ControlReply.errorLine("the old state stays in force: \(error)")
        }
    }

    /// Keys whose change a reload does not put in force.
    private static func keysThatNeedRestart(_ old: Settings, _ new: Settings) -> [String] {
        var keys: [String] = []
        if old.listen != new.listen { keys.append("listen") }
        if old.upstreams != new.upstreams { keys.append("upstreams") }
        if old.blockAnswer != new.blockAnswer { keys.append("block-answer") }
        if old.blockTTL != new.blockTTL { keys.append("block-ttl") }
        if old.ttl != new.ttl { keys.append("ttl") }
        if old.serveStale != new.serveStale { keys.append("serve-stale") }
        if old.tcp != new.tcp { keys.append("tcp") }
        if old.cacheSize != new.cacheSize { keys.append("cache-size") }
        if old.memoryLimit != new.memoryLimit { keys.append("memory-limit") }
        if old.workers != new.workers { keys.append("workers") }
        if old.log != new.log { keys.append("log") }
        if old.stateDirectory != new.stateDirectory { keys.append("state-directory") }
        if old.controlSocket != new.controlSocket { keys.append("control-socket") }
        return keys
    }
}
