import Foundation
import Synchronization

/// A DNS server on one port of 127.0.0.1, UDP and TCP, whose answers a closure makes.
///
/// It copies what it hears into the closure, whether it came as a datagram, and sends every message
/// that comes out; a message that is empty closes the connection it came over.
package final class LoopbackResponder: Sendable {
    package typealias Answers = @Sendable (_ query: [UInt8], _ isDatagram: Bool) -> [[UInt8]]

    private let datagrams: LoopbackSocket
    private let listener: LoopbackSocket
    private let answers: Answers
    private let isStopping = Atomic(false)
    private let count = Atomic(0)

    package init(answers: @escaping Answers) throws {
        (datagrams, listener) = try LoopbackSocket.pairOnOnePort()
        self.answers = answers
        try listener.listen()
        Thread.detachNewThread { self.serve() }
    }

    package var port: UInt16 { datagrams.port }

    /// Queries that came so far.
    package var queryCount: Int { count.load(ordering: .relaxed) }

    package func stop() { isStopping.store(true, ordering: .relaxed) }

    private func serve() {
        // A test that forgets to stop it leaves nothing after five minutes.
        let end = Date().addingTimeInterval(300)
        var streams: [LoopbackSocket] = []
        while !isStopping.load(ordering: .relaxed), Date() < end {
            for index in LoopbackSocket.readable(
                [datagrams, listener] + streams, milliseconds: 20
            ).reversed() {
                switch index {
                case 0: answerDatagram()
                case 1: if let stream = try? listener.accept() { streams.append(stream) }
                default: if !answerStream(streams[index - 2]) { streams.remove(at: index - 2) }
                }
            }
        }
    }

    private func answerDatagram() {
        guard let (query, peer) = try? datagrams.receive() else { return }
        count.add(1, ordering: .relaxed)
        for reply in answers(query, true) where !reply.isEmpty {
            try? datagrams.send(reply, to: peer)
        }
    }

    private func answerStream(_ stream: LoopbackSocket) -> Bool {
        guard let (octets, _) = try? stream.receive(), octets.count > 14 else { return false }
        count.add(1, ordering: .relaxed)
        for reply in answers(Array(octets[2...]), false) {
            guard !reply.isEmpty else { return false }
            try? stream.send([UInt8(reply.count >> 8), UInt8(reply.count & 0xFF)] + reply)
        }
        return true
    }
}
