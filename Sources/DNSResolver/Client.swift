import Quantities

/// What stands for a client in the resolver: a number that the caller can reply by.
package struct ClientToken: Hashable, Sendable {
    /// The caller's number.
    package let number: UInt32

    /// The token with that number.
    package init(_ number: UInt32) { self.number = number }
}

/// What the resolver needs to know of who asks.
package struct Client: Sendable {
    /// How a query came.
    package enum Transport: Sendable {
        /// A datagram: the reply has a size limit.
        case udp
        /// A stream.
        case tcp
    }

    /// Who gets the reply.
    package let token: ClientToken
    /// Its address, by which rules for single clients know it; `nil` when it has none.
    package let address: IPAddress?
    /// The policy that filters for it; `nil` while filtering is paused for it.
    package let policy: Int?
    /// Whether it may ask here at all.
    package let isAllowed: Bool
    /// How the query came.
    package let transport: Transport

    /// A client with these facts.
    package init(
        token: ClientToken, address: IPAddress?, policy: Int?, isAllowed: Bool,
        transport: Transport
    ) {
        self.token = token
        self.address = address
        self.policy = policy
        self.isAllowed = isAllowed
        self.transport = transport
    }
}
