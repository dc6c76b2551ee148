import CommandLineInterface
import Foundation
import LoopbackFixtures
import Synchronization
import Testing

/// A workshop whose lists come from a server on loopback, found through an upstream on loopback.
final class UpdateWorkshop {
    let workshop: Workshop
    let server: LoopbackWebServer
    let upstream: LoopbackResponder

    /// - Parameter lists: the YAML of `lists`; `HOST` stands for the server's address.
    init(lists: String = "ads: { url: 'http://HOST/ads.txt', format: domains }", extra: String = "")
        throws
    {
        workshop = try Workshop()
        let pages = PageBook()
        book = pages
        server = try LoopbackWebServer { pages.reply(to: $0) }
        upstream = try LoopbackResponder { query, _ in [UpdateWorkshop.answer(query)] }
        configuration = ""
        configuration = try configure(lists: lists, extra: extra)
    }

    deinit {
        server.stop()
        upstream.stop()
    }

    private let book: PageBook
    private(set) var configuration: String

    /// Writes the configuration anew.
    @discardableResult
    func configure(lists: String, extra: String = "") throws -> String {
        let host = "lists.example:\(server.port)"
        configuration = try workshop.configure(
            """
            upstreams: ["127.0.0.1:\(upstream.port)"]
            lists:
            \(lists.replacingOccurrences(of: "HOST", with: host)
                .split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            update: { retries: 0 }
            \(extra)
            """)
        return configuration
    }

    /// Puts a page at a path; with a tag, requests that know it get 304.
    func put(
        _ path: String, _ body: String, tag: String? = nil,
        _ change: (inout LoopbackWebServer.Reply) -> Void = { _ in }
    ) {
        var reply = LoopbackWebServer.Reply(200, tag.map { ["ETag": $0] } ?? [:], body: body)
        change(&reply)
        book.put(path, reply)
    }

    /// Runs `sluice update`.
    func update(_ words: String...) -> (outcome: CommandOutcome, output: String, errors: String) {
        let recorder = Recorder()
        let outcome = CommandRunner.run(
            ["update", "--config", configuration] + words, console: recorder.console)
        return (outcome, recorder.output, recorder.errors)
    }

    /// Runs another command on the configuration.
    func run(_ words: String...) -> (outcome: CommandOutcome, output: String, errors: String) {
        let recorder = Recorder()
        let outcome = CommandRunner.run(
            words + ["--config", configuration], console: recorder.console)
        return (outcome, recorder.output, recorder.errors)
    }

    /// The JSON of one list in an update's report.
    func list(_ name: String, in output: String) throws -> [String: Any] {
        let lists = try #require(try object(output)["lists"] as? [[String: Any]])
        return try #require(lists.first { $0["name"] as? String == name })
    }

    /// The names that the snapshot in force blocks, as a domain list.
    func blocked() -> [String] {
        run("export", "domains").output.split(separator: "\n").dropFirst().map(String.init)
    }

    /// 127.0.0.1 for `lists.example` and names below it; no such name for others.
    private static func answer(_ query: [UInt8]) -> [UInt8] {
        let known = [5] + Array("lists".utf8) + [7] + Array("example".utf8) + [0]
        guard query.count > 16 else { return [] }
        let isKnown = query.dropLast(4).suffix(known.count).elementsEqual(known)
        var reply = query
        reply[2] = 0x81
        reply[3] = isKnown ? 0x80 : 0x83
        guard isKnown, query[query.count - 3] == 1 else { return reply }
        reply[7] = 1
        return reply + [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]
    }
}

/// The pages of a server, by path.
private final class PageBook: Sendable {
    private let pages = Mutex<[String: LoopbackWebServer.Reply]>([:])

    func put(_ path: String, _ reply: LoopbackWebServer.Reply) {
        pages.withLock { $0[path] = reply }
    }

    func reply(to request: LoopbackWebServer.Request) -> LoopbackWebServer.Reply {
        guard let reply = pages.withLock({ $0[request.path] }) else {
            return LoopbackWebServer.Reply(404)
        }
        if let tag = reply.headers["ETag"], request.headers["if-none-match"] == tag {
            return LoopbackWebServer.Reply(304, ["ETag": tag])
        }
        if let date = reply.headers["Last-Modified"],
            request.headers["if-modified-since"] == date
        {
            return LoopbackWebServer.Reply(304)
        }
        return reply
    }
}
