import Foundation
import LinuxSystem
import Quantities
import Testing

/// System calls: sockets on loopback, files in a folder of their own.
@Suite struct SystemCallTests {
    private static func loopback(_ last: UInt8 = 1, port: UInt16 = 0) -> NetworkAddress {
        NetworkAddress(octets: [127, 0, 0, last], port: port)
    }

    private static func octets(_ span: Span<UInt8>) -> [UInt8] {
        span.indices.map { span[$0] }
    }

    @Test func addressesAreWrittenByTheRFC() {
        // RFC 5952 §4
        let cases: [([UInt8], String)] = [
            ([192, 0, 2, 1], "192.0.2.1:53"),
            ([0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1], "[2001:db8::1]:53"),
            ([UInt8](repeating: 0, count: 16), "[::]:53"),
            ([UInt8](repeating: 0, count: 15) + [1], "[::1]:53"),
            ([0, 1, 0, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4], "[1:0:2:3::4]:53"),
            ([0, 1, 0, 2, 0, 0, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8], "[1:2:0:4:5:6:7:8]:53"),
            ([0xFE, 0x80] + [UInt8](repeating: 0, count: 14), "[fe80::]:53"),
        ]
        for (octets, text) in cases {
            let address = NetworkAddress(octets: octets, port: 53)
            #expect(address.description == text && address.octets == octets)
        }
        #expect(Self.loopback(9).isLoopback && !Self.loopback().isUnspecified)
        #expect(NetworkAddress(octets: [UInt8](repeating: 0, count: 16), port: 1).isUnspecified)
    }

    /// S15, RFC 2181 §4: the reply to a datagram leaves from the address it came to.
    @Test func aReplyLeavesFromTheAddressThatWasAsked() throws {
        let server = try Sockets.bindUDP(
            NetworkAddress(octets: [0, 0, 0, 0], port: 0), sharesPort: false)
        let port = try Sockets.localAddress(server).port
        let client = try Sockets.connectUDP(Self.loopback(2, port: port), localPort: 0)
        var question: [UInt8] = [1, 2, 3]
        #expect(try Sockets.send(client, question.span) == 3)
        var batch = ReceiveBatch(count: 4, datagramSize: 512)
        #expect(try batch.fill(from: server) == 1)
        #expect(Self.octets(batch.octets(0)) == question)
        var replies = SendBatch(count: 4)
        replies.append(1..<3, to: batch.peer(0))
        #expect(replies.flush(from: question.span, through: server) == 0)
        // A connected socket hears its remote address only.
        var span = question.mutableSpan
        let count = try Sockets.receive(client, into: &span)
        #expect(count == 2 && question == [2, 3, 3])
    }

    @Test func batchesTakeAndSendMany() throws {
        let server = try Sockets.bindUDP(Self.loopback(), sharesPort: true)
        let address = try Sockets.localAddress(server)
        let client = try Sockets.connectUDP(address, localPort: 0)
        for number in 0..<10 as Range<UInt8> {
            let octets = [UInt8](repeating: number, count: Int(number) * 60)
            _ = try Sockets.send(client, octets.span)
        }
        var batch = ReceiveBatch(count: 8, datagramSize: 512)
        #expect(try batch.fill(from: server) == 8)
        #expect(try batch.fill(from: server) == 2)
        // Longer ones are cut to the room.
        #expect(batch.octets(1).count == 512 && batch.octets(0).count == 480)
        #expect(try batch.fill(from: server) == 0)
    }

    @Test func whoHoldsAnAddressIsNoticed() throws {
        let holder = try Sockets.bindUDP(Self.loopback(), sharesPort: true)
        let address = try Sockets.localAddress(holder)
        _ = try Sockets.bindUDP(address, sharesPort: true)
        do {
            try Sockets.probe(address)
            Issue.record("the address is held")
        } catch {
            #expect(error.code == SystemError.Code.addressInUse)
            #expect(error.description.contains("127.0.0.1:\(address.port)"))
        }
    }

    @Test func anEpollTellsWhatIsReady() throws {
        var epoll = try Epoll()
        let wakeUp = try WakeUp()
        try epoll.add(wakeUp.number, for: .readable, token: 77)
        #expect(try epoll.wait(milliseconds: 0) == 0)
        wakeUp.signal()
        wakeUp.signal()
        #expect(try epoll.wait(milliseconds: 1000) == 1)
        #expect(epoll.event(0).token == 77 && epoll.event(0).readiness.contains(.readable))
        wakeUp.clear()
        #expect(try epoll.wait(milliseconds: 0) == 0)
        epoll.remove(wakeUp.number)
        wakeUp.signal()
        #expect(try epoll.wait(milliseconds: 0) == 0)
    }

    @Test func filesAreReplacedWhole() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-files-\(UUID().uuidString)").path
        try FileIO.makeDirectories(path: "\(folder)/a/b")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/a/b/file"
        for octets in [[1, 2, 3], [], [UInt8](repeating: 7, count: 200_000)] as [[UInt8]] {
            try FileIO.replace(path: path, with: octets.span)
            #expect(try FileIO.readWhole(path: path) == octets)
        }
        #expect(try FileIO.list(directory: "\(folder)/a/b") == ["file"], "no temporary is left")
        #expect(throws: SystemError("read", code: SystemError.Code.tooLarge, subject: path)) {
            try FileIO.readWhole(path: path, limit: 199_999)
        }
        try FileIO.replaceLink(path: "\(folder)/current", target: "a/b/file")
        #expect(FileIO.linkTarget(path: "\(folder)/current") == "a/b/file")
        #expect(FileIO.kind(path: "\(folder)/current") == .file)
        #expect(FileIO.kind(path: folder) == .directory && FileIO.kind(path: "\(folder)/x") == nil)
        try FileIO.remove(path: path)
        try FileIO.remove(path: path)
        #expect(throws: SystemError("open", code: SystemError.Code.noEntry, subject: path)) {
            try FileIO.readWhole(path: path)
        }
    }

    @Test func packedFilesAreUnpackedOnTheWay() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-packed-\(UUID().uuidString)").path
        try FileIO.makeDirectories(path: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // gzip of "ads.example\n"; the second one is damaged.
        let packed: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 0x4C, 0x29, 0xD6, 0x4B, 0xAD, 0x48, 0xCC,
            0x2D, 0xC8, 0x49, 0xE5, 2, 0,
        ]
        let plain = Array("ads.example\n".utf8)
        let sum = Self.crc32(plain)
        let tail =
            (0..<4).map { UInt8(sum >> (8 * UInt32($0)) & 255) } + [UInt8(plain.count), 0, 0, 0]
        try FileIO.replace(path: "\(folder)/good", with: (packed + tail).span)
        try FileIO.replace(path: "\(folder)/bad", with: (packed + [0, 0, 0, 0, 0, 0, 0, 0]).span)
        try FileIO.replace(path: "\(folder)/plain", with: plain.span)
        #expect(try Self.readAll("\(folder)/good") == plain)
        #expect(try Self.readAll("\(folder)/plain") == plain)
        #expect(throws: SystemError.self) { try Self.readAll("\(folder)/bad") }
    }

    private static func readAll(_ path: String) throws -> [UInt8] {
        var stream = try ByteStream.open(path: path)
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 5)
        while true {
            var span = chunk.mutableSpan
            let count = try stream.read(into: &span)
            if count == 0 { return octets }
            octets += chunk[..<count]
        }
    }

    private static func crc32(_ octets: [UInt8]) -> UInt32 {
        ~octets.reduce(0xFFFF_FFFF) { sum, octet in
            (0..<8).reduce(sum ^ UInt32(octet)) { sum, _ in
                sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
            }
        }
    }

    /// S12: numbers from the kernel are spread, and each bound is kept.
    @Test func randomNumbersAreSpread() {
        var random = RandomSource()
        var seen: Set<UInt16> = []
        for _ in 0..<10_000 { seen.insert(random.next16()) }
        #expect(seen.count > 8500)
        var counts = [Int](repeating: 0, count: 7)
        for _ in 0..<70_000 { counts[Int(random.next(below: 7))] += 1 }
        #expect(counts.allSatisfy { (9000...11_000).contains($0) })
        #expect(random.next(below: 1) == 0)
    }

    @Test func aThreadRunsItsBodyOnce() throws {
        let wakeUp = try WakeUp()
        let thread = try Thread(name: "sluice-test") { wakeUp.signal() }
        thread.join()
        var epoll = try Epoll()
        try epoll.add(wakeUp.number, for: .readable, token: 1)
        #expect(try epoll.wait(milliseconds: 0) == 1)
        #expect(Clock.now() > MonotonicInstant(nanoseconds: 0))
    }
}
