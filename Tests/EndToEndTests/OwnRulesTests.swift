import Foundation
import LoopbackFixtures
import Testing

/// Own rules in the real daemon, asked by dig.
@Suite(.serialized) struct OwnRulesTests {
    private func isBlocked(_ name: String, by daemon: RunningDaemon) throws -> Bool {
        try daemon.client("dig", name).contains("NXDOMAIN")
    }

    private func own(_ daemon: RunningDaemon, _ words: String...) throws {
        switch words.count {
        case 2: try daemon.expectSuccess(words[0], words[1], "--config", daemon.path("sluice.yaml"))
        case 3:
            try daemon.expectSuccess(
                words[0], words[1], words[2], "--config", daemon.path("sluice.yaml"))
        default:
            try daemon.expectSuccess(
                words[0], words[1], words[2], words[3], "--config", daemon.path("sluice.yaml"))
        }
    }

    @Test func rulesAreInForceAtOnceAndSurviveARestart() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        #expect(try isBlocked("ads.example", by: daemon) && !isBlocked("new.example", by: daemon))
        let began = Date()
        try own(daemon, "allow", "https://ADS.example/banner")
        try own(daemon, "block", "new.example.", "--subtree")
        // The commands have returned: no waiting.
        #expect(try !isBlocked("ads.example", by: daemon))
        #expect(Date().timeIntervalSince(began) < 2)
        #expect(try isBlocked("x.new.example", by: daemon))
        #expect(try daemon.client("dig", "new.example").contains("blocked by list own"))
        #expect(try isBlocked("x.ads.example", by: daemon))
        let policies = try #require(try daemon.status()["policies"] as? [[String: Any]])
        #expect(policies.first?["ownRules"] as? Int == 2)

        daemon.child?.stop()
        try daemon.start()
        #expect(try !isBlocked("ads.example", by: daemon) && isBlocked("new.example", by: daemon))
        try own(daemon, "rules", "remove", "ads.example")
        try own(daemon, "rules", "remove", "new.example")
        #expect(try isBlocked("ads.example", by: daemon) && !isBlocked("new.example", by: daemon))
    }

    @Test func aTimedRuleEndsByItself() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        try own(daemon, "allow", "ads.example", "--for", "2s")
        #expect(try !isBlocked("ads.example", by: daemon))
        try daemon.wait("the rule ends") { try isBlocked("ads.example", by: daemon) }
    }

    @Test func aRuleIsForItsPolicyOnly() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.writeConfiguration(
            extra: """
                policies: { default: { lists: [ads] }, kids: { lists: [ads] } }
                clients: [{ address: 127.0.0.9, policy: kids }]
                """)
        try daemon.start()
        try own(daemon, "block", "game.example", "--policy", "kids")
        #expect(try !isBlocked("game.example", by: daemon))
        #expect(try daemon.client("dig", "-b", "127.0.0.9", "game.example").contains("NXDOMAIN"))
    }

    /// What an upgrade or a fault of the disk leaves does not take the names from anybody.
    @Test func aDamagedFileIsToldOfAndMadeAgain() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        try own(daemon, "block", "new.example")
        let file = daemon.path("state/policies/default/own.sluice")
        daemon.child?.stop()
        try FileManager.default.removeItem(atPath: file)
        try daemon.write("damaged", to: "state/policies/default/own.sluice")
        try daemon.start()
        #expect(daemon.log.contains("own rules are not in force"), "\(daemon.log)")
        #expect(try isBlocked("ads.example", by: daemon) && !isBlocked("new.example", by: daemon))
        try daemon.expectSuccess("rules", "--config", daemon.path("sluice.yaml"))
        #expect(try isBlocked("new.example", by: daemon))
    }
}
