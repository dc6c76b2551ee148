import LinuxSystem

/// The way back to a client.
package enum ReplyRoute: Sendable {
    /// A datagram through UDP listener number `listener`.
    case datagram(listener: Int, DatagramPeer)
    /// A message on a client's TCP connection.
    case stream(StreamKey)
}

/// Ways back to the clients whose queries are being answered, by small numbers.
///
/// Each query takes a number when it comes and gives it back when it ends; freed ones are used
/// again, so the table is as large as the most queries that were ever open at once.
package struct RouteTable {
    private var routes: [ReplyRoute?] = []
    private var free: [UInt32] = []

    /// No ways back.
    package init() {}

    /// Ways back in use.
    package var count: Int { routes.count - free.count }

    /// Octets of memory held.
    package var heldOctets: Int {
        routes.capacity * MemoryLayout<ReplyRoute?>.stride + free.capacity * 4
    }

    /// Keeps a way back; returns its number.
    package mutating func insert(_ route: ReplyRoute) -> UInt32 {
        if let number = free.popLast() {
            routes[Int(number)] = route
            return number
        }
        routes.append(route)
        return UInt32(routes.count - 1)
    }

    /// Takes a way back out of the table.
    package mutating func take(_ number: UInt32) -> ReplyRoute {
        guard let route = routes[Int(number)] else {
            preconditionFailure("each query ends once")
        }
        routes[Int(number)] = nil
        free.append(number)
        return route
    }
}
