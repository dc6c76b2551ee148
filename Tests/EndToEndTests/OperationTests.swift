import Foundation
import Glibc
import LoopbackFixtures
import Testing

/// Start, reload, pause and stop of the real daemon.
@Suite(.serialized) struct OperationTests {
    @Test func aSecondDaemonSaysWhoHoldsThePort() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        let holder = try #require(daemon.child?.number)
        let second = try daemon.launch()
        #expect(second.wait(seconds: 10) == 3)
        #expect(second.text.contains("is held by process \(holder) (sluiced)"))
        #expect(try daemon.client("dig", "www.example.net").contains("NOERROR"))
    }

    @Test func aDamagedSnapshotIsRefusedAtStart() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.expectSuccess("compile", "--config", daemon.path("sluice.yaml"))
        try damageSnapshot(of: daemon)
        let child = try daemon.launch()
        #expect(child.wait(seconds: 10) == 3)
        #expect(child.text.contains("checksum"), "\(child.text)")
    }

    /// More than the tables hold is an error with its reason, not a trap.
    @Test func tooManyAddressesAreRefusedAtStart() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        let text = try String(contentsOfFile: daemon.path("sluice.yaml"), encoding: .utf8)
        for (key, count) in [("upstreams", 65), ("listen", 257)] {
            let addresses = (0..<count).map { "\"127.1.\($0 / 200).\($0 % 200 + 1):5399\"" }
            let lines = text.split(separator: "\n").map { line in
                line.hasPrefix("\(key):")
                    ? "\(key): [\(addresses.joined(separator: ", "))]" : String(line)
            }
            try daemon.write(lines.joined(separator: "\n") + "\n", to: "sluice.yaml")
            let child = try daemon.launch()
            #expect(child.wait(seconds: 10) == 3)
            #expect(child.text.contains("has \(count) items; at most"), "\(child.text)")
        }
    }

    @Test func aBadReloadKeepsTheOldRules() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        try damageSnapshot(of: daemon)
        let reload = try daemon.sluice("reload", "--config", daemon.path("sluice.yaml"))
        #expect(reload.status == 3 && reload.text.contains("stays in force"), "\(reload.text)")
        #expect(try daemon.client("dig", "ads.example").contains("NXDOMAIN"))
        #expect((try daemon.status()["lastError"] as? String)?.contains("checksum") == true)
        try daemon.write("listen: [oops\n", to: "sluice.yaml.bad")
        let check = try daemon.sluice("check-config", daemon.path("sluice.yaml.bad"))
        #expect(check.status == 3 && check.text.contains("sluice.yaml.bad:"))
    }

    /// A snapshot that is gone, or that a link leads to in vain, does not end the filtering.
    @Test func aReloadWithoutTheSnapshotKeepsTheOldRules() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        let current = daemon.path("state/policies/default/current")
        let file = URL(fileURLWithPath: current).resolvingSymlinksInPath().path
        for path in [file, current] {
            try FileManager.default.removeItem(atPath: path)
            let reload = try daemon.sluice("reload", "--config", daemon.path("sluice.yaml"))
            #expect(reload.status == 3 && reload.text.contains("stays in force"), "\(reload.text)")
            #expect(try daemon.client("dig", "ads.example").contains("NXDOMAIN"))
        }
        let second = try RunningDaemon(binaries)
        try second.expectSuccess("compile", "--config", second.path("sluice.yaml"))
        let link = second.path("state/policies/default/current")
        try FileManager.default.removeItem(at: URL(fileURLWithPath: link).resolvingSymlinksInPath())
        #expect(try second.launch().wait(seconds: 10) == 3)
    }

    /// Without descriptors for new clients the daemon waits for some; it does not spin.
    @Test func noDescriptorsLeftIsNoBusyLoop() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(
            binaries, extra: "tcp: { connections: 200, per-client: 200 }")
        try daemon.start(descriptors: 48)
        let child = try #require(daemon.child)
        var clients: [LoopbackSocket] = []
        for _ in 0..<60 {
            let client = try LoopbackSocket(.stream, boundTo: "127.0.0.1")
            try client.connect(to: "127.0.0.1", port: daemon.port)
            clients.append(client)
        }
        Thread.sleep(forTimeInterval: 0.5)
        let before = try processorTicks(of: child.number)
        Thread.sleep(forTimeInterval: 2)
        let spent = try processorTicks(of: child.number) - before
        #expect(spent < 50, "\(spent) hundredths of a second in two seconds")
        clients = []
        try daemon.wait("TCP clients are served again") {
            try daemon.client("dig", "+tcp", "ads.example").contains("NXDOMAIN")
        }
    }

    /// Time that a process has computed, in hundredths of a second (proc(5)).
    private func processorTicks(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text[text.index(after: text.lastIndex(of: ")") ?? text.startIndex)...]
            .split(separator: " ")
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    @Test func aReloadPutsNewRulesInForce() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        #expect(try daemon.client("dig", "new.example").contains("NOERROR"))
        try daemon.write("||new.example^\n", to: "ads.txt")
        try daemon.expectSuccess("compile", "--config", daemon.path("sluice.yaml"))
        try daemon.expectSuccess("reload", "--config", daemon.path("sluice.yaml"))
        try daemon.wait("the new rule blocks") {
            try daemon.client("dig", "new.example").contains("NXDOMAIN")
        }
        #expect(try daemon.client("dig", "ads.example").contains("NOERROR"))
    }

    @Test func reloadsLoseNoQuery() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        let child = try #require(daemon.child)
        let socket = try LoopbackSocket(.datagrams, boundTo: "127.0.0.1")
        try socket.connect(to: "127.0.0.1", port: daemon.port)
        var answered = 0
        for round in 0..<500 {
            if round % 25 == 0 { kill(child.number, SIGHUP) }
            let name: [UInt8] = [3] + Array("ads".utf8) + [7] + Array("example".utf8) + [0]
            try socket.send([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 1, 0, 1])
            if !LoopbackSocket.readable([socket], milliseconds: 2000).isEmpty,
                try socket.receive().octets[3] & 0x0F == 3
            {
                answered += 1
            }
        }
        #expect(answered == 500)
        try daemon.wait("twenty reloads") { daemon.log.contains("reloaded: ") }
    }

    @Test func aPauseLetsThroughAndSurvivesARestart() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        try daemon.expectSuccess("pause", "10m", "--config", daemon.path("sluice.yaml"))
        #expect(try daemon.client("dig", "ads.example").contains("NOERROR"))
        daemon.child?.stop()
        try daemon.start(compiling: false)
        #expect(try daemon.status()["state"] as? String == "paused")
        #expect(try daemon.client("dig", "ads.example").contains("NOERROR"))
        try daemon.expectSuccess("resume", "--config", daemon.path("sluice.yaml"))
        #expect(try daemon.client("dig", "ads.example").contains("NXDOMAIN"))
    }

    @Test func aFlushForgetsAnswers() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        _ = try daemon.client("dig", "one.example.net")
        _ = try daemon.client("dig", "two.example.net")
        try daemon.expectSuccess("flush", "one.example.net", "--config", daemon.path("sluice.yaml"))
        #expect(try daemon.status()["cacheEntries"] as? Int == 1)
        _ = try daemon.client("dig", "one.example.net")
        #expect(daemon.upstream.queryCount == 3)
    }

    @Test func withoutCompiledListsItForwardsAndSaysSo() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start(compiling: false)
        #expect(try daemon.client("dig", "ads.example").contains("NOERROR"))
        #expect(try daemon.status()["state"] as? String == "degraded")
        #expect(daemon.log.contains("filters nothing"))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsItCleanly(signal: Int32) throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        let child = try #require(daemon.child)
        kill(child.number, signal)
        #expect(child.wait(seconds: 8) == 0)
        #expect(!FileManager.default.fileExists(atPath: daemon.path("control.sock")))
    }

    @Test func withoutAReachableUpstreamBlockedNamesStillWork() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        daemon.upstream.stop()
        try daemon.start()
        #expect(try daemon.client("dig", "ads.example").contains("status: NXDOMAIN"))
        #expect(try daemon.client("dig", "www.example.net").contains("status: SERVFAIL"))
    }

    @Test func theDaemonLinksNoFoundation() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let octets = try Data(contentsOf: binaries.daemon)
        #expect(octets.range(of: Data("libFoundation".utf8)) == nil)
        #expect(octets.range(of: Data("$s10Foundation".utf8)) == nil)
    }

    private func damageSnapshot(of daemon: RunningDaemon) throws {
        let current = URL(fileURLWithPath: daemon.path("state/policies/default/current"))
            .resolvingSymlinksInPath()
        var octets = try Data(contentsOf: current)
        octets[octets.count / 2] ^= 0x40
        // Replaced whole, as every writer of snapshots does it: the map of the daemon stays good.
        try FileManager.default.removeItem(at: current)
        try octets.write(to: current)
    }
}
