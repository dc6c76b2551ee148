import QueryEvents

/// A question in flight, as the forwarder knows it.
package struct QuestionToken: Hashable, Sendable {
    /// Slot in the table of questions in flight.
    package let slot: UInt32
    /// Tells this use of the slot from earlier ones.
    package let generation: UInt32

    /// A token of these two numbers.
    package init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }
}

/// What the resolver wants done: the caller does it and empties this.
///
/// Each query that was given to the resolver ends in exactly one reply or drop of its client's
/// token, at once or after an answer, a failure or a tick.
package struct ResolverActions: Sendable {
    /// A message to a client.
    package struct Reply: Sendable {
        /// To whom.
        package let client: ClientToken
        /// Where the message lies in `octets`.
        package let range: Range<Int>
        /// How the query ended.
        package let outcome: QueryOutcome
    }

    /// A question to the upstreams.
    package struct Ask: Sendable {
        /// What to give back with the answer.
        package let question: QuestionToken
        /// Where the query lies in `octets`; its id is 0.
        package let range: Range<Int>
    }

    /// The messages, one after another.
    package internal(set) var octets: [UInt8] = []
    /// Messages to clients.
    package internal(set) var replies: [Reply] = []
    /// Clients that get no message.
    package internal(set) var drops: [ClientToken] = []
    /// Questions to the upstreams.
    package internal(set) var asks: [Ask] = []

    /// Nothing to do.
    package init() {}

    /// Octets of memory held.
    package var heldOctets: Int {
        octets.capacity + replies.capacity * MemoryLayout<Reply>.stride
            + drops.capacity * MemoryLayout<ClientToken>.stride
            + asks.capacity * MemoryLayout<Ask>.stride
    }

    /// More room than this is given back: one round of big answers shall not cost it for ever.
    private static let keptRoom = 1 << 20

    /// Forgets all, keeps the room.
    package mutating func removeAll() {
        octets.removeAll(keepingCapacity: octets.capacity <= ResolverActions.keptRoom)
        replies.removeAll(keepingCapacity: true)
        drops.removeAll(keepingCapacity: true)
        asks.removeAll(keepingCapacity: true)
    }
}
