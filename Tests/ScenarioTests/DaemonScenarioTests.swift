import LoopbackFixtures
import Testing

/// The same scenarios on the real daemon, on loopback, one after the other.
@Suite(.serialized) struct DaemonScenarioTests {
    /// A scenario that waits for longer is played on the other stage only.
    static let longestWait = Duration.seconds(3)

    static let short = ScenarioFiles.all.filter { path in
        // One that cannot be read is kept, so that its test says why.
        guard let scenario = try? ScenarioFiles.scenario(path) else { return true }
        return scenario.longestWait <= longestWait
    }

    @Test func mostScenariosRunInRealTime() {
        let left = ScenarioFiles.all.filter { !DaemonScenarioTests.short.contains($0) }
        for path in left { print("scenario: too long for the daemon: \(path)") }
        print("scenario: \(DaemonScenarioTests.short.count) for the daemon, \(left.count) too long")
        #expect(DaemonScenarioTests.short.count >= 30)
    }

    @Test(arguments: DaemonScenarioTests.short)
    func theDaemonPlaysTheScenario(path: String) throws {
        guard case .found(let binaries) = DaemonBinaries.finding else {
            if case .missing(let reason) = DaemonBinaries.finding {
                print("scenario: SKIPPED on the daemon, \(reason): \(path)")
            }
            return
        }
        let scenario = try ScenarioFiles.scenario(path)
        let upstream = ScriptedUpstream(scenario)
        let stage = try DaemonStage(scenario, upstream: upstream, binaries: binaries)
        defer { stage.stop() }
        var player = ScenarioPlayer(scenario, on: stage, with: upstream)
        do { try player.play() } catch {
            Issue.record("\(error)\nthe daemon wrote: \(stage.daemonText)")
        }
        #expect(player.untold.isEmpty, "figures that the daemon does not count: \(player.untold)")
    }
}
