import DNSWire
import QueryEvents
import Testing
import WireFixtures

@testable import DNSResolver

/// What a blocked name is answered with, in each mode.
@Suite struct BlockAnswerTests {
    private static func rig(
        _ response: BlockResponse, lists: [String] = ["||ads.example^"]
    ) throws -> ResolverRig {
        var options = ResolverOptions()
        options.blockResponse = response
        options.blockTTL = 17
        return try ResolverRig(lists: lists, options: options)
    }

    /// The MINIMUM of an SOA's RDATA.
    private static func minimum(_ rdata: [UInt8]) -> UInt32 {
        rdata.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// BLK-01, S28: stubs can keep it, as long as the setting says.
    @Test func nxdomainComesWithAnSOAOfTheBlockTTL() throws {
        let rig = try Self.rig(.nxdomain)
        let reply = try #require(try rig.ask("www.ads.example").reply)
        #expect(reply.message.rcode == 3 && reply.outcome == .blocked(list: 0))
        #expect(reply.message.answers.isEmpty && reply.message.authorities.count == 1)
        let soa = try #require(reply.message.authorities.first)
        #expect(soa.type == .soa && soa.ttl == 17 && Self.minimum(soa.rdata) == 17)
        #expect(reply.message.options == nil)
        #expect(reply.message.header.flags == 0x8183)
    }

    /// BLK-03: an OPT record exactly when the query has one, and the list's name in it.
    @Test func theListIsNamedInTheExtendedError() throws {
        for response in [.nxdomain, .nodata, .null, .refused] as [BlockResponse] {
            let rig = try Self.rig(response)
            let reply = try #require(try rig.ask("ads.example", edns: 4096).reply)
            #expect(reply.message.options?.version == 0 && reply.message.options?.size == 1232)
            #expect(reply.message.extendedError?.code == 15)
            #expect(reply.message.extendedError?.text == "blocked by list list0")
            #expect(try rig.ask("ads.example").reply?.message.options == nil)
        }
    }

    /// BLK-04: every type, ANY too; no address hint leaks.
    @Test(arguments: [1, 2, 5, 6, 12, 15, 16, 28, 33, 43, 46, 48, 64, 65, 255, 65_280] as [UInt16])
    func everyTypeOfABlockedNameIsBlocked(type: UInt16) throws {
        for (response, rcode) in [(.nxdomain, 3), (.nodata, 0), (.refused, 5)]
            as [(BlockResponse, UInt16)]
        {
            let rig = try Self.rig(response)
            let reply = try #require(
                try rig.ask("ads.example", RecordType(rawValue: type)).reply)
            #expect(reply.message.rcode == rcode && reply.message.answers.isEmpty)
            #expect(reply.message.authorities.count == (rcode == 5 ? 0 : 1))
        }
    }

    @Test func nullAnswersAddressesOnly() throws {
        let rig = try Self.rig(.null)
        let four = try #require(try rig.ask("ads.example", .a).reply).message
        #expect(four.rcode == 0 && four.answers.map(\.rdata) == [[0, 0, 0, 0]])
        #expect(four.answers.map(\.ttl) == [17] && four.answers.map(\.owner) == ["ads.example"])
        let six = try #require(try rig.ask("ads.example", .aaaa).reply).message
        #expect(six.answers.map(\.rdata) == [[UInt8](repeating: 0, count: 16)])
        let https = try #require(try rig.ask("ads.example", .https).reply).message
        #expect(https.rcode == 0 && https.answers.isEmpty && https.authorities.count == 1)
    }

    /// RFC 8020 §2: NXDOMAIN says that nothing is below.
    @Test func nxdomainSafeKeepsWhatIsNotBlockedBelow() throws {
        let rig = try Self.rig(
            .nxdomainSafe, lists: ["||whole.example^\n||part.example^\n@@||ok.part.example^"])
        #expect(try rig.ask("whole.example").reply?.message.rcode == 3)
        #expect(try rig.ask("part.example").reply?.message.rcode == 0)
        #expect(try rig.ask("part.example").reply?.message.authorities.count == 1)
        #expect(try rig.ask("ok.part.example").ask != nil)
        // A validator behind us proves ok.part.example by these.
        #expect(try rig.ask("part.example", .ds).ask != nil)
        #expect(try rig.ask("part.example", .dnskey).ask != nil)
        #expect(try rig.ask("whole.example", .ds).reply?.message.rcode == 3)
    }

    /// WIRE-06, S07: the question comes back octet for octet.
    @Test func theQuestionKeepsItsCase() throws {
        let rig = try Self.rig(.nxdomain)
        let reply = try #require(try rig.ask("wWw.AdS.eXample").reply)
        #expect(reply.message.question == "wWw.AdS.eXample" && reply.message.rcode == 3)
        let ask = try #require(try rig.ask("WWW.shop.example").ask)
        #expect(ask.message.question == "www.shop.example")
        let draft = answer("www.shop.example").adding("www.shop.example", .a, [192, 0, 2, 1])
        #expect(try rig.answer(ask, draft).reply?.message.question == "WWW.shop.example")
        #expect(try rig.ask("www.SHOP.example").reply?.message.question == "www.SHOP.example")
    }

    /// S09, RFC 2181 §11: the label `ads.example` is not the two labels.
    @Test func aDotInsideALabelIsNoSeparator() throws {
        let rig = try Self.rig(.nxdomain)
        #expect(try rig.ask(#"ads\.example"#).ask != nil)
        #expect(try rig.ask(#"www.ads\.example"#).ask != nil)
        #expect(try rig.ask(#"w\.ads.example"#).ask != nil)
        #expect(try rig.ask(#"w\.w.ads.example"#).reply?.message.rcode == 3)
    }

    /// S45, RFC 8880 §7.
    @Test func ipv4OnlyIsNeverBlocked() throws {
        let rig = try Self.rig(.nxdomain, lists: ["||ipv4only.arpa^"])
        #expect(try rig.ask("ipv4only.arpa").ask != nil)
        #expect(try rig.ask("www.ipv4only.arpa").reply?.message.rcode == 3)
    }

    @Test func whileFilteringIsPausedNothingIsBlocked() throws {
        let rig = try Self.rig(.nxdomain)
        #expect(try rig.ask("ads.example", policy: nil).ask != nil)
        #expect(try rig.ask("ads.example", policy: 0).reply?.message.rcode == 3)
    }

    @Test func aPolicyOfAClientDecidesForItAlone() throws {
        let rig = try Self.rig(.nxdomain, lists: ["||ads.example^", "||games.example^"])
        #expect(try rig.ask("games.example", policy: 0).ask != nil)
        #expect(try rig.ask("games.example", policy: 1).reply?.outcome == .blocked(list: 0))
        #expect(try rig.ask("ads.example", policy: 1).ask != nil)
    }

    /// RFC 8914 §2: EXTRA-TEXT is UTF-8, also where it is cut.
    @Test func aLongNoteIsCutBetweenCharacters() throws {
        for size in 90...96 {
            let text = String(repeating: "a", count: size) + "éééé"
            let note = ReplyNote(.blocked, text).text
            #expect(note.count <= ReplyNote.textLimit && note.count >= ReplyNote.textLimit - 1)
            #expect(text.hasPrefix(String(decoding: note, as: UTF8.self)))
        }
    }
}
