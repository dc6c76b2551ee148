import DNSUpstream
import DNSWire
import LinuxSystem
import Metrics
import Quantities
import Testing
import WireFixtures

/// A worker's upstream side on loopback: forwarder, sockets and epoll in the test's own loop.
private final class SocketRig {
    var forwarder: Forwarder
    var sockets: UpstreamSockets
    var epoll: Epoll
    var ends: [UInt64: ForwarderRig.End] = [:]
    /// Added to the real clock.
    var ahead = Duration.zero
    private var actions = ForwarderActions()

    init(_ addresses: [NetworkAddress], poolSize: Int = 8) throws {
        epoll = try Epoll()
        forwarder = Forwarder(
            upstreams: addresses.map { Upstream(name: "\($0)", isTrusted: false) },
            options: ForwarderOptions(), counters: ForwarderCounters(), now: Clock.now())
        sockets = UpstreamSockets(addresses: addresses, poolSize: poolSize, tokenBase: 9 << 56)
    }

    var now: MonotonicInstant { Clock.now() + ahead }

    func begin(_ name: String, tag: UInt64) {
        let query = MessageDraft(id: 0).asking(name).addingOPT().octets
        forwarder.begin(query.span, tag: tag, now: now, actions: &actions)
        sockets.perform(&forwarder, &actions, epoll: epoll, now: now)
        collect()
    }

    /// Handles events until `isDone` or two seconds have passed; `serve` plays the other side.
    func run(until isDone: () -> Bool, serve: () throws -> Void) throws {
        let limit = Clock.now() + .seconds(2)
        while !isDone(), Clock.now() < limit {
            try serve()
            let count = try epoll.wait(milliseconds: 5)
            for index in 0..<count {
                let event = epoll.event(index)
                #expect(event.token >> 56 == 9)
                sockets.handle(
                    event, forwarder: &forwarder, actions: &actions, epoll: epoll, now: now)
            }
            forwarder.tick(now: now, actions: &actions)
            sockets.perform(&forwarder, &actions, epoll: epoll, now: now)
            collect()
        }
    }

    private func collect() {
        for (tag, ending) in actions.endings {
            switch ending {
            case .answer(let range, let isTrusted):
                ends[tag] = .answer(Array(actions.octets[range]), isTrusted: isTrusted)
            case .failure(let failure): ends[tag] = .failure(failure)
            }
        }
        actions.removeAll()
    }
}

/// A server on loopback that answers as it is told.
private final class LoopbackServer {
    let datagrams: FileDescriptor
    let listener: FileDescriptor
    let address: NetworkAddress
    /// Ports that questions came from.
    var ports: [UInt16] = []
    var queries = 0
    var accepts = 0
    private var batch = ReceiveBatch(count: 64, datagramSize: 4096)
    private var replies = SendBatch(count: 64)
    private var streams: [SharedDescriptor] = []
    private var incoming: [[UInt8]] = []

    init() throws {
        let any = NetworkAddress(octets: [127, 0, 0, 1], port: 0)
        for _ in 0..<20 {
            let bound = try Sockets.bindUDP(any, sharesPort: false)
            let free = try Sockets.localAddress(bound)
            // The port may be free for UDP only: then another is tried.
            guard let listening = try? Sockets.listenTCP(free, sharesPort: false) else { continue }
            datagrams = bound
            address = free
            listener = listening
            return
        }
        throw SystemError("bind", code: SystemError.Code.addressInUse)
    }

    /// Answers what came over UDP.
    func serveDatagrams(_ answer: ([UInt8]) -> [[UInt8]]) throws {
        let count = try batch.fill(from: datagrams)
        for index in 0..<count {
            var query: [UInt8] = []
            let octets = batch.octets(index)
            for position in octets.indices { query.append(octets[position]) }
            queries += 1
            ports.append(batch.peer(index).remote.port)
            for reply in answer(query) {
                replies.append(0..<reply.count, to: batch.peer(index))
                #expect(replies.flush(from: reply.span, through: datagrams) == 0)
            }
        }
    }

    /// Answers what came over TCP, each answer octet by octet when `isSlow`.
    func serveStreams(isSlow: Bool = false, _ answer: ([UInt8]) -> [UInt8]?) throws {
        if let accepted = try Sockets.accept(listener) {
            streams.append(SharedDescriptor(accepted.take()))
            incoming.append([])
            accepts += 1
        }
        for index in streams.indices {
            var buffer = [UInt8](repeating: 0, count: 4096)
            var span = buffer.mutableSpan
            guard let count = try Sockets.receive(streams[index].descriptor, into: &span) else {
                continue
            }
            incoming[index] += buffer[..<count]
            while incoming[index].count >= 2 {
                let size = Int(incoming[index][0]) << 8 | Int(incoming[index][1])
                guard incoming[index].count >= 2 + size else { break }
                let query = Array(incoming[index][2..<(2 + size)])
                incoming[index].removeFirst(2 + size)
                queries += 1
                guard let reply = answer(query) else { continue }
                let framed = MessageDraft.octets(UInt16(reply.count)) + reply
                for part in isSlow ? framed.map({ [$0] }) : [framed] {
                    _ = try Sockets.send(streams[index].descriptor, part.span)
                }
            }
        }
    }

    func closeStreams() {
        streams = []
        incoming = []
    }
}

/// The answer to a query's octets.
private func reply(to query: [UInt8], flags: UInt16 = 0) -> [UInt8] {
    guard let view = try? MessageView(query.span), let question = try? view.question() else {
        fatalError("our own queries parse")
    }
    let name = Array(query[question.nameRange])
    return MessageDraft(id: view.header.id, flags: 0x8180 | flags).asking(wire: name)
        .adding(.answer, wire: name, .a, [192, 0, 2, 1]).octets
}

/// Sockets to upstreams, on loopback.
@Suite(.serialized) struct UpstreamSocketsTests {
    /// S12, RFC 6056: the ports are those of the pool, and change.
    @Test func questionsGoOutFromManyPorts() throws {
        let server = try LoopbackServer()
        let rig = try SocketRig([server.address], poolSize: 16)
        for tag in 1...200 as ClosedRange<UInt64> { rig.begin("n\(tag).example", tag: tag) }
        try rig.run(until: { rig.ends.count == 200 }) {
            try server.serveDatagrams { [reply(to: $0)] }
        }
        #expect(rig.ends.count == 200)
        #expect(rig.ends.values.allSatisfy { if case .answer = $0 { true } else { false } })
        let first = Set(server.ports)
        #expect(first.count > 12 && first.count <= 20 && first.allSatisfy { $0 >= 1024 })
        rig.ahead = .seconds(11)
        server.ports = []
        for tag in 201...400 as ClosedRange<UInt64> { rig.begin("n\(tag).example", tag: tag) }
        try rig.run(until: { rig.ends.count == 400 }) {
            try server.serveDatagrams { [reply(to: $0)] }
        }
        #expect(rig.ends.count == 400 && Set(server.ports).isDisjoint(with: first))
    }

    /// S11: a forged answer before the true one.
    @Test func falseAnswersFirstTheTrueOneLater() throws {
        let server = try LoopbackServer()
        let rig = try SocketRig([server.address])
        rig.begin("www.example", tag: 1)
        try rig.run(until: { rig.ends[1] != nil }) {
            try server.serveDatagrams { query in
                var wrongID = reply(to: query)
                wrongID[0] ^= 0x55
                let id = UInt16(query[0]) << 8 | UInt16(query[1])
                let wrongName = MessageDraft(id: id, flags: 0x8180).asking("evil.example").octets
                return [wrongID, wrongName, [], reply(to: query)]
            }
        }
        guard case .answer(let octets, _) = rig.ends[1] else {
            Issue.record("no answer")
            return
        }
        #expect(try MessageReading(octets).question == "www.example")
        #expect(rig.forwarder.counters.mismatched.load() == 3)
    }

    /// Nobody listens there: the kernel says so, and the client need not wait.
    @Test func aPortWithoutAServerFailsAtOnce() throws {
        let gone: NetworkAddress
        do {
            let server = try LoopbackServer()
            gone = server.address
        }
        let rig = try SocketRig([gone], poolSize: 1)
        let began = Clock.now()
        for tag in 1...5 as ClosedRange<UInt64> { rig.begin("n\(tag).example", tag: tag) }
        try rig.run(until: { rig.ends.count == 5 }) {}
        #expect((1...5).allSatisfy { rig.ends[$0] == .failure(.unreachable) })
        #expect(Clock.now() - began < .milliseconds(600))
        let server = try LoopbackServer()
        let mixed = try SocketRig([gone, server.address])
        mixed.begin("www.example", tag: 1)
        try mixed.run(until: { mixed.ends[1] != nil }) {
            try server.serveDatagrams { [reply(to: $0)] }
        }
        guard case .answer = mixed.ends[1] else {
            Issue.record("the other upstream answers")
            return
        }
    }

    /// S23, S26: TC goes to TCP, over one connection, whose answers come octet by octet.
    @Test func cutAnswersAreFetchedOverOneConnection() throws {
        let server = try LoopbackServer()
        let rig = try SocketRig([server.address])
        for round in 0..<3 as Range<UInt64> {
            for tag in (10 * round + 1)...(10 * round + 5) {
                rig.begin("n\(tag).example", tag: tag)
            }
            try rig.run(until: { rig.ends.count == 5 * Int(round + 1) }) {
                try server.serveDatagrams { [reply(to: $0, flags: 0x0200)] }
                try server.serveStreams(isSlow: round == 1) { reply(to: $0) }
            }
            #expect(rig.ends.count == 5 * Int(round + 1))
        }
        #expect(rig.ends.values.allSatisfy { if case .answer = $0 { true } else { false } })
        #expect(server.accepts == 1)
        // Idle for long: closed, and opened again when needed.
        rig.ahead = .seconds(9)
        rig.sockets.closeIdle(now: rig.now)
        rig.begin("last.example", tag: 99)
        try rig.run(until: { rig.ends[99] != nil }) {
            try server.serveDatagrams { [reply(to: $0, flags: 0x0200)] }
            try server.serveStreams { reply(to: $0) }
        }
        #expect(server.accepts == 2)
        guard case .answer = rig.ends[99] else {
            Issue.record("no answer over the new connection")
            return
        }
    }

    /// A connection that takes questions and gives nothing is replaced, however busy it is.
    @Test func aSilentConnectionIsReplaced() throws {
        let server = try LoopbackServer()
        let rig = try SocketRig([server.address])
        for tag in 1...4 as ClosedRange<UInt64> {
            rig.begin("n\(tag).example", tag: tag)
            let before = server.queries
            // Over UDP the cut answer, over TCP none.
            try rig.run(until: { server.queries >= before + 2 }) {
                try server.serveDatagrams { [reply(to: $0, flags: 0x0200)] }
                try server.serveStreams { _ in nil }
            }
            rig.ahead += .seconds(3)
            rig.sockets.closeIdle(now: rig.now)
        }
        rig.begin("last.example", tag: 99)
        try rig.run(until: { rig.ends[99] != nil }) {
            try server.serveDatagrams { [reply(to: $0, flags: 0x0200)] }
            try server.serveStreams { server.accepts > 1 ? reply(to: $0) : nil }
        }
        guard case .answer = rig.ends[99] else {
            Issue.record("no answer over a new connection")
            return
        }
    }

    /// A server that hangs up in the middle: asked again, then an end.
    @Test func aConnectionThatBreaksLosesNoQuestion() throws {
        let server = try LoopbackServer()
        let rig = try SocketRig([server.address])
        rig.begin("www.example", tag: 1)
        try rig.run(until: { rig.ends[1] != nil }) {
            try server.serveDatagrams { [reply(to: $0, flags: 0x0200)] }
            let before = server.accepts
            try server.serveStreams { server.accepts > 1 ? reply(to: $0) : nil }
            if server.accepts == 1, before == 1 { server.closeStreams() }
        }
        guard case .answer = rig.ends[1] else {
            Issue.record("\(String(describing: rig.ends[1]))")
            return
        }
        #expect(server.accepts == 2)
    }
}
