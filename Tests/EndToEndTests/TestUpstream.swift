import DNSWire
import DomainNames
import Foundation
import LoopbackFixtures
import Synchronization

/// An upstream on loopback, UDP and TCP, that answers by the first label of a name of example.net.
///
/// `nx…` NXDOMAIN with an SOA · `big…` 100 A records (TC over UDP) · `alias…` a CNAME to
/// `tracker.example` · `silent…` nothing · `slow…` after 400 ms · else one A record 192.0.2.1.
final class TestUpstream: Sendable {
    private let datagrams: LoopbackSocket
    private let listener: LoopbackSocket
    private let isStopping = Atomic(false)
    private let count = Atomic(0)

    init() throws {
        (datagrams, listener) = try LoopbackSocket.pairOnOnePort()
        try listener.listen()
        Thread.detachNewThread { self.serve() }
    }

    var port: UInt16 { datagrams.port }

    /// Queries that came so far.
    var queryCount: Int { count.load(ordering: .relaxed) }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    private func serve() {
        // Five minutes are more than any test takes: a test that forgets to stop it leaves nothing.
        let end = Date().addingTimeInterval(300)
        var streams: [LoopbackSocket] = []
        while !isStopping.load(ordering: .relaxed), Date() < end {
            for index in LoopbackSocket.readable(
                [datagrams, listener] + streams, milliseconds: 50
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
        let name = firstLabel(query)
        if name.hasPrefix("silent") { return }
        let reply = answer(query, isDatagram: true)
        guard name.hasPrefix("slow") else {
            try? datagrams.send(reply, to: peer)
            return
        }
        Thread.detachNewThread { [datagrams] in
            Thread.sleep(forTimeInterval: 0.4)
            try? datagrams.send(reply, to: peer)
        }
    }

    private func answerStream(_ stream: LoopbackSocket) -> Bool {
        guard let (octets, _) = try? stream.receive(), octets.count > 14 else { return false }
        var offset = 0
        while offset + 2 <= octets.count {
            let size = Int(octets[offset]) << 8 | Int(octets[offset + 1])
            guard offset + 2 + size <= octets.count else { return false }
            count.add(1, ordering: .relaxed)
            let reply = answer(Array(octets[(offset + 2)..<(offset + 2 + size)]), isDatagram: false)
            try? stream.send([UInt8(reply.count >> 8), UInt8(reply.count & 0xFF)] + reply)
            offset += 2 + size
        }
        return true
    }

    /// The first label of a name of example.net; empty for other names.
    private func firstLabel(_ query: [UInt8]) -> String {
        guard query.count > 13, query.count > 13 + Int(query[12]) else { return "" }
        let end = 13 + Int(query[12])
        let rest = String(decoding: query[end...], as: UTF8.self).lowercased()
        guard rest.hasPrefix("\u{7}example\u{3}net\0") else { return "" }
        return String(decoding: query[13..<end], as: UTF8.self).lowercased()
    }

    private func answer(_ query: [UInt8], isDatagram: Bool) -> [UInt8] {
        guard let view = try? MessageView(query.span), let question = try? view.question() else {
            return []
        }
        let name = firstLabel(query)
        var reply = [UInt8](query[..<question.end])
        reply[2] = 0x81
        reply[3] = name.hasPrefix("nx") ? 0x83 : 0x80
        var answers: [[UInt8]] = []
        var authorities: [[UInt8]] = []
        if name.hasPrefix("nx") {
            let soa: [UInt8] = [0, 0] + Array(repeating: 0, count: 16) + [0, 0, 0, 30]
            authorities = [record(owner: [0xC0, 12], type: 6, ttl: 60, soa)]
        } else if name.hasPrefix("big"), isDatagram {
            reply[2] |= 0x02
        } else if name.hasPrefix("big") {
            answers = (0..<100).map {
                record(owner: [0xC0, 12], type: 1, ttl: 60, [192, 0, 2, $0])
            }
        } else if name.hasPrefix("alias") {
            let target = [7] + Array("tracker".utf8) + [7] + Array("example".utf8) + [0]
            answers = [
                record(owner: [0xC0, 12], type: 5, ttl: 60, target),
                record(owner: target, type: 1, ttl: 60, [192, 0, 2, 7]),
            ]
        } else if question.type == .a {
            answers = [record(owner: [0xC0, 12], type: 1, ttl: 60, [192, 0, 2, 1])]
        }
        reply.replaceSubrange(4..<12, with: [0, 1, 0, UInt8(answers.count), 0, 0, 0, 0])
        reply[9] = UInt8(authorities.count)
        return reply + (answers + authorities).flatMap { $0 }
    }

    private func record(owner: [UInt8], type: UInt8, ttl: UInt8, _ rdata: [UInt8]) -> [UInt8] {
        owner + [0, type, 0, 1, 0, 0, 0, ttl, 0, UInt8(rdata.count)] + rdata
    }
}
