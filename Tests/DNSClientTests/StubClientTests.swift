import DNSClient
import DNSWire
import DomainNames
import LinuxSystem
import LoopbackFixtures
import Quantities
import Testing
import WireFixtures

/// The stub client against servers on loopback that answer as the test says.
@Suite struct StubClientTests {
    private static let fast = StubOptions(
        tryTime: .milliseconds(300), totalTime: .seconds(3), rounds: 2)
    private static let name = "www.example"

    private func client(
        _ servers: LoopbackResponder..., options: StubOptions = fast
    ) -> StubClient {
        StubClient(
            upstreams: servers.map { NetworkAddress(octets: [127, 0, 0, 1], port: $0.port) },
            options: options)
    }

    private static func id(_ query: [UInt8]) -> UInt16 { UInt16(query[0]) << 8 | UInt16(query[1]) }

    private static func type(_ query: [UInt8]) -> RecordType {
        RecordType(rawValue: UInt16(query[query.count - 4]) << 8 | UInt16(query[query.count - 3]))
    }

    /// An answer without records to `query`, with other flags if given.
    private static func reply(
        _ query: [UInt8], flags: UInt16 = MessageDraft.answerFlags, name: String = name
    ) -> MessageDraft {
        MessageDraft(id: id(query), flags: flags).asking(name, type(query))
    }

    private func name(_ text: String = name) throws -> DomainName { try DomainName(text: text) }

    @Test func addressesOfBothFamiliesAreFoundAtTheEndOfTheAliases() throws {
        let six: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        let server = try LoopbackResponder { query, _ in
            let isFour = Self.type(query) == .a
            let reply = Self.reply(query)
                .adding(Self.name, .cname, MessageDraft.wire("Edge.example.net"))
                .adding("edge.example.net", isFour ? .a : .aaaa, isFour ? [192, 0, 2, 7] : six)
                .adding("other.example", isFour ? .a : .aaaa, isFour ? [192, 0, 2, 9] : six)
            return [reply.octets]
        }
        defer { server.stop() }
        var client = client(server)
        let found = try client.addresses(of: name())
        #expect(found.map(\.description) == ["192.0.2.7", "2001:db8::1"])
        let answer = try client.ask(name(), type: .a)
        #expect(answer.aliases == [try name("edge.example.net")])
        #expect(answer.rcode == .noError)
    }

    @Test func aCutAnswerIsAskedForOverTCP() throws {
        let server = try LoopbackResponder { query, isDatagram in
            guard isDatagram else {
                let whole = Self.reply(query).adding(Self.name, .a, [192, 0, 2, 1])
                    .adding(Self.name, .a, [192, 0, 2, 2])
                return [whole.octets]
            }
            let flags = MessageDraft.answerFlags | HeaderFlags.truncated
            return [Self.reply(query, flags: flags).octets]
        }
        defer { server.stop() }
        var client = client(server)
        #expect(try client.ask(name(), type: .a).addresses.count == 2)
        #expect(server.queryCount == 2)
    }

    @Test func whatDoesNotRepeatIdAndQuestionIsPassedOver() throws {
        let server = try LoopbackResponder { query, _ in
            let good = Self.reply(query).adding(Self.name, .a, [192, 0, 2, 1])
            let forged = MessageDraft(id: Self.id(query) &+ 1, flags: MessageDraft.answerFlags)
                .asking(Self.name).adding(Self.name, .a, [203, 0, 113, 66])
            let other = Self.reply(query, name: "other.example")
                .adding("other.example", .a, [203, 0, 113, 67])
            return [forged.octets, other.octets, query, [1, 2, 3], good.octets]
        }
        defer { server.stop() }
        var client = client(server)
        #expect(try client.ask(name(), type: .a).addresses.map(\.description) == ["192.0.2.1"])
    }

    @Test func theNextUpstreamIsAskedWhenOneFailsOrIsSilent() throws {
        let failing = try LoopbackResponder { query, _ in
            [Self.reply(query, flags: MessageDraft.answerFlags | 2).octets]
        }
        let silent = try LoopbackResponder { _, _ in [] }
        let good = try LoopbackResponder { query, _ in
            [Self.reply(query).adding(Self.name, .a, [192, 0, 2, 1]).octets]
        }
        defer { for server in [failing, silent, good] { server.stop() } }
        var client = client(failing, silent, good)
        let answer = try client.ask(name(), type: .a)
        #expect(answer.upstream.port == good.port)
        #expect(failing.queryCount == 1)
        #expect(silent.queryCount == 1)
    }

    @Test func aNameThatDoesNotExistIsAnAnswerWithoutAddress() throws {
        let server = try LoopbackResponder { query, _ in
            [Self.reply(query, flags: MessageDraft.answerFlags | 3).octets]
        }
        defer { server.stop() }
        var client = client(server)
        #expect(try client.ask(name(), type: .a).rcode == .nameError)
        let expected = StubError.noAddress(name: try name(), rcode: .nameError)
        #expect(throws: expected) { try client.addresses(of: name()) }
        #expect(expected.description == "www.example does not exist")
    }

    @Test func silenceEndsAfterEveryRoundWithTheReason() throws {
        let server = try LoopbackResponder { _, _ in [] }
        defer { server.stop() }
        var client = client(
            server,
            options: StubOptions(tryTime: .milliseconds(60), totalTime: .seconds(3), rounds: 3))
        let address = NetworkAddress(octets: [127, 0, 0, 1], port: server.port)
        #expect(
            throws: StubError.noAnswer(
                name: try name(), upstream: address, failure: .timedOut)
        ) { try client.ask(name(), type: .a) }
        #expect(server.queryCount == 3)
        var nobody = StubClient(upstreams: [])
        #expect(throws: StubError.noUpstreams) { try nobody.ask(name(), type: .a) }
    }

    @Test func theTimeInAllBoundsEveryTry() throws {
        let server = try LoopbackResponder { _, _ in [] }
        defer { server.stop() }
        var client = client(
            server,
            options: StubOptions(tryTime: .seconds(20), totalTime: .milliseconds(150), rounds: 9))
        let start = Clock.now()
        #expect(throws: StubError.self) { try client.ask(name(), type: .a) }
        #expect(Clock.now() - start < .seconds(5))
    }

    @Test func aClosedConnectionAndAClosedPortAreFailuresOfTheirOwn() throws {
        let closing = try LoopbackResponder { query, isDatagram in
            let flags = MessageDraft.answerFlags | HeaderFlags.truncated
            return isDatagram ? [Self.reply(query, flags: flags).octets] : [[]]
        }
        defer { closing.stop() }
        var client = client(closing)
        let address = NetworkAddress(octets: [127, 0, 0, 1], port: closing.port)
        #expect(
            throws: StubError.noAnswer(name: try name(), upstream: address, failure: .closed)
        ) { try client.ask(name(), type: .a) }
        let port = try LoopbackSocket.pairOnOnePort().datagrams.port
        var nobody = StubClient(
            upstreams: [NetworkAddress(octets: [127, 0, 0, 1], port: port)], options: Self.fast)
        let fault = #expect(throws: StubError.self) { try nobody.ask(name(), type: .a) }
        guard case .noAnswer(_, _, .system(let cause)) = fault else {
            Issue.record("the port is closed: \(String(describing: fault))")
            return
        }
        #expect(cause.code == SystemError.Code.connectionRefused)
    }

    @Test func aliasesInALoopEnd() throws {
        let server = try LoopbackResponder { query, _ in
            let reply = Self.reply(query)
                .adding(Self.name, .cname, MessageDraft.wire("a.example"))
                .adding("a.example", .cname, MessageDraft.wire(Self.name))
            return [reply.octets]
        }
        defer { server.stop() }
        var client = client(server)
        let answer = try client.ask(name(), type: .a)
        #expect(answer.aliases == [try name("a.example"), try name()])
        #expect(answer.addresses.isEmpty)
    }

    @Test func anAnswerThatDoesNotParseIsNoAnswer() throws {
        let server = try LoopbackResponder { query, _ in
            [Self.reply(query).adding(Self.name, .cname, [0xC0, 0xFF]).octets]
        }
        defer { server.stop() }
        var client = client(server)
        let fault = #expect(throws: StubError.self) { try client.ask(name(), type: .a) }
        guard case .noAnswer(_, _, .malformed) = fault else {
            Issue.record("the alias points forward: \(String(describing: fault))")
            return
        }
    }

    /// Random octets behind a right header and question: an answer, or a failure, never a crash.
    @Test func randomAnswersAreReadWithoutHarm() throws {
        let server = try LoopbackResponder { query, _ in
            var random = SeededGenerator(seed: UInt64(Self.id(query)))
            let tail = random.octets(random.number(0..<80))
            return [Self.reply(query).claiming(2, at: 6).appending(tail).octets]
        }
        defer { server.stop() }
        var client = client(
            server,
            options: StubOptions(tryTime: .milliseconds(200), totalTime: .seconds(1), rounds: 1))
        let name = try name()
        for _ in 0..<200 {
            do throws(StubError) {
                #expect(try client.ask(name, type: .a).rcode == .noError)
            } catch {
                guard case .noAnswer(_, _, .malformed) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
