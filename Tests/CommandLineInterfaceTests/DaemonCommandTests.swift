import Control
import Foundation
import LinuxSystem
import Testing

@testable import CommandLineInterface

/// The commands that ask the daemon, against a socket that plays it.
@Suite struct DaemonCommandTests {
    private let shop: Workshop
    private let config: String

    init() throws {
        shop = try Workshop()
        config = try shop.configure("listen: [\"127.0.0.1:5335\"]")
    }

    /// Runs a command while one client of the control socket gets `reply`; returns the request too.
    private func run(
        _ words: [String], reply: String
    ) throws -> (outcome: CommandOutcome, output: String, errors: String, request: String) {
        let path = shop.path("control.sock")
        let listener = try Sockets.listenUnix(path: path, mode: 0o600)
        let answered = DispatchSemaphore(value: 0)
        let box = Box()
        let shared = SharedDescriptor(listener)
        DispatchQueue.global().async {
            let deadline = Date().addingTimeInterval(10)
            while Date() < deadline, box.request.isEmpty {
                guard let client = try? Sockets.acceptUnix(shared.descriptor) else {
                    usleep(1000)
                    continue
                }
                box.request = Self.serve(client, reply: reply)
            }
            answered.signal()
        }
        let recorder = Recorder()
        let outcome = CommandRunner.run(
            words + ["--config", config], console: recorder.console)
        answered.wait()
        try FileIO.remove(path: path)
        return (outcome, recorder.output, recorder.errors, box.request)
    }

    private final class Box: @unchecked Sendable {
        var request = ""
    }

    private static func serve(_ client: consuming FileDescriptor, reply: String) -> String {
        var request: [UInt8] = []
        while !request.contains(0x0A) {
            var chunk = [UInt8](repeating: 0, count: 64)
            var span = chunk.mutableSpan
            guard let got = try? Sockets.receive(client, into: &span) else {
                usleep(1000)
                continue
            }
            if got == 0 { break }
            request += chunk[..<got]
        }
        var rest = Array(reply.utf8)[...]
        while !rest.isEmpty {
            guard let sent = try? Sockets.send(client, Array(rest).span) else {
                usleep(1000)
                continue
            }
            rest = rest.dropFirst(sent)
        }
        return String(decoding: request, as: UTF8.self)
    }

    @Test(arguments: [
        (["status"], "status"), (["reload"], "reload"), (["pause"], "pause"),
        (["pause", "10m"], "pause 10m"),
        (["pause", "90s", "--client", "192.168.1.40"], "pause 90s client 192.168.1.40"),
        (["pause", "--client", "::1"], "pause client ::1"), (["resume"], "resume"),
        (["flush"], "flush"), (["flush", "Ads.example"], "flush Ads.example"),
    ])
    func theRequestIsThatOfTheProtocol(words: [String], line: String) throws {
        let result = try run(words, reply: "{\"ok\":true}\n")
        #expect(result.request == "SLUICE/1 \(line)\n")
        #expect(result.outcome == .good && result.errors == "")
        #expect(result.output.hasSuffix("\n"))
    }

    @Test func jsonIsTheReplyUnchanged() throws {
        let reply = "{\"ok\":true,  \"new\":[1.50,\"\\u00e4\"],\"state\":\"serving\"}"
        let result = try run(["status", "--json"], reply: reply + "\n")
        #expect(result.outcome == .good && result.output == reply + "\n")
        let refusal = "{\"ok\":false,\"error\":\"no\"}"
        let refused = try run(["reload", "--json"], reply: refusal + "\n")
        #expect(refused.outcome == .failure && refused.output == refusal + "\n")
    }

    @Test func statusIsAlignedForPeople() throws {
        let reply = """
            {"ok":true,"state":"serving","lastError":null,"processID":7,"uptimeSeconds":93784,\
            "policies":[{"name":"default","snapshotID":"\(String(repeating: "ab", count: 32))",\
            "names":1234567},{"name":"kids","snapshotID":null,"names":0}],"queries":1000,\
            "blocked":125,"pauses":[{"client":"*","secondsLeft":61}],\
            "memory":{"rssBytes":10485760,"limitBytes":67108864},\
            "upstreams":[{"address":"192.0.2.1:53","state":"up","latencyMicroseconds":12345}]}
            """
        let result = try run(["status"], reply: reply + "\n")
        #expect(
            result.output == """
                state    serving
                up for   1d 2h
                process  7

                policies
                  default  1,234,567 names  abababababababab
                  kids     0 names          not compiled

                paused
                  all clients  for 1m 1s

                queries
                  queries  1,000
                  blocked  125    12.5 %

                memory
                  in use  10.0 MiB of 64.0 MiB

                upstreams
                  192.0.2.1:53  up  12.3 ms

                """)
    }

    @Test func aRefusalAndABadReplyAreFailures() throws {
        let refused = try run(["reload"], reply: "{\"ok\":false,\"error\":\"line 3: no\"}\n")
        #expect(refused.outcome == .failure && refused.output == "")
        #expect(refused.errors == "sluice: the daemon says: line 3: no\n")
        let odd = try run(["status"], reply: "hello\n")
        #expect(odd.outcome == .failure && odd.errors.contains("is not understood"))
        let cut = try run(["status"], reply: "{\"ok\":true")
        #expect(cut.outcome == .failure && cut.errors.contains("no whole reply"))
    }

    @Test func withoutADaemonThePlaceIsSaid() throws {
        let (outcome, output, errors) = shop.run("status", "--config", config)
        #expect(outcome == .failure && output == "")
        #expect(
            errors == "sluice: no daemon at \(shop.path("control.sock")); is sluiced running? "
                + "That is 'control-socket' of \(config)\n")
        // A socket that a daemon left behind.
        _ = try Sockets.listenUnix(path: shop.path("control.sock"), mode: 0o600)
        #expect(shop.run("resume", "--config", config).errors.contains("is sluiced running?"))
    }

    @Test func theDaemonIsFoundBesideTheProgramThenOnThePath() throws {
        try FileManager.default.createDirectory(
            atPath: shop.path("bin"), withIntermediateDirectories: true)
        try shop.write("bin/sluiced", "")
        let beside = try ServeCommand.find(own: shop.path("bin/sluice"), search: "/nowhere")
        #expect(beside == shop.path("bin/sluiced"))
        let onPath = try ServeCommand.find(
            own: shop.path("sluice"), search: "/nowhere:\(shop.path("bin"))")
        #expect(onPath == beside)
        #expect(throws: CommandError.noDaemonProgram([shop.directory.path, "/nowhere"])) {
            try ServeCommand.find(own: shop.path("sluice"), search: "/nowhere")
        }
    }
}
