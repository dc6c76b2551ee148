import Foundation
import LoopbackFixtures
import Testing

/// Memory of the real daemon: told by part, shared between daemons, and lost under its feet.
@Suite(.serialized) struct MemoryTests {
    /// Enough names for a snapshot of many pages.
    private static let filler = (0..<40_000).map { "||filler-\($0 &* 7919).example^\n" }.joined()

    private func snapshotFile(of daemon: RunningDaemon) -> String {
        URL(fileURLWithPath: daemon.path("state/policies/default/current"))
            .resolvingSymlinksInPath().path
    }

    @Test func statusTellsMemoryByPart() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: "||ads.example^\n" + Self.filler)
        try daemon.start()
        #expect(try daemon.client("dig", "ads.example").contains("NXDOMAIN"))
        Thread.sleep(forTimeInterval: 1.2)
        let memory = try #require(try daemon.status()["memory"] as? [String: Int])
        let parts = [
            "prefilterBytes", "directoryBytes", "nameBytes", "cacheBytes", "pendingBytes",
            "bufferBytes", "otherBytes",
        ]
        let sum = parts.reduce(0) { $0 + (memory[$1] ?? 0) }
        #expect(sum == memory["rssBytes"])
        for part in parts { #expect(memory[part] ?? 0 > 0, "\(part) of \(memory)") }
        #expect(memory["limitBytes"] == 64 << 20)
        #expect(memory["plannedBytes"] ?? 0 <= 64 << 20)
        let size = try FileManager.default.attributesOfItem(atPath: snapshotFile(of: daemon))[.size]
        #expect(memory["mappedBytes"] == size as? Int)
        let text = try daemon.sluice("status", "--config", daemon.path("sluice.yaml")).text
        #expect(text.contains("of 64.0 MiB") && text.contains("prefilters"), "\(text)")
    }

    @Test func twoDaemonsShareThePagesOfOneSnapshot() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let first = try RunningDaemon(binaries, block: "||ads.example^\n" + Self.filler)
        try first.start()
        let second = try RunningDaemon(binaries)
        let text = try String(contentsOfFile: second.path("sluice.yaml"), encoding: .utf8)
        try second.write(
            text.replacingOccurrences(of: second.path("state"), with: first.path("state")),
            to: "sluice.yaml")
        try second.start(compiling: false)
        // The same names for both, from all of the file: then both have read the same pages.
        for daemon in [first, second] { #expect(try blockedCount(daemon) == 200) }
        for daemon in [first, second] {
            let process = try #require(daemon.child?.number)
            let (resident, share) = try mappedKilobytes(of: process, file: ".sluice")
            #expect(resident > 50)
            #expect(share * 2 <= resident + resident / 5, "\(share) of \(resident) KiB")
        }
    }

    /// How many of 200 names, from all over the index, are answered NXDOMAIN.
    private func blockedCount(_ daemon: RunningDaemon) throws -> Int {
        let socket = try LoopbackSocket(.datagrams, boundTo: "127.0.0.1")
        try socket.connect(to: "127.0.0.1", port: daemon.port)
        var count = 0
        for number in 0..<200 {
            let label = Array("filler-\(number * 200 &* 7919)".utf8)
            let name = [UInt8(label.count)] + label + [7] + Array("example".utf8) + [0]
            try socket.send([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 1, 0, 1])
            if !LoopbackSocket.readable([socket], milliseconds: 2000).isEmpty,
                try socket.receive().octets[3] & 0x0F == 3
            {
                count += 1
            }
        }
        return count
    }

    /// Rss and Pss of the mappings of files whose names end so (proc(5)).
    private func mappedKilobytes(
        of process: Int32, file: String
    ) throws -> (resident: Int, share: Int) {
        let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/smaps"))
        let text = String(decoding: try maps.readToEnd() ?? Data(), as: UTF8.self)
        var sums = ["Rss:": 0, "Pss:": 0]
        var counts = false
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0].contains("-") {
                counts = line.hasSuffix(file)
            } else if counts, let sum = sums[String(words[0])], words.count > 1 {
                sums[String(words[0])] = sum + (Int(words[1]) ?? 0)
            }
        }
        return (sums["Rss:"] ?? 0, sums["Pss:"] ?? 0)
    }

    private func cut(_ file: String) throws {
        try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: 4096)
    }

    @Test func aCutSnapshotGivesWayToTheOneBefore() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: "||ads.example^\n" + Self.filler)
        try daemon.start()
        let before = try #require(try daemon.status()["snapshotID"] as? String)
        try daemon.write("||ads.example^\n||new.example^\n" + Self.filler, to: "ads.txt")
        try daemon.expectSuccess("compile", "--config", daemon.path("sluice.yaml"))
        try daemon.expectSuccess("reload", "--config", daemon.path("sluice.yaml"))
        #expect(try daemon.client("dig", "new.example").contains("NXDOMAIN"))
        try cut(snapshotFile(of: daemon))
        #expect(try daemon.client("dig", "new.example").contains("status: NO"))
        try daemon.wait("the snapshot of before is in force") {
            try daemon.status()["snapshotID"] as? String == before
        }
        #expect(try daemon.client("dig", "ads.example").contains("NXDOMAIN"))
        let status = try daemon.status()
        #expect(status["state"] as? String == "serving")
        #expect((status["lastError"] as? String)?.contains("was cut") == true)
        // A good compile and reload end it.
        try FileManager.default.removeItem(atPath: snapshotFile(of: daemon))
        try daemon.expectSuccess("compile", "--config", daemon.path("sluice.yaml"))
        try daemon.expectSuccess("reload", "--config", daemon.path("sluice.yaml"))
        #expect(try daemon.client("dig", "new.example").contains("NXDOMAIN"))
        #expect(try daemon.status()["lastError"] is NSNull)
    }

    @Test func withoutAnotherSnapshotNothingIsFilteredAndStatusSaysSo() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: "||ads.example^\n" + Self.filler)
        try daemon.start()
        try cut(snapshotFile(of: daemon))
        try daemon.wait("queries are forwarded") {
            try daemon.client("dig", "ads.example").contains("NOERROR")
        }
        try daemon.wait("status says so") {
            try daemon.status()["state"] as? String == "degraded"
        }
        #expect(daemon.child?.isRunning == true)
    }
}
