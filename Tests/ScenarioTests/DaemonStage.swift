import Foundation
import Glibc
import LoopbackFixtures

/// The stage with the real daemon: processes, sockets and the clock of the wall.
final class DaemonStage: Stage {
    /// A machine under load may be this late.
    let ttlTolerance: UInt32 = 2

    private struct Waiting {
        var socket: LoopbackSocket
        var isStream: Bool
        var start: ContinuousClock.Instant
        var answer: StageAnswer?
    }

    /// Commands and the daemon's start and reload are waited for this long.
    private static let bound = 10.0

    private let scenario: Scenario
    private let binaries: DaemonBinaries
    private let directory: ScenarioDirectory
    private let upstreams: UpstreamServer
    private let port: UInt16
    private let configuration: String
    private var daemon: ChildProcess?
    private var waiting: [Int: Waiting] = [:]
    private var commandCount = 0

    init(_ scenario: Scenario, upstream: ScriptedUpstream, binaries: DaemonBinaries) throws {
        self.scenario = scenario
        self.binaries = binaries
        directory = try ScenarioDirectory(scenario)
        upstreams = try UpstreamServer(
            addresses: scenario.upstreamAddresses, script: upstream)
        // Free a moment ago; the daemon binds it next.
        port = try LoopbackSocket.pairOnOnePort().datagrams.port
        configuration = directory.path("sluice.yaml")
        upstreams.start()
        do {
            try compile()
            try startDaemon()
        } catch {
            stop()
            throw error
        }
    }

    /// Ends the daemon and the upstreams.
    func stop() {
        daemon?.stop()
        upstreams.stop()
    }

    /// What the daemon wrote, for a failure's text.
    var daemonText: String { daemon?.text ?? "" }

    // MARK: Queries

    func send(_ query: [UInt8], overTCP: Bool, from client: String, number: Int) throws {
        let socket = try LoopbackSocket(overTCP ? .stream : .datagrams, boundTo: client)
        try socket.connect(to: "127.0.0.1", port: port)
        let start = ContinuousClock.now
        try socket.send(overTCP ? UInt16(query.count).bigEndianOctets + query : query)
        waiting[number] = Waiting(socket: socket, isStream: overTCP, start: start)
    }

    func answer(to number: Int) throws -> StageAnswer? {
        let milliseconds = Int32(ScenarioPlayer.patience / .milliseconds(1))
        return try read(number, milliseconds: milliseconds)
    }

    func isAnswered(_ number: Int) throws -> Bool { try read(number, milliseconds: 0) != nil }

    private func read(_ number: Int, milliseconds: Int32) throws -> StageAnswer? {
        guard var waiting = waiting[number] else { return nil }
        if let answer = waiting.answer { return answer }
        guard !LoopbackSocket.readable([waiting.socket], milliseconds: milliseconds).isEmpty else {
            return nil
        }
        var octets = try waiting.socket.receive().octets
        while waiting.isStream {
            let size = octets.count < 2 ? 1 : Int(octets[0]) << 8 | Int(octets[1])
            if octets.count >= 2 + size {
                octets = Array(octets[2..<(2 + size)])
                break
            }
            let ready = LoopbackSocket.readable([waiting.socket], milliseconds: 2000)
            let more = ready.isEmpty ? [] : try waiting.socket.receive().octets
            guard !more.isEmpty else { return nil }
            octets += more
        }
        let answer = StageAnswer(octets: octets, elapsed: .now - waiting.start)
        waiting.answer = answer
        self.waiting[number] = waiting
        return answer
    }

    func pass(_ time: Duration) throws {
        Thread.sleep(forTimeInterval: time / .seconds(1))
    }

    // MARK: The daemon

    private func startDaemon() throws {
        let child = try ChildProcess(
            binaries.daemon, ["--config", configuration],
            output: directory.url.appendingPathComponent("sluiced.log"))
        daemon = child
        try waitUntil("the daemon serves") {
            guard child.isRunning else { throw fault("sluiced ended: \(child.text)") }
            return FileManager.default.fileExists(atPath: directory.path("control.sock"))
                && (try? status()) != nil
        }
    }

    private func compile() throws {
        let text = directory.configuration(
            listen: "127.0.0.1:\(port)", upstreams: upstreams.endpoints)
        _ = try directory.settings(text)
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        _ = try run("compile", [])
    }

    func reload(_ lists: [ScenarioList]) throws {
        let before = try snapshotIDs()
        try directory.replace(lists)
        try compile()
        guard let daemon else { throw fault("the daemon does not run") }
        kill(daemon.number, SIGHUP)
        try waitUntil("the snapshot changes") { try snapshotIDs() != before }
    }

    func pause(client: String?) throws {
        _ = try run("pause", client.map { ["--client", $0] } ?? [])
    }

    func resume() throws { _ = try run("resume", []) }

    func count(_ figure: ScenarioExpectation.Figure) throws -> Int? {
        try status()[figure.rawValue] as? Int
    }

    private func snapshotIDs() throws -> [String] {
        let policies = try status()["policies"] as? [[String: Any]] ?? []
        return policies.map { $0["snapshotID"] as? String ?? "" }
    }

    private func status() throws -> [String: Any] {
        let text = try run("status", ["--json"])
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard let members = json as? [String: Any] else { throw fault("status says \(text)") }
        return members
    }

    /// Runs a command of `sluice` to its end.
    /// - Returns: what it wrote.
    private func run(_ command: String, _ arguments: [String]) throws -> String {
        commandCount += 1
        let child = try ChildProcess(
            binaries.command, [command, "--config", configuration] + arguments,
            output: directory.url.appendingPathComponent("command-\(commandCount).log"))
        let status = child.wait(seconds: DaemonStage.bound)
        child.stop()
        guard status == 0 else {
            let end = status.map { "ended with \($0)" } ?? "did not end"
            throw fault("sluice \(command) \(end): \(child.text)")
        }
        return child.text
    }

    private func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(DaemonStage.bound)
        while ContinuousClock.now < end {
            if try condition() { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw fault("waited in vain until \(what): \(daemonText)")
    }

    private func fault(_ text: String) -> ScenarioError {
        ScenarioError(file: scenario.file, line: 1, kind: .command(text))
    }
}
