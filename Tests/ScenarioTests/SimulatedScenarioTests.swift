import Testing

/// Every scenario on the real resolver, forwarder and cache, with a clock of its own.
@Suite struct SimulatedScenarioTests {
    @Test func theScenariosAreFound() {
        #expect(ScenarioFiles.all.count >= 30)
    }

    @Test(arguments: ScenarioFiles.all)
    func theResolverPlaysTheScenario(path: String) throws {
        let scenario = try ScenarioFiles.scenario(path)
        let upstream = ScriptedUpstream(scenario)
        let stage = try SimulatedStage(scenario, upstream: upstream)
        var player = ScenarioPlayer(scenario, on: stage, with: upstream)
        try player.play()
        #expect(player.untold.isEmpty, "figures that nothing counts: \(player.untold)")
    }
}
