import Control
import LinuxSystem
import Quantities

/// A client of the control socket: lines in, lines out, without ever waiting for it.
struct ControlConnection {
    /// What a connection is good for after an event.
    enum State {
        /// Goes on.
        case open
        /// Is over.
        case closed
    }

    /// The client's connection.
    let socket: SharedDescriptor
    /// When it was taken.
    let opened: MonotonicInstant
    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    /// Close once what is queued has gone.
    private var isEnding = false

    /// A connection without anything read or queued.
    init(socket: SharedDescriptor, opened: MonotonicInstant) {
        self.socket = socket
        self.opened = opened
    }

    /// What the connection waits for.
    var interest: Readiness { outgoing.isEmpty ? .readable : .writable }

    /// Reads what is there; each whole line becomes the reply that `answer` makes of it.
    mutating func read(_ answer: (Span<UInt8>) -> [UInt8]) -> State {
        var buffer = [UInt8](repeating: 0, count: ControlLimits.requestSize + 1)
        do throws(SystemError) {
            var span = buffer.mutableSpan
            guard let count = try Sockets.receive(socket.descriptor, into: &span) else {
                return .open
            }
            if count == 0 { return .closed }
            incoming.append(contentsOf: buffer[..<count])
        } catch {
            return .closed
        }
        while let end = incoming.firstIndex(of: UInt8(ascii: "\n")) {
            outgoing += answer(incoming.span.extracting(0..<end))
            incoming.removeFirst(end + 1)
        }
        if incoming.count > ControlLimits.requestSize {
            // Where the next line starts cannot be told any more.
            outgoing += ControlReply.errorLine(
                "\(ControlError.tooLong(limit: ControlLimits.requestSize))")
            isEnding = true
            incoming.removeAll()
        }
        return write()
    }

    /// Sends what there is room for.
    mutating func write() -> State {
        do throws(SystemError) {
            while !outgoing.isEmpty {
                guard let sent = try Sockets.send(socket.descriptor, outgoing.span) else {
                    return .open
                }
                outgoing.removeFirst(sent)
            }
        } catch {
            return .closed
        }
        return isEnding ? .closed : .open
    }
}
