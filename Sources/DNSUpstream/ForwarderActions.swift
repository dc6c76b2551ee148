/// How a question goes to an upstream.
package enum UpstreamTransport: Sendable {
    /// A datagram from a pooled socket.
    case udp
    /// A stream, for answers that do not fit a datagram.
    case tcp
}

/// The socket that carried a question; answers count only from the same one.
package struct Link: Hashable, Sendable {
    /// The number that the sockets' owner gave it; never used for another socket.
    package let number: UInt64

    /// The link with that number.
    package init(_ number: UInt64) { self.number = number }
}

/// Why a question got no answer.
package enum ExchangeFailure: Sendable {
    /// No upstream answered in time.
    case timeout
    /// The network or the upstreams' hosts said that they cannot be reached.
    case unreachable
    /// One upstream failed or refused, and no other answered in time.
    case failedUpstream
    /// What came could not be read.
    case malformed
    /// Too many questions are in flight.
    case overloaded
}

/// What the forwarder wants sent, and how questions ended: the caller acts and empties this.
package struct ForwarderActions: Sendable {
    /// A message to send; the caller tells the forwarder which link took it, or that none did.
    package struct Send: Sendable {
        /// To give back with the link.
        package let attempt: Int
        /// Number of the upstream.
        package let upstream: Int
        /// How.
        package let transport: UpstreamTransport
        /// Where the message lies in `octets`.
        package let range: Range<Int>
    }

    /// The end of one question.
    package enum Ending: Sendable {
        /// An answer; where it lies in `octets`, and whether its AD bit may be trusted.
        case answer(Range<Int>, isTrusted: Bool)
        /// None.
        case failure(ExchangeFailure)
    }

    /// Messages, one after another.
    package internal(set) var octets: [UInt8] = []
    /// What to send.
    package internal(set) var sends: [Send] = []
    /// Questions that ended, by the tag they began with.
    package internal(set) var endings: [(tag: UInt64, ending: Ending)] = []

    /// Nothing to do.
    package init() {}

    /// Forgets what was sent; answers stay.
    mutating func clearSends() { sends.removeAll(keepingCapacity: true) }

    /// Octets of memory held.
    package var heldOctets: Int {
        octets.capacity + sends.capacity * MemoryLayout<Send>.stride
            + endings.capacity * MemoryLayout<(tag: UInt64, ending: Ending)>.stride
    }

    /// More room than this is given back: one round of big answers shall not cost it for ever.
    private static let keptRoom = 1 << 20

    /// Forgets all, keeps the room.
    package mutating func removeAll() {
        octets.removeAll(keepingCapacity: octets.capacity <= ForwarderActions.keptRoom)
        sends.removeAll(keepingCapacity: true)
        endings.removeAll(keepingCapacity: true)
    }
}
