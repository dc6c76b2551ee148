import LinuxSystem

/// An upstream that answers every question with one A record, as fast as it can, until it is ended.
enum LoopbackUpstream {
    private static let batchSize = 64
    private static let datagramSize = 512
    private static let headerSize = 12
    /// Pointer to the question's name, A, IN, 300 s, 192.0.2.1.
    private static let record: [UInt8] = [
        0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 1, 0x2C, 0, 4, 192, 0, 2, 1,
    ]

    /// Answers at `address`; returns only by an error.
    static func serve(at address: NetworkAddress) throws(BenchmarkError) {
        do throws(SystemError) {
            let socket = try Sockets.bindUDP(address, sharesPort: false)
            var queue = try Epoll()
            try queue.add(socket.number, for: .readable, token: 0)
            var received = ReceiveBatch(count: batchSize, datagramSize: datagramSize)
            var replies = SendBatch(count: batchSize)
            var octets: [UInt8] = []
            while true {
                _ = try queue.wait(milliseconds: -1)
                let count = try received.fill(from: socket)
                octets.removeAll(keepingCapacity: true)
                for index in 0..<count {
                    let start = octets.count
                    guard appendReply(to: received.octets(index), into: &octets) else { continue }
                    replies.append(start..<octets.count, to: received.peer(index))
                }
                _ = replies.flush(from: octets.span, through: socket)
            }
        } catch {
            throw .system(error)
        }
    }

    /// Appends the answer to a query; `false` when it is none.
    private static func appendReply(to query: Span<UInt8>, into octets: inout [UInt8]) -> Bool {
        guard query.count > headerSize, query[2] & 0x80 == 0 else { return false }
        var end = headerSize
        while end < query.count, query[end] != 0 { end += 1 + Int(query[end]) }
        end += 5
        guard end <= query.count else { return false }
        // The id; response, recursion desired and available; one question, one answer.
        octets += [query[0], query[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
        for index in headerSize..<end { octets.append(query[index]) }
        octets += record
        return true
    }
}
