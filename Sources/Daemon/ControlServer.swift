import Configuration
import Control
import DNSCache
import DNSResolver
import DomainNames
import FilterIndex
import LinuxSystem
import Quantities

/// The control thread: signals, the control socket, reloads. It never touches a query.
struct ControlServer: ~Copyable {
    private enum Token {
        static let signals: UInt64 = 1
        static let listener: UInt64 = 2
        static let lostPages: UInt64 = 3
        static let firstConnection: UInt64 = 16
    }

    /// Clients of the socket at the same time.
    private static let connectionLimit = 16
    /// A connection is closed after this, whatever it does.
    private static let connectionTime = Duration.seconds(60)
    /// How long nothing is done when there are no descriptors left for a client.
    private static let restTime = Duration.milliseconds(200)
    /// How often memory is held against its limit, and how long a measure has to work.
    private static let memoryInterval = Duration.seconds(1)
    private static let memoryRestTime = Duration.seconds(10)

    private let context: ServerContext
    private var epoll: Epoll
    private let signals: SignalSource
    private let listener: FileDescriptor
    private var connections: [UInt64: ControlConnection] = [:]
    private var nextToken = Token.firstConnection
    private var reloader: Reloader
    private var nextMemoryCheck = MonotonicInstant.distantPast

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
            try epoll.add(context.lostPages.number, for: .readable, token: Token.lostPages)
            reloader = Reloader(context: context)
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
                case Token.lostPages:
                    context.lostPages.clear()
                    reloader.replaceLost()
                default: serve(event)
                }
            }
            for (token, connection) in connections
            where now - connection.opened > ControlServer.connectionTime {
                connections[token] = nil
            }
            keepWithinMemoryLimit(now: now)
        }
    }

    /// Gives back pages of names while the process holds more than `memory-limit`: they can be
    /// read again, and what else there is was sized to fit.
    private mutating func keepWithinMemoryLimit(now: MonotonicInstant) {
        guard now >= nextMemoryCheck else { return }
        nextMemoryCheck = now + ControlServer.memoryInterval
        guard Process.residentOctets > context.plan.limit.octets else { return }
        for policy in context.state.load().filters.policies { policy.snapshot?.dropNames() }
        nextMemoryCheck = now + ControlServer.memoryRestTime
    }

    /// - Returns: whether to stop.
    private mutating func handleSignals() -> Bool {
        while let signal = signals.next() {
            switch signal {
            case .interrupt, .terminate: return true
            case .hangUp: _ = reloader.reload()
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
        case .reload: return reloader.reload()
        case .rules: return reloader.reloadOwnRules()
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
        let report = StatusReport(context: context, lastError: reloader.lastError)
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
}
