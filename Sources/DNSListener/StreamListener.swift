import LinuxSystem
import Metrics
import Quantities

/// A client's TCP connection, told apart from later ones in the same place.
package struct StreamKey: Hashable, Sendable {
    /// Place in the table.
    package let slot: UInt32
    /// Use of the place.
    package let generation: UInt32
}

/// The limits of TCP (RFC 7766 §6.2, RFC 9210 §4).
package struct StreamLimits: Sendable {
    /// A connection without a whole message for this long is closed.
    package var idleTime: Duration
    /// Connections of a worker.
    package var connections: Int
    /// Connections of one client address.
    package var perClient: Int

    /// Limits of these values.
    package init(idleTime: Duration, connections: Int, perClient: Int) {
        self.idleTime = idleTime
        self.connections = connections
        self.perClient = perClient
    }
}

/// The TCP side of a worker: listeners and the connections of clients.
package struct StreamListener: ~Copyable {
    private struct Slot {
        var stream: ClientStream?
        var generation: UInt32 = 0
    }

    /// New connections taken for one event.
    private static let acceptBatch = 16
    private static let readSize = 16 << 10

    private let listeners: [SharedDescriptor]
    private let limits: StreamLimits
    private let listenerBase: UInt64
    private let streamBase: UInt64
    /// What was counted so far.
    package let counters: StreamCounters
    private var slots: [Slot] = []
    private var free: [Int] = []
    private var perClient: [NetworkAddress: Int] = [:]
    /// Numbers of listeners that nothing is taken of for a while.
    private var resting: [Int] = []
    private var buffer = [UInt8](repeating: 0, count: StreamListener.readSize)

    /// Listens on `addresses`.
    /// - Parameters:
    ///   - listenerBase: set in the epoll tokens of listeners, the number of the listener added.
    ///   - streamBase: set in those of connections; the highest byte.
    package init(
        addresses: [NetworkAddress], limits: StreamLimits, counters: StreamCounters,
        listenerBase: UInt64, streamBase: UInt64, epoll: borrowing Epoll
    ) throws(SystemError) {
        var opened: [SharedDescriptor] = []
        for address in addresses {
            let listener = SharedDescriptor(try Sockets.listenTCP(address, sharesPort: true))
            try epoll.add(
                listener.number, for: .readable, token: listenerBase | UInt64(opened.count))
            opened.append(listener)
        }
        listeners = opened
        self.limits = limits
        self.counters = counters
        self.listenerBase = listenerBase
        self.streamBase = streamBase
    }

    /// Octets of memory that messages on their way hold.
    package var bufferOctets: Int {
        buffer.capacity + slots.capacity * MemoryLayout<Slot>.stride
            + slots.reduce(0) { $0 + ($1.stream?.heldOctets ?? 0) }
    }

    /// Connections now open.
    package var count: Int { slots.count - free.count }

    /// Takes new connections of listener `index`.
    package mutating func accept(_ index: Int, epoll: borrowing Epoll, now: MonotonicInstant) {
        for _ in 0..<StreamListener.acceptBatch {
            let accepted: AcceptedSocket?
            do throws(SystemError) {
                accepted = try Sockets.accept(listeners[index].descriptor)
            } catch {
                counters.acceptFailures.add()
                if error.isForWantOfRoom { rest(index, epoll: epoll) }
                return
            }
            guard let accepted else { return }
            insert(accepted, epoll: epoll, now: now)
        }
    }

    /// Stops watching a listener: a connection that cannot be taken stays ready, and the worker
    /// would do nothing but try.
    private mutating func rest(_ index: Int, epoll: borrowing Epoll) {
        let token = listenerBase | UInt64(index)
        if (try? epoll.modify(listeners[index].number, for: [], token: token)) != nil {
            resting.append(index)
        }
    }

    /// Watches listeners again that rested; call it about once a second.
    package mutating func resumeAccepting(epoll: borrowing Epoll) {
        resting.removeAll { index in
            let token = listenerBase | UInt64(index)
            return (try? epoll.modify(listeners[index].number, for: .readable, token: token)) != nil
        }
    }

    private mutating func insert(
        _ accepted: consuming AcceptedSocket, epoll: borrowing Epoll, now: MonotonicInstant
    ) {
        let remote = accepted.remote
        let client = StreamListener.client(remote)
        guard count < limits.connections, perClient[client, default: 0] < limits.perClient else {
            counters.refused.add()
            return
        }
        let socket = SharedDescriptor(accepted.take())
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        let stream = ClientStream(socket: socket, remote: remote, now: now)
        slots[slot] = Slot(stream: stream, generation: slots[slot].generation &+ 1)
        perClient[client, default: 0] += 1
        counters.accepted.add()
        let added: Void? = try? epoll.add(socket.number, for: .readable, token: token(slot))
        if added == nil { close(slot) }
    }

    /// Handles an event of a connection.
    /// - Parameter take: called with each whole message, its connection and the client's address.
    package mutating func handle(
        _ event: ReadyEvent, epoll: borrowing Epoll, now: MonotonicInstant,
        _ take: (Span<UInt8>, StreamKey, NetworkAddress) -> Void
    ) {
        let slot = Int(event.token & 0xFF_FFFF)
        guard slot < slots.count, token(slot) == event.token, var stream = slots[slot].stream
        else { return }
        slots[slot].stream = nil
        var state = ClientStream.State.open
        // Hung up means both directions: nothing can come or go any more.
        if !event.readiness.isDisjoint(with: [.failed, .hungUp]) { state = .closed }
        if state == .open, event.readiness.contains(.writable) { state = stream.write() }
        if state == .open {
            let key = StreamKey(slot: UInt32(slot), generation: slots[slot].generation)
            let remote = stream.remote
            state = stream.read(now: now, buffer: &buffer) { message in
                take(message, key, remote)
            }
        }
        slots[slot].stream = stream
        settle(slot, state, epoll: epoll)
    }

    /// The client of a connection; `nil` when it is gone.
    package func remote(of key: StreamKey) -> NetworkAddress? {
        let slot = slots[Int(key.slot)]
        return slot.generation == key.generation ? slot.stream?.remote : nil
    }

    /// Sends an answer; nothing happens when the connection is gone.
    package mutating func reply(
        _ message: Span<UInt8>, to key: StreamKey, epoll: borrowing Epoll, now: MonotonicInstant
    ) {
        let slot = Int(key.slot)
        guard slots[slot].generation == key.generation, slots[slot].stream != nil else { return }
        let state = slots[slot].stream?.reply(message, now: now) ?? .closed
        settle(slot, state, epoll: epoll)
    }

    /// Notes that a query of a connection gets no answer.
    package mutating func noteDropped(_ key: StreamKey, epoll: borrowing Epoll) {
        let slot = Int(key.slot)
        guard slots[slot].generation == key.generation else { return }
        slots[slot].stream?.noteDropped()
        if slots[slot].stream != nil { settle(slot, .open, epoll: epoll) }
    }

    /// Closes connections that were idle too long; call it about once a second.
    package mutating func closeIdle(now: MonotonicInstant) {
        for slot in slots.indices {
            guard let stream = slots[slot].stream, now - stream.lastUse >= limits.idleTime else {
                continue
            }
            counters.idleClosed.add()
            close(slot)
        }
    }

    /// Closes a connection that is over, or tells epoll what it waits for.
    private mutating func settle(
        _ slot: Int, _ state: ClientStream.State, epoll: borrowing Epoll
    ) {
        guard state == .open, let stream = slots[slot].stream else { return close(slot) }
        let changed: Void? = try? epoll.modify(
            stream.socket.number, for: stream.interest, token: token(slot))
        if changed == nil { close(slot) }
    }

    private func token(_ slot: Int) -> UInt64 {
        streamBase | UInt64(slots[slot].generation) << 24 | UInt64(slot)
    }

    private static func client(_ remote: NetworkAddress) -> NetworkAddress {
        var client = remote
        client.port = 0
        return client
    }

    private mutating func close(_ slot: Int) {
        guard let stream = slots[slot].stream else { return }
        let client = StreamListener.client(stream.remote)
        let left = perClient[client, default: 1] - 1
        perClient[client] = left > 0 ? left : nil
        slots[slot].stream = nil
        free.append(slot)
    }
}
