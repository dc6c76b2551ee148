import Foundation
import LoopbackFixtures
import Testing

/// Raw octets against the real daemon, over UDP and TCP.
@Suite(.serialized) struct PacketTests {
    /// Sends a datagram and gives the answer, `nil` when none comes within `milliseconds`.
    private func exchange(
        _ octets: [UInt8], with daemon: RunningDaemon, milliseconds: Int32 = 2000
    ) throws -> [UInt8]? {
        let socket = try LoopbackSocket(.datagrams, boundTo: "127.0.0.1")
        try socket.connect(to: "127.0.0.1", port: daemon.port)
        try socket.send(octets)
        guard !LoopbackSocket.readable([socket], milliseconds: milliseconds).isEmpty else {
            return nil
        }
        return try socket.receive().octets
    }

    private func query(_ id: UInt8, _ label: String) -> [UInt8] {
        [0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, UInt8(label.utf8.count)] + Array(label.utf8)
            + [7] + Array("example".utf8) + [3] + Array("net".utf8) + [0, 0, 1, 0, 1]
    }

    @Test func malformedPacketsGetAnErrorOrNothing() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        // WIRE-01, S03: no question. WIRE-02: two of them.
        let none = try exchange([0x11, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], with: daemon)
        #expect(none?.prefix(4) == [0x11, 0x11, 0x81, 0x81])
        var two = query(0x22, "ok")
        two[5] = 2
        two += [3] + Array("ads".utf8) + [7] + Array("example".utf8) + [0, 0, 1, 0, 1]
        #expect(try exchange(two, with: daemon).map { $0[3] & 0x0F } == 1)
        // S02: shorter than a header, or a response: nothing.
        #expect(try exchange([1, 2, 3], with: daemon, milliseconds: 200) == nil)
        var response = query(0x33, "ok")
        response[2] = 0x81
        #expect(try exchange(response, with: daemon, milliseconds: 200) == nil)
        // S08: a name that points at itself, and one past the end.
        let header: [UInt8] = [0, 5, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        #expect(
            try exchange(header + [0xC0, 12, 0, 1, 0, 1], with: daemon).map { $0[3] & 15 } == 1)
        #expect(try exchange(header + [60, 65, 66], with: daemon).map { $0[3] & 15 } == 1)
        let status = try daemon.status()
        #expect(status["malformed"] as? Int == 4 && status["dropped"] as? Int == 2)
        #expect(try exchange(query(7, "ok"), with: daemon)?.count == 48)
    }

    @Test func aReplyLeavesFromTheAddressThatWasAsked() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, listen: "0.0.0.0")
        try daemon.start()
        // WIRE-17, S15: a connected socket hears only the address that it asked.
        for address in ["127.0.0.2", "127.0.0.3"] {
            let socket = try LoopbackSocket(.datagrams, boundTo: "127.0.0.1")
            try socket.connect(to: address, port: daemon.port)
            try socket.send(query(3, "here"))
            #expect(!LoopbackSocket.readable([socket], milliseconds: 2000).isEmpty)
        }
    }

    @Test func randomOctetsNeverEndIt() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        let socket = try LoopbackSocket(.datagrams, boundTo: "127.0.0.1")
        try socket.connect(to: "127.0.0.1", port: daemon.port)
        var state: UInt64 = 0x5EED
        for _ in 0..<2000 {
            var octets = query(1, "seed")
            for _ in 0..<4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                octets[Int(state >> 33) % octets.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            try socket.send(octets)
        }
        #expect(try exchange(query(9, "after"), with: daemon)?.count == 51)
    }

    @Test func messagesOverTCPMaySplitAndJoin() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        let stream = try LoopbackSocket(.stream, boundTo: "127.0.0.1")
        try stream.connect(to: "127.0.0.1", port: daemon.port)
        // S24: octet by octet.
        let one = query(1, "split")
        for octet in [0, UInt8(one.count)] + one { try stream.send([octet]) }
        #expect(try messages(1, from: stream).map { $0[1] } == [1])
        // Fifty in one write; a slow one first, whose answer comes last.
        var joined: [UInt8] = []
        for id in 0..<50 as Range<UInt8> {
            let message = query(id, id == 0 ? "slow" : "name\(id)")
            joined += [0, UInt8(message.count)] + message
        }
        try stream.send(joined)
        let ids = try messages(50, from: stream).map { $0[1] }
        #expect(Set(ids) == Set(0..<50) && ids.last == 0)
    }

    @Test func idleConnectionsAreClosedAndOthersServed() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(
            binaries, extra: "tcp: { idle-timeout: 1s, connections: 8, per-client: 4 }")
        try daemon.start()
        let idle = try (0..<6).map { _ in
            let stream = try LoopbackSocket(.stream, boundTo: "127.0.0.1")
            try stream.connect(to: "127.0.0.1", port: daemon.port)
            return stream
        }
        #expect(try daemon.client("dig", "www.example.net").contains("NOERROR"))
        try daemon.wait("two connections were refused and four closed") {
            let status = try daemon.status()
            return status["tcpRefused"] as? Int == 2 && status["tcpIdleClosed"] as? Int == 4
        }
        for stream in idle { #expect(try stream.receive().octets.isEmpty) }
    }

    private func messages(_ count: Int, from stream: LoopbackSocket) throws -> [[UInt8]] {
        var octets: [UInt8] = []
        var found: [[UInt8]] = []
        while found.count < count {
            guard !LoopbackSocket.readable([stream], milliseconds: 5000).isEmpty else { break }
            octets += try stream.receive().octets
            while octets.count >= 2, octets.count >= 2 + (Int(octets[0]) << 8 | Int(octets[1])) {
                let size = (Int(octets[0]) << 8 | Int(octets[1]))
                found.append(Array(octets[2..<(2 + size)]))
                octets.removeFirst(2 + size)
            }
        }
        return found
    }
}
