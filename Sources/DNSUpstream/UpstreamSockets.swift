import LinuxSystem
import Quantities

/// The sockets behind a forwarder: does what its actions say and feeds it what comes back.
package struct UpstreamSockets: ~Copyable {
    /// What a worker's epoll token of ours holds in its lowest bit.
    private enum Kind: UInt64 {
        case datagram = 0
        case stream = 1
    }

    /// Answers of a pooled socket are read this many at a time, so that one upstream cannot hold
    /// the worker.
    private static let readsPerEvent = 16

    private let addresses: [NetworkAddress]
    private let tokenBase: UInt64
    private var pools: [DatagramPool]
    private var sockets = SocketTable()
    private var streams: [UpstreamStream?]
    private var streamCount: UInt64 = 0
    private var random = RandomSource()
    private var buffer = [UInt8](repeating: 0, count: 65_535)

    /// Sockets to `addresses`.
    /// - Parameters:
    ///   - poolSize: UDP sockets an upstream.
    ///   - tokenBase: set in every token given to epoll; the highest byte.
    package init(addresses: [NetworkAddress], poolSize: Int, tokenBase: UInt64) {
        self.addresses = addresses
        self.tokenBase = tokenBase
        pools = addresses.map { DatagramPool(address: $0, size: poolSize) }
        streams = addresses.map { _ in nil }
    }

    /// Octets of memory that messages on their way hold.
    package var bufferOctets: Int {
        buffer.capacity + streams.reduce(0) { $0 + ($1?.heldOctets ?? 0) }
    }

    /// Sends what the forwarder wants sent, and tells it how that went, until it wants no more.
    package mutating func perform(
        _ forwarder: inout Forwarder, _ actions: inout ForwarderActions, epoll: borrowing Epoll,
        now: MonotonicInstant
    ) {
        var done = 0
        while done < actions.sends.count {
            let send = actions.sends[done]
            done += 1
            do throws(SystemError) {
                if send.transport == .tcp {
                    let link = try sendOverStream(send, actions.octets, epoll: epoll, now: now)
                    forwarder.noteSent(send.attempt, over: link)
                    continue
                }
                let (link, isSent) = try sendDatagram(send, actions.octets, epoll: epoll, now: now)
                forwarder.noteSent(send.attempt, over: link)
                if !isSent { forwarder.noteFailure(of: link, now: now, actions: &actions) }
            } catch {
                forwarder.noteUnsent(send.attempt, now: now, actions: &actions)
            }
        }
        actions.clearSends()
    }

    /// Handles an event whose token is ours.
    package mutating func handle(
        _ event: ReadyEvent, forwarder: inout Forwarder, actions: inout ForwarderActions,
        epoll: borrowing Epoll, now: MonotonicInstant
    ) {
        let number = (event.token & ~(0xFF << 56)) >> 1
        switch Kind(rawValue: event.token & 1) ?? .datagram {
        case .datagram:
            readDatagrams(of: Link(number), forwarder: &forwarder, actions: &actions, now: now)
        case .stream:
            let index = Int(number)
            guard index < streams.count, var stream = streams[index] else { return }
            streams[index] = nil
            let state = serve(&stream, event, &forwarder, &actions, now: now)
            if state == .open,
                (try? epoll.modify(
                    stream.socket.number, for: stream.interest, token: event.token)) != nil
            {
                streams[index] = stream
            } else {
                forwarder.noteFailure(of: stream.link, now: now, actions: &actions)
            }
        }
        perform(&forwarder, &actions, epoll: epoll, now: now)
    }

    /// Closes what is no longer needed; call it about once a second.
    package mutating func closeIdle(now: MonotonicInstant) {
        sockets.closeRetired(now: now)
        for index in streams.indices where streams[index]?.isIdle(now) ?? false {
            streams[index] = nil
        }
    }

    // MARK: UDP

    /// Sends over a pooled socket.
    /// - Returns: the link, and whether it is good: a socket tells here, too, that an earlier
    ///   question on it met nobody at the other end, and tells it once.
    private mutating func sendDatagram(
        _ send: ForwarderActions.Send, _ octets: [UInt8], epoll: borrowing Epoll,
        now: MonotonicInstant
    ) throws(SystemError) -> (Link, isSent: Bool) {
        let base = tokenBase
        let link = try pools[send.upstream].pick(
            random: &random, now: now, sockets: &sockets, epoll: epoll
        ) { link in
            // Slot and generation: 23 bits of slot and 32 of generation fit below the base's byte.
            base | link.number << 1 | Kind.datagram.rawValue
        }
        guard let socket = sockets.socket(link) else {
            preconditionFailure("a picked link is open")
        }
        let sent: Int?
        do throws(SystemError) {
            sent = try Sockets.send(socket.descriptor, octets.span.extracting(send.range))
        } catch {
            sockets.close(link)
            return (link, false)
        }
        guard sent != nil else { throw SystemError("send", code: SystemError.Code.again) }
        sockets.noteSent(link)
        return (link, true)
    }

    private mutating func readDatagrams(
        of link: Link, forwarder: inout Forwarder, actions: inout ForwarderActions,
        now: MonotonicInstant
    ) {
        for _ in 0..<UpstreamSockets.readsPerEvent {
            guard let socket = sockets.socket(link) else { return }
            do throws(SystemError) {
                var span = buffer.mutableSpan
                guard let count = try Sockets.receive(socket.descriptor, into: &span) else {
                    return
                }
                let belongs = forwarder.receive(
                    buffer.span.extracting(0..<count), over: link, now: now, actions: &actions)
                if belongs { sockets.noteAnswered(link) }
            } catch {
                // A connected UDP socket hears here that nobody listens at the other end.
                sockets.close(link)
                forwarder.noteFailure(of: link, now: now, actions: &actions)
                return
            }
        }
    }

    // MARK: TCP

    private mutating func sendOverStream(
        _ send: ForwarderActions.Send, _ octets: [UInt8], epoll: borrowing Epoll,
        now: MonotonicInstant
    ) throws(SystemError) -> Link {
        let token = tokenBase | UInt64(send.upstream) << 1 | Kind.stream.rawValue
        var stream: UpstreamStream
        if let open = streams[send.upstream] {
            stream = open
        } else {
            let socket = SharedDescriptor(try Sockets.connectTCP(addresses[send.upstream]))
            streamCount += 1
            // The top bit keeps links of streams apart from those of datagram sockets.
            stream = UpstreamStream(
                socket: socket, link: Link(1 << 63 | streamCount), now: now)
            try epoll.add(socket.number, for: stream.interest, token: token)
        }
        guard stream.enqueue(octets.span.extracting(send.range), now: now) else {
            throw SystemError("send", code: SystemError.Code.again)
        }
        try epoll.modify(stream.socket.number, for: stream.interest, token: token)
        streams[send.upstream] = stream
        return stream.link
    }

    private mutating func serve(
        _ stream: inout UpstreamStream, _ event: ReadyEvent, _ forwarder: inout Forwarder,
        _ actions: inout ForwarderActions, now: MonotonicInstant
    ) -> UpstreamStream.State {
        if event.readiness.contains(.writable) || event.readiness.contains(.failed) {
            guard stream.write() == .open else { return .closed }
        }
        guard event.readiness.contains(.readable) || event.readiness.contains(.hungUp) else {
            return .open
        }
        let link = stream.link
        return stream.read(now: now, buffer: &buffer) { message in
            forwarder.receive(message, over: link, now: now, actions: &actions)
        }
    }
}
