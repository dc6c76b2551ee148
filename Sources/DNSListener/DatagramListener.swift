import LinuxSystem
import Metrics
import Quantities

/// A UDP listening socket of one worker.
package struct DatagramListener: Sendable {
    /// Queries longer than this are cut on receipt and then malformed; with every EDNS option in
    /// use a query is some hundred octets.
    package static let querySize = 4096
    /// Datagrams taken or sent in one system call.
    package static let batchSize = 64

    private let socket: SharedDescriptor
    /// The address it is bound to.
    package let address: NetworkAddress

    /// Binds a socket that the workers' sockets on the same address share clients with.
    package init(address: NetworkAddress) throws(SystemError) {
        let bound = try Sockets.bindUDP(address, sharesPort: true)
        self.address = address
        socket = SharedDescriptor(bound)
    }

    /// The descriptor to watch.
    package var number: Int32 { socket.number }

    /// Takes what waits, at most a batch; returns how many datagrams.
    package func fill(_ batch: inout ReceiveBatch) throws(SystemError) -> Int {
        try batch.fill(from: socket.descriptor)
    }

    /// Sends the batch's datagrams; returns how many were lost.
    package func flush(_ batch: inout SendBatch, from octets: Span<UInt8>) -> Int {
        batch.flush(from: octets, through: socket.descriptor)
    }
}
