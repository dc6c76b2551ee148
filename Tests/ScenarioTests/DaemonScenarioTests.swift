import LoopbackFixtures
import Testing

/// The same scenarios on the real daemon, on loopback, one after the other.
@Suite(.serialized) struct DaemonScenarioTests {
    /// A scenario that waits for longer is played on the other stage only.
    static let longestWait = Duration.seconds(3)

    /// The programs; their absence is said once.
    static let binaries: DaemonBinaries? = {
        switch DaemonBinaries.finding {
        case .found(let binaries): return binaries
        case .missing(let reason):
            print("scenario: SKIPPED on the daemon, all \(short.count): \(reason)")
            return nil
        }
    }()

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
        guard let binaries = DaemonScenarioTests.binaries else { return }
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
