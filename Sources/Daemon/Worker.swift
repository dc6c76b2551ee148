import Configuration
import DNSListener
import DNSResolver
import DNSUpstream
import LinuxSystem
import Metrics
import Quantities
import QueryEvents
import Synchronization

/// One thread of the data plane: its own sockets, resolver, forwarder and timers, one epoll.
///
/// A round: wait, take what came, let the timers fire, then send what all of that wants sent.
struct Worker: ~Copyable {
    /// What an epoll token is of: its highest byte.
    private enum Source {
        static let datagrams: UInt64 = 1
        static let streamListener: UInt64 = 2
        static let stream: UInt64 = 3
        static let upstream: UInt64 = 4
        static let wakeUp: UInt64 = 5

        static func base(_ source: UInt64) -> UInt64 { source << 56 }
    }

    /// Idle sockets are closed and gauges set this often.
    private static let housekeepingInterval = Duration.seconds(1)
    /// How long a worker that is to end waits for answers in flight.
    private static let drainTime = Duration.seconds(2)

    private let context: ServerContext
    private let status: WorkerStatus
    private let wakeUp: WakeUp
    private var epoll: Epoll
    private let datagramListeners: [DatagramListener]
    private var receiveBatch: ReceiveBatch
    private var sendBatch: SendBatch
    private var streams: StreamListener
    private var routes = RouteTable()
    private var resolver: Resolver
    private var forwarder: Forwarder
    private var upstreamSockets: UpstreamSockets
    private var actions = ResolverActions()
    private var forwarding = ForwarderActions()
    private var active: ActiveState
    private var generation: UInt32
    private var nextHousekeeping: MonotonicInstant
    private var stopBy: MonotonicInstant?

    /// Opens the sockets of worker `index`.
    /// - Parameter poolSize: UDP sockets for each upstream.
    init(context: ServerContext, index: Int, poolSize: Int) throws(SystemError) {
        let status = context.workers[index]
        let wakeUp = context.wakeUps[index]
        let now = Clock.now()
        let epoll = try Epoll()
        var listeners: [DatagramListener] = []
        for address in context.listen {
            let listener = try DatagramListener(address: address)
            try epoll.add(
                listener.number, for: .readable,
                token: Source.base(Source.datagrams) | UInt64(listeners.count))
            listeners.append(listener)
        }
        let tcp = context.settings.tcp
        let streams = try StreamListener(
            addresses: context.listen,
            limits: StreamLimits(
                idleTime: tcp.idleTimeout, connections: tcp.connections,
                perClient: tcp.perClient),
            counters: status.streams, listenerBase: Source.base(Source.streamListener),
            streamBase: Source.base(Source.stream), epoll: epoll)
        try epoll.add(wakeUp.number, for: .readable, token: Source.base(Source.wakeUp))
        // Nothing throws from here on: a half-made worker cannot be taken apart.
        self.context = context
        self.status = status
        self.wakeUp = wakeUp
        self.epoll = epoll
        self.streams = streams
        datagramListeners = listeners
        receiveBatch = ReceiveBatch(
            count: DatagramListener.batchSize, datagramSize: DatagramListener.querySize)
        sendBatch = SendBatch(count: DatagramListener.batchSize)
        generation = context.state.generation
        active = context.state.load()
        resolver = Resolver(
            options: context.resolverOptions, cache: context.cache, filters: active.filters,
            counters: status.resolver)
        forwarder = Forwarder(
            upstreams: context.upstreams.map {
                Upstream(name: $0.description, isTrusted: $0.isLoopback)
            },
            options: ForwarderOptions(), counters: status.forwarder, now: now)
        upstreamSockets = UpstreamSockets(
            addresses: context.upstreams, poolSize: poolSize,
            tokenBase: Source.base(Source.upstream))
        nextHousekeeping = now + Worker.housekeepingInterval
    }

    /// Serves until the context says to stop and the answers in flight are out.
    mutating func run() {
        while true {
            let now = Clock.now()
            if context.isStopping.load(ordering: .relaxed), isDrained(now) { return }
            serveRound(waitFrom: now)
        }
    }

    private mutating func serveRound(waitFrom start: MonotonicInstant) {
        let count: Int
        do throws(SystemError) {
            count = try epoll.wait(milliseconds: timeout(from: start))
        } catch {
            context.log.error("waiting for sockets: \(error)")
            return
        }
        let now = Clock.now()
        resolver.setWallClock(seconds: Clock.wallSeconds())
        refreshState()
        for index in 0..<count { handle(epoll.event(index), now: now) }
        forwarder.tick(now: now, actions: &forwarding)
        settle(now: now)
        resolver.tick(now: now, actions: &actions)
        settle(now: now)
        if now >= nextHousekeeping { keepHouse(now: now) }
    }

    private func timeout(from now: MonotonicInstant) -> Int32 {
        var next = nextHousekeeping
        if let tick = forwarder.nextTick { next = min(next, tick) }
        if let tick = resolver.nextTick { next = min(next, tick) }
        if stopBy != nil { next = min(next, now + .milliseconds(20)) }
        return Int32(clamping: max(0, (next - now).wholeMillisecondsRoundedUp))
    }

    private mutating func refreshState() {
        let current = context.state.generation
        guard current != generation else { return }
        generation = current
        active = context.state.load()
        resolver.install(active.filters)
    }

    private mutating func handle(_ event: ReadyEvent, now: MonotonicInstant) {
        switch event.token >> 56 {
        case Source.datagrams:
            receiveDatagrams(Int(event.token & 0xFF), now: now)
        case Source.streamListener:
            streams.accept(Int(event.token & 0xFF), epoll: epoll, now: now)
        case Source.stream:
            receiveStream(event, now: now)
        case Source.upstream:
            upstreamSockets.handle(
                event, forwarder: &forwarder, actions: &forwarding, epoll: epoll, now: now)
        default:
            wakeUp.clear()
        }
        settle(now: now)
    }

    private mutating func receiveDatagrams(_ listener: Int, now: MonotonicInstant) {
        // A full batch is likely followed by more, but timers and upstreams have their turn first.
        guard let count = try? datagramListeners[listener].fill(&receiveBatch) else { return }
        for index in 0..<count {
            let peer = receiveBatch.peer(index)
            let token = routes.insert(.datagram(listener: listener, peer))
            let client = client(peer.remote, token: token, transport: .udp, now: now)
            Worker.receive(receiveBatch, index, from: client, now: now, &resolver, &actions)
        }
    }

    /// Spans of one part of the worker and writing to others need the parts by themselves: these
    /// functions take them as arguments.
    private static func receive(
        _ batch: borrowing ReceiveBatch, _ index: Int, from client: Client, now: MonotonicInstant,
        _ resolver: inout Resolver, _ actions: inout ResolverActions
    ) {
        resolver.receive(batch.octets(index), from: client, now: now, actions: &actions)
    }

    private mutating func receiveStream(_ event: ReadyEvent, now: MonotonicInstant) {
        var messages: [(octets: [UInt8], key: StreamKey, remote: NetworkAddress)] = []
        streams.handle(event, epoll: epoll, now: now) { message, key, remote in
            var octets: [UInt8] = []
            octets.reserveCapacity(message.count)
            for index in message.indices { octets.append(message[index]) }
            messages.append((octets, key, remote))
        }
        for message in messages {
            let token = routes.insert(.stream(message.key))
            let client = client(message.remote, token: token, transport: .tcp, now: now)
            resolver.receive(message.octets.span, from: client, now: now, actions: &actions)
        }
    }

    private func client(
        _ remote: NetworkAddress, token: UInt32, transport: Client.Transport,
        now: MonotonicInstant
    ) -> Client {
        let address = remote.ip
        let isPaused = context.pauses.isPaused(address, now: now)
        return Client(
            token: ClientToken(token), address: address,
            policy: isPaused ? nil : active.clients.longestMatch(address) ?? 0,
            isAllowed: active.allowed.longestMatch(address) != nil, transport: transport)
    }

    // MARK: Sending

    /// Does what the resolver and the forwarder want done, until neither wants more.
    private mutating func settle(now: MonotonicInstant) {
        Worker.begin(actions, now: now, &forwarder, &forwarding)
        upstreamSockets.perform(&forwarder, &forwarding, epoll: epoll, now: now)
        Worker.end(forwarding, now: now, &resolver, &actions)
        forwarding.removeAll()
        sendReplies(now: now)
        actions.removeAll()
    }

    private static func begin(
        _ actions: borrowing ResolverActions, now: MonotonicInstant,
        _ forwarder: inout Forwarder, _ forwarding: inout ForwarderActions
    ) {
        for ask in actions.asks {
            forwarder.begin(
                actions.octets.span.extracting(ask.range), tag: ask.question.tag, now: now,
                actions: &forwarding)
        }
    }

    private static func end(
        _ forwarding: borrowing ForwarderActions, now: MonotonicInstant,
        _ resolver: inout Resolver, _ actions: inout ResolverActions
    ) {
        for (tag, ending) in forwarding.endings {
            let question = QuestionToken(tag: tag)
            switch ending {
            case .answer(let range, let isTrusted):
                resolver.complete(
                    question, with: forwarding.octets.span.extracting(range),
                    isTrusted: isTrusted, now: now, actions: &actions)
            case .failure(let failure):
                resolver.fail(
                    question, because: UpstreamFailure(failure), now: now, actions: &actions)
            }
        }
    }

    private mutating func sendReplies(now: MonotonicInstant) {
        var listener = 0
        for reply in actions.replies {
            let route = routes.take(reply.client.number)
            if context.settings.log.queries { logQuery(reply, route) }
            switch route {
            case .datagram(let number, let peer):
                if sendBatch.isFull || number != listener { flush(listener) }
                listener = number
                sendBatch.append(reply.range, to: peer)
            case .stream(let key):
                Worker.reply(actions, reply.range, to: key, &streams, epoll: epoll, now: now)
            }
        }
        flush(listener)
        for drop in actions.drops {
            if case .stream(let key) = routes.take(drop.number) {
                streams.noteDropped(key, epoll: epoll)
            }
        }
    }

    private mutating func flush(_ listener: Int) {
        guard !sendBatch.isEmpty else { return }
        let lost = Worker.flush(actions, &sendBatch, through: datagramListeners[listener])
        if lost > 0 { status.repliesLost.add(UInt64(lost)) }
    }

    private static func reply(
        _ actions: borrowing ResolverActions, _ range: Range<Int>, to key: StreamKey,
        _ streams: inout StreamListener, epoll: borrowing Epoll, now: MonotonicInstant
    ) {
        streams.reply(actions.octets.span.extracting(range), to: key, epoll: epoll, now: now)
    }

    private static func flush(
        _ actions: borrowing ResolverActions, _ batch: inout SendBatch,
        through listener: DatagramListener
    ) -> Int {
        listener.flush(&batch, from: actions.octets.span)
    }

    private func logQuery(_ reply: ResolverActions.Reply, _ route: ReplyRoute) {
        let client: NetworkAddress? =
            switch route {
            case .datagram(_, let peer): peer.remote
            case .stream(let key): streams.remote(of: key)
            }
        let line = QueryLine.text(
            client: client?.addressText ?? "-",
            message: actions.octets.span.extracting(reply.range), outcome: reply.outcome)
        StandardStream.write("sluiced: \(line)\n", to: .error)
    }

    // MARK: From time to time

    private mutating func keepHouse(now: MonotonicInstant) {
        nextHousekeeping = now + Worker.housekeepingInterval
        streams.closeIdle(now: now)
        streams.resumeAccepting(epoll: epoll)
        upstreamSockets.closeIdle(now: now)
        status.pendingOctets.store(
            resolver.pendingOctets + forwarder.heldOctets + routes.heldOctets, ordering: .relaxed)
        status.bufferOctets.store(bufferOctets, ordering: .relaxed)
        for (index, health) in forwarder.health.enumerated() {
            status.upstreams[index].set(
                roundTrip: health.roundTrip, isDown: health.isResting(now))
        }
    }

    private var bufferOctets: Int {
        receiveBatch.heldOctets + sendBatch.heldOctets + actions.heldOctets
            + forwarding.heldOctets + streams.bufferOctets + upstreamSockets.bufferOctets
    }

    /// Whether a worker that is to stop has nothing left to answer, or has waited long enough.
    private mutating func isDrained(_ now: MonotonicInstant) -> Bool {
        guard let deadline = stopBy else {
            stopBy = now + Worker.drainTime
            for listener in datagramListeners { epoll.remove(listener.number) }
            return routes.count == 0
        }
        return routes.count == 0 || now >= deadline
    }
}

extension QuestionToken {
    /// The token as one number, for the forwarder.
    var tag: UInt64 { UInt64(slot) << 32 | UInt64(generation) }

    /// The token that a tag stands for.
    init(tag: UInt64) {
        self.init(
            slot: UInt32(truncatingIfNeeded: tag >> 32), generation: UInt32(truncatingIfNeeded: tag)
        )
    }
}

extension UpstreamFailure {
    /// The same in the resolver's words.
    init(_ failure: ExchangeFailure) {
        switch failure {
        case .timeout: self = .timeout
        case .unreachable: self = .unreachable
        case .failedUpstream: self = .failedUpstream
        case .malformed: self = .malformed
        case .overloaded: self = .timeout
        }
    }
}
