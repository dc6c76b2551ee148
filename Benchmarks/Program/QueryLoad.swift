import DomainNames
import LinuxSystem
import Quantities
import WireFixtures

/// Asks a server on loopback for names drawn at random: so many at a time, the next ones when these
/// are answered or given up.
struct QueryLoad: ~Copyable {
    private let socket: FileDescriptor
    private let server: DatagramPeer
    private var queue: Epoll
    private var random: SeededGenerator
    private var received = ReceiveBatch(count: QueryLoad.window, datagramSize: 1232)
    private var queries = SendBatch(count: QueryLoad.window)
    private var answered = 0
    private var blocked = 0

    private static let window = 64
    /// How long the answers of one window are waited for.
    private static let patience = Duration.milliseconds(500)
    private static let nameError: UInt8 = 3

    /// A load on `server`; the names drawn follow from the seed.
    init(server: NetworkAddress, seed: UInt64) throws(BenchmarkError) {
        let socket = try QueryLoad.openSocket()
        let queue = try QueryLoad.openQueue(on: socket.number)
        self.socket = socket
        self.queue = queue
        self.server = DatagramPeer(remote: server)
        random = SeededGenerator(seed: seed)
    }

    private static func openSocket() throws(BenchmarkError) -> FileDescriptor {
        let address = NetworkAddress(octets: [127, 0, 0, 1], port: 0)
        do { return try Sockets.bindUDP(address, sharesPort: false) } catch {
            throw .system(error)
        }
    }

    private static func openQueue(on socket: Int32) throws(BenchmarkError) -> Epoll {
        do throws(SystemError) {
            let queue = try Epoll()
            try queue.add(socket, for: .readable, token: 0)
            return queue
        } catch {
            throw .system(error)
        }
    }

    /// Asks `count` questions and prints what became of them.
    mutating func run(_ names: NameFile, count: Int) throws(BenchmarkError) {
        let start = Clock.now()
        var octets: [UInt8] = []
        var sent = 0
        while sent < count {
            let size = min(QueryLoad.window, count - sent)
            octets.removeAll(keepingCapacity: true)
            for index in 0..<size {
                let first = octets.count
                let name = names.wire(random.number(0..<names.count))
                QueryLoad.appendQuery(
                    id: UInt16(truncatingIfNeeded: sent + index), name: name, to: &octets)
                queries.append(first..<octets.count, to: server)
            }
            do { try exchange(octets.span, firstID: sent, size: size) } catch {
                throw .system(error)
            }
            sent += size
        }
        let seconds = Double((Clock.now() - start).wholeNanoseconds) / 1e9
        StandardStream.write(
            """
            sent \(sent)
            lost \(sent - answered)
            blocked \(blocked)
            queries-per-second \(Int(Double(sent) / seconds))

            """, to: .output)
    }

    /// Sends one window and waits for its answers.
    private mutating func exchange(
        _ octets: Span<UInt8>, firstID: Int, size: Int
    ) throws(SystemError) {
        _ = queries.flush(from: octets, through: socket)
        let deadline = Clock.now() + QueryLoad.patience
        var left = size
        while left > 0, Clock.now() < deadline {
            guard try queue.wait(milliseconds: 50) > 0 else { continue }
            for index in 0..<(try received.fill(from: socket)) {
                guard let code = responseCode(index, firstID: firstID, size: size) else {
                    continue
                }
                left -= 1
                answered += 1
                if code == QueryLoad.nameError { blocked += 1 }
            }
        }
    }

    /// The response code of an answer to this window; an answer to a query that was given up is
    /// none of it.
    private borrowing func responseCode(_ index: Int, firstID: Int, size: Int) -> UInt8? {
        let answer = received.octets(index)
        guard answer.count >= 12 else { return nil }
        let id = UInt16(answer[0]) << 8 | UInt16(answer[1])
        guard id &- UInt16(truncatingIfNeeded: firstID) < UInt16(size) else { return nil }
        return answer[3] & 0xF
    }

    /// Asks for one name again and again until an answer comes, for half a minute.
    static func awaitFirstAnswer(
        from server: NetworkAddress, name: String
    ) throws(BenchmarkError) {
        var load = try QueryLoad(server: server, seed: 0)
        let text = Array(name.utf8)
        guard let wire = try? NameText.wire(of: text.span) else { throw .noNames }
        var octets: [UInt8] = []
        appendQuery(id: 0, name: wire.span, to: &octets)
        let limit = 30
        let deadline = Clock.now() + .seconds(limit)
        while Clock.now() < deadline {
            load.queries.append(0..<octets.count, to: load.server)
            _ = load.queries.flush(from: octets.span, through: load.socket)
            do throws(SystemError) {
                if try load.queue.wait(milliseconds: 1) > 0,
                    try load.received.fill(from: load.socket) > 0
                {
                    return
                }
            } catch {
                throw .system(error)
            }
        }
        throw .silence(seconds: limit)
    }

    /// A query for the A records of a name.
    private static func appendQuery(id: UInt16, name: Span<UInt8>, to octets: inout [UInt8]) {
        octets += [UInt8(id >> 8), UInt8(truncatingIfNeeded: id), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for index in name.indices { octets.append(name[index]) }
        octets += [0, 1, 0, 1]
    }
}
