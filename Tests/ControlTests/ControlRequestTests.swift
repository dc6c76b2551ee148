import Testing

@testable import Control

@Suite struct ControlRequestTests {
    @Test(
        arguments: [
            ("ping", .ping), ("status", .status), ("reload", .reload), ("resume", .resume),
            ("pause", .pause(duration: nil, client: nil)),
            ("pause 10m", .pause(duration: .seconds(600), client: nil)),
            ("pause client 192.168.1.40", .pause(duration: nil, client: "192.168.1.40")),
            ("pause 90s client 2001:db8::1", .pause(duration: .seconds(90), client: "2001:db8::1")),
            ("flush", .flush(name: nil)), ("flush example.org", .flush(name: "example.org")),
            ("flush a\\046b.example", .flush(name: "a\\046b.example")),
        ] as [(String, ControlRequest)])
    func requestIsReadAndPrinted(text: String, request: ControlRequest) throws {
        let line = Array("SLUICE/1 \(text)".utf8)
        #expect(try ControlRequest(line: line.span) == request)
        #expect(request.line == "SLUICE/1 \(text)")
    }

    @Test(
        arguments: [
            ("", .unknownProtocol), ("SLUICE/2 ping", .unknownProtocol), ("ping", .unknownProtocol),
            ("SLUICE/1", .missingVerb), ("SLUICE/1 ", .unknownVerb("")),
            ("SLUICE/1  ping", .unknownVerb("")), ("SLUICE/1 stop", .unknownVerb("stop")),
            ("SLUICE/1 PING", .unknownVerb("PING")),
            ("SLUICE/1 ping ", .extraArgument(verb: .ping, argument: "")),
            ("SLUICE/1 status now", .extraArgument(verb: .status, argument: "now")),
            ("SLUICE/1 pause soon", .badArgument(verb: .pause, argument: "soon")),
            ("SLUICE/1 pause 0s", .badArgument(verb: .pause, argument: "0s")),
            ("SLUICE/1 pause client", .missingArgument(verb: .pause, after: "client")),
            ("SLUICE/1 pause client me", .badArgument(verb: .pause, argument: "me")),
            ("SLUICE/1 pause client ::1 10m", .extraArgument(verb: .pause, argument: "10m")),
            ("SLUICE/1 flush ", .badArgument(verb: .flush, argument: "")),
            ("SLUICE/1 flush a b", .extraArgument(verb: .flush, argument: "b")),
            ("SLUICE/1 ping\n", .unprintable(offset: 13)),
            ("SLUICE/1 flush ä", .unprintable(offset: 15)),
        ] as [(String, ControlError)])
    func badLineIsRefused(text: String, error: ControlError) {
        let line = Array(text.utf8)
        #expect(throws: error) { try ControlRequest(line: line.span) }
        #expect(!error.description.isEmpty)
    }

    @Test func lineIsBounded() throws {
        let most =
            Array("SLUICE/1 flush ".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 1009)
        #expect(try ControlRequest(line: most.span).verb == .flush)
        let more = most + [UInt8(ascii: "a")]
        #expect(throws: ControlError.tooLong(limit: 1024)) { try ControlRequest(line: more.span) }
    }

    @Test func errorNamesTheUsage() {
        let error = ControlError.badArgument(verb: .pause, argument: "soon")
        #expect(
            error.description
                == "bad argument 'soon' of pause; usage: pause [DURATION] [client ADDRESS]")
    }

    @Test func replyIsReadAsItWasWritten() throws {
        let good = ControlReply.okLine { $0.member("queries", 5) }
        #expect(String(decoding: good, as: UTF8.self) == "{\"ok\":true,\"queries\":5}\n")
        guard case .ok(let value) = try ControlReply(line: good.span) else {
            Issue.record("no good reply")
            return
        }
        #expect(value["queries"]?.integer == 5)
        let bad = ControlReply.errorLine("no \"such\" thing")
        #expect(try ControlReply(line: bad.span) == .error("no \"such\" thing"))
    }

    @Test(arguments: ["", "{}", "[]", "true", "{\"ok\":1}", "{\"ok\":false}", "{\"ok\":true} x"])
    func badReplyIsRefused(text: String) {
        let line = Array(text.utf8)
        #expect(throws: ControlError.self) { try ControlReply(line: line.span) }
    }
}
