/// How patient a stub client is.
package struct StubOptions: Sendable {
    /// The most that one try with one upstream may take, over UDP and again over TCP.
    package var tryTime: Duration
    /// The most that a question may take in all.
    package var totalTime: Duration
    /// Times that each upstream is asked.
    package var rounds: Int

    /// Two rounds of two seconds a try, ten seconds in all.
    package init(
        tryTime: Duration = .seconds(2), totalTime: Duration = .seconds(10), rounds: Int = 2
    ) {
        self.tryTime = tryTime
        self.totalTime = totalTime
        self.rounds = rounds
    }
}
