import DNSWire
import LinuxSystem
import Quantities

/// One question to one upstream over one transport.
enum StubExchange {
    /// More than any datagram holds.
    private static let datagramSize = 65_535

    /// The answer to `query` over UDP, whole or cut.
    ///
    /// Whatever else arrives on the socket is passed over until the time is up (RFC 5452 §9.1).
    static func overUDP(
        _ query: [UInt8], to upstream: NetworkAddress, before end: MonotonicInstant
    ) throws(StubFailure) -> [UInt8] {
        do throws(SystemError) {
            let socket = try Sockets.connectUDP(upstream, localPort: 0)
            var queue = try Epoll()
            try queue.add(socket.number, for: .readable, token: 0)
            _ = try Sockets.send(socket, query.span)
            var buffer = [UInt8](repeating: 0, count: datagramSize)
            while try wait(&queue, before: end) {
                var span = buffer.mutableSpan
                guard let count = try Sockets.receive(socket, into: &span) else { continue }
                let message = Array(buffer[..<count])
                if isAnswer(message, to: query) { return message }
            }
        } catch {
            throw .system(error)
        }
        throw .timedOut
    }

    /// The answer to `query` over TCP, each message behind its length (RFC 1035 §4.2.2).
    static func overTCP(
        _ query: [UInt8], to upstream: NetworkAddress, before end: MonotonicInstant
    ) throws(StubFailure) -> [UInt8] {
        var answer: [UInt8]?
        do throws(SystemError) {
            let socket = try Sockets.connectTCP(upstream)
            var queue = try Epoll()
            try queue.add(socket.number, for: .writable, token: 0)
            guard try wait(&queue, before: end) else { throw SystemError.late }
            try Sockets.checkConnected(socket)
            var outgoing = [UInt8(query.count >> 8), UInt8(query.count & 0xFF)] + query
            while !outgoing.isEmpty {
                guard try wait(&queue, before: end) else { throw SystemError.late }
                outgoing.removeFirst(try Sockets.send(socket, outgoing.span) ?? 0)
            }
            try queue.modify(socket.number, for: .readable, token: 0)
            answer = try receive(socket, &queue, before: end)
        } catch {
            if error == .late { throw .timedOut }
            throw .system(error)
        }
        guard let answer, isAnswer(answer, to: query) else { throw .closed }
        return answer
    }

    /// One message from a connection; `nil` when it ends before the message is whole.
    private static func receive(
        _ socket: borrowing FileDescriptor, _ queue: inout Epoll, before end: MonotonicInstant
    ) throws(SystemError) -> [UInt8]? {
        var incoming: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            if incoming.count >= 2 {
                let size = Int(incoming[0]) << 8 | Int(incoming[1])
                if incoming.count >= 2 + size { return Array(incoming[2..<(2 + size)]) }
            }
            guard try wait(&queue, before: end) else { throw SystemError.late }
            var span = buffer.mutableSpan
            guard let count = try Sockets.receive(socket, into: &span) else { continue }
            if count == 0 { return nil }
            incoming.append(contentsOf: buffer[..<count])
        }
    }

    /// Waits for the socket; `false` when the time is up.
    private static func wait(
        _ queue: inout Epoll, before end: MonotonicInstant
    ) throws(SystemError) -> Bool {
        while true {
            let left = (end - Clock.now()).wholeMillisecondsRoundedUp
            guard left > 0 else { return false }
            if try queue.wait(milliseconds: Int32(clamping: left)) > 0 { return true }
        }
    }

    private static func isAnswer(_ message: [UInt8], to query: [UInt8]) -> Bool {
        guard let answer = try? MessageView(message.span),
            let asked = try? MessageView(query.span)
        else { return false }
        return answer.header.isResponse && answer.header.opcode == .query
            && answer.header.id == asked.header.id && answer.repeatsQuestion(of: asked)
    }
}

extension SystemError {
    /// The time for a step over TCP is up.
    fileprivate static let late = SystemError("wait", code: Code.timedOut)
}
