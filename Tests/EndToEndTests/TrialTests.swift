import Foundation
import LoopbackFixtures
import Testing

/// `sluice try` and `sluice explain` as programs, beside the real daemon.
@Suite struct TrialTests {
    /// What `try` foretells of a query is what the daemon does once the list has joined.
    @Test func whatIsForetoldComesTrue() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.write("||new.example^\n@@||good.new.example^\n||ads.example^\n", to: "more.txt")
        let names = ["www.new.example", "good.new.example", "x.ads.example", "www.example.net"]
        try daemon.write(names.joined(separator: "\n"), to: "names.txt")
        try daemon.start()
        let config = daemon.path("sluice.yaml")
        let (status, text) = try daemon.sluice(
            "try", daemon.path("more.txt"), "--config", config, "--sites",
            daemon.path("names.txt"), "--json")
        #expect(status == 1, "\(text)")
        let report = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let sites = try #require(report["sites"] as? [String: Any])
        let blocked = try #require(sites["blocked"] as? [[String: Any]])
        #expect(blocked.map { $0["name"] as? String } == ["www.new.example"])
        #expect(sites["blockedNow"] as? Int == 1)
        // Nothing has changed yet.
        #expect(try daemon.client("dig", "www.new.example").contains("status: NOERROR"))
        try daemon.writeConfiguration(
            lists: """
                ads: { file: "\(daemon.path("ads.txt"))", format: adblock }
                  more: { file: "\(daemon.path("more.txt"))", format: adblock }
                """)
        try daemon.expectSuccess("compile", "--config", config)
        try daemon.expectSuccess("reload", "--config", config)
        for (name, isBlocked) in zip(names, [true, false, true, false]) {
            let answer = try daemon.client("dig", name)
            #expect(answer.contains("status: NXDOMAIN") == isBlocked, "\(name): \(answer)")
        }
    }

    /// A real list among real sites, with the bounds that a person feels.
    @Test func aRealListIsTriedAmongRealSites() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let root = DaemonBinaries.root
        let given = ProcessInfo.processInfo.environment["SLUICE_SHARED"]
        let shared =
            given.map { URL(fileURLWithPath: $0) }
            ?? root.deletingLastPathComponent().appendingPathComponent("shared")
        let list = shared.appendingPathComponent(
            "data/blocklists/hagezi+dns-blocklists__adblock_light.txt.gz")
        let sites = shared.appendingPathComponent("data/top/top100k.txt.gz")
        guard FileManager.default.fileExists(atPath: list.path),
            FileManager.default.fileExists(atPath: sites.path)
        else {
            print("SKIPPED aRealListIsTriedAmongRealSites: set SLUICE_SHARED")
            return
        }
        let daemon = try RunningDaemon(binaries)
        let config = daemon.path("sluice.yaml")
        let (status, text) = try daemon.sluice(
            "try", list.path, "--config", config, "--sites", sites.path, "--history", sites.path,
            "--json")
        #expect(status == 1, "\(text.prefix(400))")
        // Messages share the file with the report, which is one line.
        let line = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("{\"list\"") },
            "\(text.prefix(400))")
        let report = try #require(
            JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let names = try #require(report["names"] as? [String: Any])
        let sample = try #require(report["sites"] as? [String: Any])
        let history = try #require(report["history"] as? [String: Any])
        let blocked = try #require(sample["newlyBlocked"] as? Int)
        #expect(sample["sites"] as? Int ?? 0 > 90_000)
        // Each site is one query of the history.
        #expect(history["newlyBlocked"] as? Int == blocked && blocked > 100)
        #expect(names["new"] as? Int == names["total"] as? Int)
        for site in try #require(sample["blocked"] as? [[String: Any]]) {
            #expect(site["line"] != nil, "\(site)")
        }
    }
}
