import LinuxSystem
import Quantities

/// A TCP connection to an upstream: queries pipelined, answers in any order (RFC 7766 §6.2.1).
///
/// Each message has a two-octet length before it (RFC 1035 §4.2.2).
struct UpstreamStream {
    /// What the connection is good for after an event.
    enum State {
        /// Goes on.
        case open
        /// Is over: what was asked over it gets no answer.
        case closed
    }

    /// More than this waiting to be sent means that the other side does not read.
    private static let outgoingLimit = 256 << 10
    /// A connection without questions is closed after this (RFC 7766 §6.2.3: seconds).
    private static let idleTime = Duration.seconds(8)
    private static let readSize = 16 << 10

    /// The connection.
    let socket: SharedDescriptor
    /// What the forwarder knows it by.
    let link: Link
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private var isConnected = false
    private var lastUse: MonotonicInstant
    /// Since when the other side owes a message: the first question after the last one it sent.
    private var owedSince: MonotonicInstant?

    /// A connection that is being made.
    init(socket: SharedDescriptor, link: Link, now: MonotonicInstant) {
        self.socket = socket
        self.link = link
        lastUse = now
    }

    /// Whether it may be closed: for want of use, or because the other side is silent however much
    /// it is asked, as after a crash of its host or when a router has forgotten the connection.
    func isIdle(_ now: MonotonicInstant) -> Bool {
        now - min(lastUse, owedSince ?? lastUse) >= UpstreamStream.idleTime
    }

    /// Octets of memory held.
    var heldOctets: Int { outgoing.capacity + incoming.capacity }

    /// What the connection waits for.
    var interest: Readiness {
        isConnected && outgoing.isEmpty ? .readable : [.readable, .writable]
    }

    /// Puts a message into the queue; `false` when the queue is full.
    mutating func enqueue(_ message: Span<UInt8>, now: MonotonicInstant) -> Bool {
        guard outgoing.count + message.count + 2 <= UpstreamStream.outgoingLimit else {
            return false
        }
        lastUse = now
        owedSince = owedSince ?? now
        outgoing.append(UInt8(truncatingIfNeeded: message.count >> 8))
        outgoing.append(UInt8(truncatingIfNeeded: message.count))
        for index in message.indices { outgoing.append(message[index]) }
        return true
    }

    /// Sends what there is room for.
    mutating func write() -> State {
        do throws(SystemError) {
            if !isConnected {
                try Sockets.checkConnected(socket.descriptor)
                isConnected = true
            }
            while !outgoing.isEmpty {
                guard let sent = try Sockets.send(socket.descriptor, outgoing.span) else {
                    return .open
                }
                outgoing.removeFirst(sent)
            }
            return .open
        } catch {
            return .closed
        }
    }

    /// Reads what is there and calls `take` with each whole message.
    mutating func read(
        now: MonotonicInstant, buffer: inout [UInt8], _ take: (Span<UInt8>) -> Void
    ) -> State {
        var state = State.open
        do throws(SystemError) {
            var span = buffer.mutableSpan
            guard let count = try Sockets.receive(socket.descriptor, into: &span) else {
                return .open
            }
            if count == 0 { state = .closed } else { incoming.append(contentsOf: buffer[..<count]) }
        } catch {
            state = .closed
        }
        var start = 0
        while incoming.count - start >= 2 {
            let size = Int(incoming[start]) << 8 | Int(incoming[start + 1])
            guard incoming.count - start >= 2 + size else { break }
            lastUse = now
            owedSince = nil
            take(incoming.span.extracting((start + 2)..<(start + 2 + size)))
            start += 2 + size
        }
        incoming.removeFirst(start)
        return state
    }
}
