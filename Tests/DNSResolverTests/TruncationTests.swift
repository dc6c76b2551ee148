import DNSResolver
import DNSWire
import Quantities
import Testing
import WireFixtures

/// Answers longer than the client takes (S21, S22, S53, WIRE-11).
@Suite struct TruncationTests {
    private static func addresses(_ count: Int, of name: String = "www.example") -> MessageDraft {
        (0..<count).reduce(answer(name)) { draft, number in
            draft.adding(
                .answer, wire: [0xC0, 12], .a, [10, 0, UInt8(number >> 8), UInt8(number & 255)])
        }
    }

    /// RFC 2181 §9: an RRset whole or not at all.
    @Test(arguments: [nil, 100, 512, 600, 1232, 4096] as [UInt16?])
    func neverMoreThanTheClientTakes(size: UInt16?) throws {
        for count in [1, 20, 29, 30, 31, 60, 70, 74, 75, 76, 77, 128] {
            let rig = try ResolverRig()
            let ask = try #require(try rig.ask("www.example", edns: size).ask)
            let reply = try #require(try rig.answer(ask, Self.addresses(count)).reply)
            let limit = size.map { min(max(Int($0), 512), 1232) } ?? 512
            #expect(reply.octets.count <= limit)
            let optSize = size == nil ? 0 : 11
            let fits = 12 + 17 + 16 * count + optSize <= limit
            #expect(reply.message.header.isTruncated == !fits, "\(count) addresses")
            #expect(reply.message.answers.count == (fits ? count : 0))
            #expect((reply.message.options != nil) == (size != nil))
        }
    }

    @Test func overTCPTheAnswerIsWhole() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example", .txt, edns: 1232).ask)
        let text = (0..<12).reduce(answer("www.example", .txt)) { draft, number in
            draft.adding("www.example", .txt, [249] + [UInt8](repeating: UInt8(number), count: 249))
        }
        let short = try #require(try rig.answer(ask, text).reply)
        #expect(short.message.header.isTruncated && short.octets.count <= 1232)
        let whole = try #require(
            try rig.ask("www.example", .txt, edns: 1232, transport: .tcp).reply)
        #expect(!whole.message.header.isTruncated && whole.message.answers.count == 12)
    }

    /// S22: what is only useful goes first, without TC.
    @Test func additionalAndAuthorityGiveWayFirst() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example").ask)
        var draft = Self.addresses(5)
        for number in 0..<6 {
            draft = draft.adding(
                .authority, "example", .ns, MessageDraft.wire("ns\(number).example"))
        }
        for number in 0..<20 {
            draft = draft.adding(
                .additional, "ns\(number).example", .a, [10, 1, 0, UInt8(number)])
        }
        let reply = try #require(try rig.answer(ask, draft).reply)
        #expect(!reply.message.header.isTruncated && reply.octets.count <= 512)
        #expect(reply.message.answers.count == 5 && reply.message.authorities.count == 6)
        #expect((1..<20).contains(reply.message.additionals.count))
    }

    @Test func aNegativeAnswerWithoutItsSOAIsMarkedCut() throws {
        let rig = try ResolverRig()
        let ask = try #require(try rig.ask("www.example").ask)
        let draft = answer("www.example", rcode: 3)
            .adding(.authority, "example", .soa, MessageDraft.soa(minimum: 60))
            .adding(.authority, "example", .rrsig, [UInt8](repeating: 1, count: 500))
        let reply = try #require(try rig.answer(ask, draft).reply)
        #expect(reply.message.header.isTruncated && reply.message.rcode == 3)
        #expect(reply.message.authorities.count == 1)
    }

    /// S53, RFC 8914 §3: the text gives way, then the error.
    @Test func theNoteGivesWayToTheAnswer() throws {
        // 12 + 17 + 16 n + 11 for the OPT; 6 more for the code, 96 at most for its text.
        var seen: Set<Bool> = []
        for extra in 0..<9 {
            let rig = try ResolverRig()
            let name = String(repeating: "w", count: 3 + extra) + ".example"
            let ask = try #require(try rig.ask(name).ask)
            _ = try rig.answer(ask, Self.addresses(29, of: name))
            _ = try rig.wait(.seconds(301))
            let late = try #require(try rig.ask(name, edns: 512).ask)
            let reply = try #require(try rig.fail(late).reply)
            #expect(reply.octets.count <= 512 && reply.message.answers.count == 29)
            let room = 512 - (12 + 17 + extra + 16 * 29 + 11)
            #expect((reply.message.extendedError != nil) == (room >= 6))
            seen.insert(room >= 6)
        }
        #expect(seen == [true, false])
    }
}
