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
    /// With this much waiting for a client that does not read its connection is closed: the
    /// answers to what it had in flight are let go rather than kept for it.
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

    /// Octets of memory held.
    var heldOctets: Int { incoming.capacity + outgoing.capacity }

    /// Whether it may ask more now.
    private var mayAsk: Bool {
        inFlight < ClientStream.inFlightLimit && outgoing.count < ClientStream.outgoingLimit
    }

    /// Where the next message in `incoming`, which starts at `start`, ends; `nil` while it is not
    /// whole.
    private func messageEnd(from start: Int) -> Int? {
        guard incoming.count - start >= 2 else { return nil }
        let end = start + 2 + (Int(incoming[start]) << 8 | Int(incoming[start + 1]))
        return end <= incoming.count ? end : nil
    }

    /// What the connection waits for.
    ///
    /// Messages that were read and had to wait are taken at the next event: where there is room to
    /// write, that is at once.
    var interest: Readiness {
        let holdsMessage = messageEnd(from: 0) != nil
        var interest: Readiness = mayAsk && !isEnding && !holdsMessage ? .readable : []
        if !outgoing.isEmpty || (mayAsk && holdsMessage) { interest.insert(.writable) }
        return interest
    }

    /// Whether nothing is left to come or go.
    private var state: State {
        let isOver =
            isEnding && inFlight == 0 && outgoing.isEmpty && messageEnd(from: 0) == nil
        return isOver ? .closed : .open
    }

    /// Reads what is there and calls `take` with each whole message that may be asked now.
    mutating func read(
        now: MonotonicInstant, buffer: inout [UInt8], _ take: (Span<UInt8>) -> Void
    ) -> State {
        if interest.contains(.readable) {
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
        while mayAsk, let end = messageEnd(from: start) {
            inFlight += 1
            lastUse = now
            take(incoming.span.extracting((start + 2)..<end))
            start = end
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
        let state = write()
        return outgoing.count > ClientStream.unreadLimit ? .closed : state
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
        return state
    }
}
