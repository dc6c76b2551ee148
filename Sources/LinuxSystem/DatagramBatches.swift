import CLinux

/// Who sent a datagram, and to which of our addresses it came.
public struct DatagramPeer: Sendable {
    /// As the shim knows it.
    var system: linux_peer

    /// A peer that the shim tells of.
    init(_ system: linux_peer) { self.system = system }

    /// A peer that replies go to without a chosen source address.
    package init(remote: NetworkAddress) {
        system = linux_peer(remote: remote.system, local: linux_address())
    }

    /// The sender.
    package var remote: NetworkAddress { NetworkAddress(system.remote) }
}

/// Room for the datagrams of one recvmmsg(2).
@safe package struct ReceiveBatch: ~Copyable {
    private let batch: OpaquePointer
    private var received = 0

    /// Room for `count` datagrams of up to `datagramSize` octets; longer ones are cut.
    package init(count: Int, datagramSize: Int) {
        guard
            let batch = unsafe linux_receive_batch_create(
                UInt32(count), UInt32(datagramSize))
        else { preconditionFailure("out of memory at start") }
        unsafe self.batch = batch
    }

    deinit { unsafe linux_receive_batch_free(batch) }

    /// Octets of memory held.
    package var heldOctets: Int { Int(unsafe linux_receive_batch_held(batch)) }

    /// Takes the datagrams that wait at `socket`; returns how many, 0 when none.
    package mutating func fill(
        from socket: borrowing FileDescriptor
    ) throws(SystemError) -> Int {
        received = 0
        let got = unsafe linux_receive_batch_fill(batch, socket.number)
        if got == -SystemError.Code.again { return 0 }
        received = Int(try checked(got, "recvmmsg"))
        return received
    }

    /// The octets of datagram `index` of the last fill.
    @_lifetime(borrow self)
    package borrowing func octets(_ index: Int) -> Span<UInt8> {
        precondition(index < received, "the last fill brought fewer datagrams")
        var size = 0
        let start = unsafe linux_receive_batch_octets(batch, UInt32(index), &size)
        // The batch owns the octets until the next fill, which needs it exclusively.
        let buffer = unsafe UnsafeBufferPointer(start: start, count: size)
        return unsafe _overrideLifetime(Span(_unsafeElements: buffer), borrowing: self)
    }

    /// Who sent datagram `index` of the last fill.
    package borrowing func peer(_ index: Int) -> DatagramPeer {
        precondition(index < received, "the last fill brought fewer datagrams")
        var peer = linux_peer()
        unsafe linux_receive_batch_peer(batch, UInt32(index), &peer)
        return DatagramPeer(peer)
    }
}

/// Datagrams for one sendmmsg(2), their octets in a buffer of the caller's.
@safe package struct SendBatch: ~Copyable {
    private let batch: OpaquePointer
    private let capacity: Int
    private var ranges: [Range<Int>]
    private var peers: [DatagramPeer]

    /// Room for `count` datagrams.
    package init(count: Int) {
        guard let batch = unsafe linux_send_batch_create(UInt32(count)) else {
            preconditionFailure("out of memory at start")
        }
        unsafe self.batch = batch
        capacity = count
        ranges = []
        peers = []
        ranges.reserveCapacity(count)
        peers.reserveCapacity(count)
    }

    deinit { unsafe linux_send_batch_free(batch) }

    /// Octets of memory held; the datagrams are the caller's.
    package var heldOctets: Int {
        Int(unsafe linux_send_batch_held(batch))
            + ranges.capacity * MemoryLayout<Range<Int>>.stride
            + peers.capacity * MemoryLayout<DatagramPeer>.stride
    }

    /// Whether another datagram has room.
    package var isFull: Bool { ranges.count == capacity }

    /// Whether nothing waits.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Adds the datagram that stands at `range` of the buffer later given to `flush`.
    package mutating func append(_ range: Range<Int>, to peer: DatagramPeer) {
        precondition(!isFull, "flush a full batch first")
        ranges.append(range)
        peers.append(peer)
    }

    /// Sends all that was added and forgets it.
    /// - Returns: how many datagrams the kernel did not take (full queue, unreachable client):
    ///   UDP may lose, and the client asks again.
    package mutating func flush(
        from buffer: Span<UInt8>, through socket: borrowing FileDescriptor
    ) -> Int {
        let count = ranges.count
        defer {
            ranges.removeAll(keepingCapacity: true)
            peers.removeAll(keepingCapacity: true)
        }
        var lost = 0
        let number = socket.number
        unsafe buffer.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            for index in 0..<count {
                let range = ranges[index]
                precondition(range.upperBound <= bytes.count, "a datagram lies in the buffer")
                unsafe withUnsafePointer(to: peers[index].system) { peer in
                    unsafe linux_send_batch_set(
                        batch, UInt32(index), base + range.lowerBound, range.count, peer)
                }
            }
            var first = 0
            while first < count {
                let sent = unsafe linux_send_batch_flush(
                    batch, number, UInt32(first), UInt32(count))
                // An error belongs to the first one left; the others may still go.
                if sent <= 0 { lost += 1 }
                first += max(1, Int(sent))
            }
        }
        return lost
    }
}
