import LinuxSystem
import Quantities

/// One TCP connection of a client: messages with a two-octet length before each (RFC 1035 §4.2.2),
/// split and joined as the network likes (RFC 7766 §8), answered in any order (§7).
struct ClientStream {
    /// What a connection is good for after an event.
    enum State {
        /// Goes on.
        case open
        /// Is over.
        case closed
    }

    /// With this many questions in flight nothing more is read until answers have gone out.
    private static let inFlightLimit = 64
    /// Octets of answers that wait for the client to read; then nothing more is read from it.
    private static let outgoingLimit = 128 << 10
    /// With more waiting than this, as after many long answers at once, the connection is closed:
    /// it may ask again, and a client that never reads must not hold memory.
    private static let unreadLimit = 1 << 20

    /// The connection.
    let socket: SharedDescriptor
    /// The client.
    let remote: NetworkAddress
    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var inFlight = 0
    /// The client has sent all it will.
    private var isEnding = false
    /// When a whole message was last read or an answer last sent.
    private(set) var lastUse: MonotonicInstant

    /// A connection just taken.
    init(socket: SharedDescriptor, remote: NetworkAddress, now: MonotonicInstant) {
        self.socket = socket
        self.remote = remote
        lastUse = now
    }

    /// Whether it may send more now.
    private var isListening: Bool {
        !isEnding && inFlight < ClientStream.inFlightLimit
            && outgoing.count < ClientStream.outgoingLimit
    }

    /// What the connection waits for.
    var interest: Readiness {
        var interest: Readiness = isListening ? .readable : []
        if !outgoing.isEmpty { interest.insert(.writable) }
        return interest
    }

    /// Whether nothing is left to come or go.
    private var state: State { isEnding && inFlight == 0 && outgoing.isEmpty ? .closed : .open }

    /// Reads what is there and calls `take` with each whole message.
    mutating func read(
        now: MonotonicInstant, buffer: inout [UInt8], _ take: (Span<UInt8>) -> Void
    ) -> State {
        if isListening {
            do throws(SystemError) {
                var span = buffer.mutableSpan
                if let count = try Sockets.receive(socket.descriptor, into: &span) {
                    if count == 0 { isEnding = true }
                    incoming.append(contentsOf: buffer[..<count])
                }
            } catch {
                return .closed
            }
        }
        var start = 0
        while incoming.count - start >= 2 {
            let size = Int(incoming[start]) << 8 | Int(incoming[start + 1])
            guard incoming.count - start >= 2 + size else { break }
            inFlight += 1
            lastUse = now
            take(incoming.span.extracting((start + 2)..<(start + 2 + size)))
            start += 2 + size
        }
        incoming.removeFirst(start)
        return state
    }

    /// Counts a query that gets no answer.
    mutating func noteDropped() { inFlight -= 1 }

    /// Queues an answer and sends what there is room for.
    mutating func reply(_ message: Span<UInt8>, now: MonotonicInstant) -> State {
        inFlight -= 1
        lastUse = now
        outgoing.append(UInt8(truncatingIfNeeded: message.count >> 8))
        outgoing.append(UInt8(truncatingIfNeeded: message.count))
        for index in message.indices { outgoing.append(message[index]) }
        return write()
    }

    /// Sends what there is room for.
    mutating func write() -> State {
        do throws(SystemError) {
            while !outgoing.isEmpty {
                guard let sent = try Sockets.send(socket.descriptor, outgoing.span) else { break }
                outgoing.removeFirst(sent)
            }
        } catch {
            return .closed
        }
        return outgoing.count > ClientStream.unreadLimit ? .closed : state
    }
}
