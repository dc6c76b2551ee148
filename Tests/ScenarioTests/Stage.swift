/// Where a scenario is played: what its steps act on.
protocol Stage: AnyObject {
    /// How far TTLs may have counted down beyond what the scenario says, in seconds.
    var ttlTolerance: UInt32 { get }

    /// Sends a client's query.
    func send(_ query: [UInt8], overTCP: Bool, from client: String, number: Int) throws

    /// Waits for the answer to query `number`; `nil` when none comes.
    func answer(to number: Int) throws -> StageAnswer?

    /// Whether query `number` was answered by now.
    func isAnswered(_ number: Int) throws -> Bool

    func pass(_ time: Duration) throws

    /// Puts new lists in the place of those with the same names, and the result in force.
    func reload(_ lists: [ScenarioList]) throws

    /// Stops filtering for one client, or for all.
    func pause(client: String?) throws

    func resume() throws

    /// A count of the server; `nil` when this stage cannot tell.
    func count(_ figure: ScenarioExpectation.Figure) throws -> Int?
}

/// What a client got.
struct StageAnswer: Sendable {
    var octets: [UInt8]
    /// From query to answer; on the real clock no less than this.
    var elapsed: Duration
}
