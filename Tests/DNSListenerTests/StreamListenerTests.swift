import DNSListener
import Foundation
import LinuxSystem
import Metrics
import Quantities
import Testing

/// The TCP side of a worker in the test's own loop; answers are the query's octets, reversed.
private final class ListenerRig {
    var listener: StreamListener
    var epoll: Epoll
    let address: NetworkAddress
    var ahead = Duration.zero
    /// Messages taken, in order, not yet answered.
    var taken: [(octets: [UInt8], key: StreamKey)] = []

    init(limits: StreamLimits = .init(idleTime: .seconds(10), connections: 256, perClient: 16))
        throws
    {
        epoll = try Epoll()
        // A free port: bound, asked for and let go.
        let free = try Sockets.localAddress(
            try Sockets.listenTCP(
                NetworkAddress(octets: [127, 0, 0, 1], port: 0), sharesPort: true))
        address = free
        listener = try StreamListener(
            addresses: [free], limits: limits, counters: StreamCounters(), listenerBase: 2 << 56,
            streamBase: 3 << 56, epoll: epoll)
    }

    var now: MonotonicInstant { Clock.now() + ahead }

    /// Handles what has happened so far.
    func turn() throws {
        let count = try epoll.wait(milliseconds: 2)
        for index in 0..<count {
            let event = epoll.event(index)
            if event.token >> 56 == 2 {
                listener.accept(Int(event.token & 0xFF), epoll: epoll, now: now)
                continue
            }
            var messages: [(octets: [UInt8], key: StreamKey)] = []
            listener.handle(event, epoll: epoll, now: now) { message, key, remote in
                #expect(remote.octets == [127, 0, 0, 1])
                messages.append((message.indices.map { message[$0] }, key))
            }
            taken += messages
        }
    }

    /// Answers everything taken, the last first.
    func answerAll() {
        for message in taken.reversed() {
            let reply = Array(message.octets.reversed())
            listener.reply(reply.span, to: message.key, epoll: epoll, now: now)
        }
        taken = []
    }
}

/// A client whose connection does not block.
private final class LoopbackClient {
    let socket: FileDescriptor
    private(set) var incoming: [UInt8] = []
    private(set) var isClosed = false

    init(_ address: NetworkAddress) throws {
        socket = try Sockets.connectTCP(address)
    }

    /// Sends all octets, as far as the kernel takes them; returns how many it took.
    @discardableResult
    func send(_ octets: [UInt8]) throws -> Int {
        try Sockets.send(socket, octets.span) ?? 0
    }

    func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var span = buffer.mutableSpan
        do throws(SystemError) {
            guard let count = try Sockets.receive(socket, into: &span) else { return }
            if count == 0 { isClosed = true }
            incoming += buffer[..<count]
        } catch {
            isClosed = true
        }
    }

    /// The whole messages received so far.
    var messages: [[UInt8]] {
        var messages: [[UInt8]] = []
        var start = 0
        while incoming.count - start >= 2 {
            let size = Int(incoming[start]) << 8 | Int(incoming[start + 1])
            guard incoming.count - start >= 2 + size else { break }
            messages.append(Array(incoming[(start + 2)..<(start + 2 + size)]))
            start += 2 + size
        }
        return messages
    }

    /// Ends the sending half of the connection.
    func finishSending() { shutdown(socket.number, Int32(SHUT_WR)) }
}

private func framed(_ octets: [UInt8]) -> [UInt8] {
    [UInt8(octets.count >> 8), UInt8(octets.count & 255)] + octets
}

/// TCP clients (S24, S25).
@Suite(.serialized) struct StreamListenerTests {
    private static func until(
        _ isDone: () -> Bool, _ turn: () throws -> Void
    ) throws {
        let limit = Clock.now() + .seconds(5)
        while !isDone(), Clock.now() < limit { try turn() }
        #expect(isDone())
    }

    /// RFC 7766 §8: the length may come apart, and so may all else.
    @Test func aMessageMayComeOctetByOctet() throws {
        let rig = try ListenerRig()
        let client = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        let message = (0..<40).map { UInt8($0) }
        for octet in framed(message) {
            #expect(rig.taken.isEmpty)
            try client.send([octet])
            try rig.turn()
        }
        try Self.until({ !rig.taken.isEmpty }) { try rig.turn() }
        #expect(rig.taken.map(\.octets) == [message])
        rig.answerAll()
        try Self.until({ client.messages.count == 1 }) { client.read() }
        #expect(client.messages == [message.reversed()])
    }

    /// RFC 7766 §6.2.1.1, §7: many at once, answered in any order.
    @Test func fiftyMessagesInOneWriteAreFiftyMessages() throws {
        let rig = try ListenerRig()
        let client = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        let messages = (0..<50).map { [UInt8](repeating: UInt8($0), count: 12 + $0) }
        try client.send(messages.flatMap { framed($0) })
        try Self.until({ rig.taken.count == 50 }) { try rig.turn() }
        #expect(rig.taken.map(\.octets) == messages)
        rig.answerAll()
        try Self.until({ client.messages.count == 50 }) { client.read() }
        #expect(client.messages == messages.reversed())
    }

    @Test func emptyAndLargestMessagesPass() throws {
        let rig = try ListenerRig()
        let client = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        let largest = (0..<65_535).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var rest = framed([]) + framed(largest)
        try Self.until({ rig.taken.count == 2 }) {
            rest.removeFirst(try client.send(rest))
            try rig.turn()
        }
        #expect(rig.taken.map(\.octets) == [[], largest])
        rig.answerAll()
        try Self.until({ client.messages.count == 2 }) {
            client.read()
            try rig.turn()
        }
        #expect(client.messages == [largest.reversed(), []])
    }

    /// S25: a connection without a whole message is closed in time, one in use is not.
    @Test func idleConnectionsAreClosed() throws {
        let rig = try ListenerRig()
        let idle = try LoopbackClient(rig.address)
        let busy = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 2 }) { try rig.turn() }
        // Half a message is no use of the connection.
        try idle.send([0, 12, 1, 2])
        rig.ahead = .seconds(6)
        try busy.send(framed([1, 2, 3]))
        try Self.until({ rig.taken.count == 1 }) { try rig.turn() }
        rig.ahead = .seconds(9)
        rig.listener.closeIdle(now: rig.now)
        #expect(rig.listener.count == 2)
        rig.ahead = .seconds(11)
        rig.listener.closeIdle(now: rig.now)
        #expect(rig.listener.count == 1 && rig.listener.counters.idleClosed.load() == 1)
        try Self.until({ idle.isClosed }) { idle.read() }
        rig.answerAll()
        try Self.until({ busy.messages.count == 1 }) { busy.read() }
    }

    /// RFC 9210 §4: no client takes all connections.
    @Test func aClientHasItsShareOfConnections() throws {
        let rig = try ListenerRig(
            limits: .init(idleTime: .seconds(10), connections: 8, perClient: 3))
        let clients = try (0..<5).map { _ in try LoopbackClient(rig.address) }
        try Self.until({ rig.listener.counters.refused.load() == 2 }) { try rig.turn() }
        #expect(rig.listener.count == 3 && rig.listener.counters.accepted.load() == 3)
        try Self.until({ clients.filter(\.isClosed).count == 2 }) {
            for client in clients { client.read() }
        }
        // A place that is given back is free again.
        let open = try #require(clients.first { !$0.isClosed })
        open.finishSending()
        try Self.until({ rig.listener.count == 2 }) { try rig.turn() }
        _ = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.counters.accepted.load() == 4 }) { try rig.turn() }
    }

    /// A client may send its queries, end its half, and wait for the answers.
    @Test func aClientThatHasSentAllStillGetsItsAnswers() throws {
        let rig = try ListenerRig()
        let client = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        try client.send(framed([1, 2, 3]) + framed([4, 5]))
        client.finishSending()
        try Self.until({ rig.taken.count == 2 }) { try rig.turn() }
        for _ in 0..<5 { try rig.turn() }
        #expect(rig.listener.count == 1)
        let second = rig.taken.removeLast()
        rig.listener.noteDropped(second.key, epoll: rig.epoll)
        #expect(rig.listener.count == 1)
        rig.answerAll()
        try Self.until({ client.isClosed }) { client.read() }
        #expect(client.messages == [[3, 2, 1]] && rig.listener.count == 0)
    }

    /// A reply to a connection that is gone, or whose place another has taken, goes nowhere.
    @Test func aLateReplyGoesToNobodyElse() throws {
        let rig = try ListenerRig()
        do {
            let first = try LoopbackClient(rig.address)
            try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
            try first.send(framed([1, 2, 3]))
            try Self.until({ rig.taken.count == 1 }) { try rig.turn() }
        }
        rig.ahead = .seconds(20)
        rig.listener.closeIdle(now: rig.now)
        #expect(rig.listener.count == 0)
        let late = rig.taken.removeLast().key
        let wrong: [UInt8] = [6, 6, 6]
        rig.listener.reply(wrong.span, to: late, epoll: rig.epoll, now: rig.now)
        let second = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        try second.send(framed([9]))
        try Self.until({ rig.taken.count == 1 }) { try rig.turn() }
        let key = rig.taken[0].key
        #expect(key.slot == late.slot && key != late)
        #expect(rig.listener.remote(of: key) != nil && rig.listener.remote(of: late) == nil)
        rig.listener.reply(wrong.span, to: late, epoll: rig.epoll, now: rig.now)
        rig.listener.noteDropped(late, epoll: rig.epoll)
        rig.answerAll()
        try Self.until({ second.messages.count == 1 }) { second.read() }
        #expect(second.messages == [[9]])
    }

    /// A client that asks and never reads costs a bounded amount of memory.
    @Test func aClientThatDoesNotReadIsNotReadFrom() throws {
        let rig = try ListenerRig()
        let client = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        let message = framed([UInt8](repeating: 5, count: 2000))
        var offered = 0
        var answered = 0
        let reply = [UInt8](repeating: 6, count: 60_000)
        for _ in 0..<3000 {
            offered += try client.send(message)
            try rig.turn()
            for message in rig.taken {
                rig.listener.reply(reply.span, to: message.key, epoll: rig.epoll, now: rig.now)
                answered += 1
            }
            rig.taken = []
        }
        // The socket buffers take some megabytes; of three thousand answers most were never made.
        #expect(answered > 2 && answered < 500, "\(answered) answers")
        #expect(offered < 3000 * 2002)
        // Reading sets it going again.
        let before = answered
        try Self.until({ answered > before + 50 }) {
            client.read()
            _ = try client.send(message)
            try rig.turn()
            for message in rig.taken {
                rig.listener.reply(reply.span, to: message.key, epoll: rig.epoll, now: rig.now)
                answered += 1
            }
            rig.taken = []
        }
    }

    /// One read can hold hundreds of messages: 64 are asked at a time, the others wait, also when
    /// the client has ended its half.
    @Test func aClientHasABoundedNumberOfQuestionsInFlight() throws {
        let rig = try ListenerRig()
        let client = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        let messages = (0..<300).map { [UInt8]([UInt8($0 >> 8), UInt8($0 & 255), 7]) }
        #expect(try client.send(messages.flatMap { framed($0) }) == 1500)
        client.finishSending()
        try Self.until({ rig.taken.count == 64 }) { try rig.turn() }
        for _ in 0..<5 { try rig.turn() }
        #expect(rig.taken.count == 64)
        rig.listener.noteDropped(rig.taken.removeLast().key, epoll: rig.epoll)
        try Self.until({ rig.taken.count == 64 }) { try rig.turn() }
        var most = 0
        try Self.until({ client.isClosed }) {
            rig.answerAll()
            try rig.turn()
            most = max(most, rig.taken.count)
            client.read()
        }
        #expect(most == 64)
        let answered = Set(client.messages.map { Array($0.reversed()) })
        #expect(client.messages.count == 299)
        #expect(answered == Set(messages).subtracting([messages[63]]))
    }

    /// What many questions in flight are answered with is not kept for a client that hardly reads.
    @Test func aClientThatReadsTooLittleLosesItsConnection() throws {
        let rig = try ListenerRig()
        let client = try LoopbackClient(rig.address)
        try Self.until({ rig.listener.count == 1 }) { try rig.turn() }
        let reply = [UInt8](repeating: 6, count: 65_535)
        var asked = 0
        var answered = 0
        try Self.until({ rig.listener.count == 0 }) {
            if asked == answered { asked += try client.send(framed([1])) == 3 ? 1 : 0 }
            while asked % 64 != 0 { asked += try client.send(framed([1])) == 3 ? 1 : 0 }
            try rig.turn()
            // Four megabytes at a time. While they wait for the client it reads a little, until it
            // may ask again; then the kernel has no room for four more.
            guard rig.taken.count == 64 else { return client.read() }
            for message in rig.taken {
                rig.listener.reply(reply.span, to: message.key, epoll: rig.epoll, now: rig.now)
            }
            answered += rig.taken.count
            rig.taken = []
        }
        #expect(answered <= 64 * 8)
    }

    @Test func routesAreTakenOnce() {
        var routes = RouteTable()
        let peer = DatagramPeer(remote: NetworkAddress(octets: [127, 0, 0, 1], port: 9))
        let numbers = (0..<5).map { routes.insert(.datagram(listener: $0, peer)) }
        #expect(Set(numbers).count == 5 && routes.count == 5)
        guard case .datagram(let listener, _) = routes.take(numbers[3]) else {
            Issue.record("a datagram's way back is a datagram's")
            return
        }
        #expect(listener == 3 && routes.count == 4)
        #expect(routes.insert(.datagram(listener: 7, peer)) == numbers[3])
    }
}
