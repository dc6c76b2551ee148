import Foundation
import LoopbackFixtures
import Testing

/// `sluice update` beside a running daemon.
@Suite(.serialized) struct ListUpdateTests {
    private func server(_ text: @escaping @Sendable () -> String) throws -> LoopbackWebServer {
        try LoopbackWebServer { _ in LoopbackWebServer.Reply(body: text()) }
    }

    private func list(_ server: LoopbackWebServer) -> String {
        "ads: { url: \"http://127.0.0.1:\(server.port)/ads.txt\", format: domains }"
    }

    /// With nothing fetched yet names pass, and status says so; the first update ends that, and
    /// the last snapshot serves at a start without any network.
    @Test func aDaemonWithoutListsIsDegradedUntilTheFirstUpdate() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let server = try server { "www.example.net\n" }
        let daemon = try RunningDaemon(binaries)
        try daemon.writeConfiguration(lists: list(server))
        try daemon.start(compiling: false)
        #expect(try daemon.status()["state"] as? String == "degraded")
        #expect(try daemon.client("dig", "www.example.net").contains("NOERROR"))
        let update = try daemon.sluice("update", "--config", daemon.path("sluice.yaml"))
        #expect(update.status == 0, "\(update.text)")
        #expect(update.text.contains("the daemon reloaded"))
        #expect(try daemon.status()["state"] as? String == "serving")
        #expect(try daemon.client("dig", "www.example.net").contains("NXDOMAIN"))
        let again = try daemon.sluice("update", "--config", daemon.path("sluice.yaml"))
        #expect(again.text.contains("the daemon is up to date"), "\(again.text)")
        server.stop()
        daemon.child?.stop()
        try daemon.start(compiling: false)
        #expect(try daemon.client("dig", "www.example.net").contains("NXDOMAIN"))
    }

    @Test func statusShowsAListThatIsHeldBack() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let page = try server { "<!doctype html><title>Sign in</title>" }
        let daemon = try RunningDaemon(binaries)
        try daemon.writeConfiguration(lists: list(page))
        try daemon.start(compiling: false)
        let update = try daemon.sluice("update", "--config", daemon.path("sluice.yaml"))
        #expect(update.status == 1)
        let lists = try #require(try daemon.status()["lists"] as? [[String: Any]])
        #expect(lists.map { $0["state"] as? String } == ["held back"])
        #expect((lists[0]["reason"] as? String)?.contains("web page") == true)
        let text = try daemon.sluice("status", "--config", daemon.path("sluice.yaml")).text
        #expect(text.contains("held back for "))
    }

    @Test func aRollbackReachesTheDaemon() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: "||ads.example^\n")
        try daemon.start()
        #expect(try daemon.client("dig", "www.example.net").contains("NOERROR"))
        try daemon.write("||ads.example^\n||www.example.net^\n", to: "ads.txt")
        try daemon.expectSuccess("update", "--config", daemon.path("sluice.yaml"))
        #expect(try daemon.client("dig", "www.example.net").contains("NXDOMAIN"))
        try daemon.expectSuccess("rollback", "--config", daemon.path("sluice.yaml"))
        #expect(try daemon.client("dig", "www.example.net").contains("NOERROR"))
    }
}
