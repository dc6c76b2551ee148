import DNSResolver
import DNSWire
import Metrics
import QueryEvents
import Testing
import WireFixtures

/// What may be asked at all (S02, S03, S04, S17, S18, S56, S58, S59, S60, WIRE-01, WIRE-02).
@Suite struct AdmissionTests {
    @Test(arguments: 0..<12)
    func whatIsShorterThanAHeaderIsDropped(count: Int) throws {
        let rig = try ResolverRig()
        let whole = MessageDraft().asking("www.example").octets
        let step = try rig.send(Array(whole[..<count]))
        #expect(step.drops == [1] && step.replies.isEmpty && step.asks.isEmpty)
        #expect(rig.resolver.counters.dropped.load() == 1)
    }

    @Test func aResponseIsDropped() throws {
        let rig = try ResolverRig()
        let step = try rig.send(MessageDraft(flags: 0x8100).asking("www.example").octets)
        #expect(step.drops == [1] && step.replies.isEmpty && step.asks.isEmpty)
    }

    /// WIRE-01: no question.
    @Test func aQueryWithoutAQuestionIsAFormatError() throws {
        let rig = try ResolverRig()
        let reply = try #require(
            try rig.send([0x11, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]).reply)
        #expect(reply.message.rcode == 1 && reply.message.header.id == 0x1111)
        #expect(reply.message.header.isResponse && reply.message.header.questionCount == 0)
        #expect(reply.outcome == .malformed)
        #expect(rig.resolver.counters.malformed.load() == 1)
    }

    /// WIRE-02: a second question is no way round the filter.
    @Test func twoQuestionsAreAFormatError() throws {
        let rig = try ResolverRig()
        let draft = MessageDraft(id: 0x2222).asking("ok.example").asking("ads.example")
        let reply = try #require(try rig.send(draft.octets).reply)
        #expect(reply.message.rcode == 1 && reply.message.header.id == 0x2222)
        #expect(try rig.send(draft.claiming(65_535, at: 4).octets).reply?.message.rcode == 1)
    }

    @Test(arguments: 1..<16)
    func otherOpcodesAreNotImplemented(opcode: UInt16) throws {
        let rig = try ResolverRig()
        let draft = MessageDraft(id: 7, flags: opcode << 11 | 0x0100).asking("Www.example")
        let reply = try #require(try rig.send(draft.octets).reply)
        #expect(reply.message.rcode == 4 && reply.message.header.id == 7)
        #expect(reply.message.header.opcode.rawValue == UInt8(opcode))
        #expect(reply.message.header.recursionDesired)
        #expect(reply.message.question == "Www.example" && reply.message.options == nil)
        let withOPT = try #require(try rig.send(draft.addingOPT().octets).reply)
        #expect(withOPT.message.rcode == 4 && withOPT.message.options != nil)
    }

    @Test func anUnknownEDNSVersionIsBadVersion() throws {
        let rig = try ResolverRig()
        let step = try rig.ask("www.example", edns: 1232, bits: 1 << 16)
        let reply = try #require(step.reply)
        #expect(reply.message.rcode == 16)
        #expect(reply.message.options?.version == 0)
        #expect(reply.message.answers.isEmpty && step.asks.isEmpty)
    }

    /// S18, RFC 6891 §6.1.1, §7: refused, and with an OPT record all the same.
    @Test func misplacedOPTRecordsAreFormatErrors() throws {
        let rig = try ResolverRig()
        let draft = MessageDraft().asking("www.example")
        for wrong in [
            draft.addingOPT().addingOPT(), draft.addingOPT(section: .answer),
            draft.addingOPT(section: .authority), draft.addingOPT(owner: "www.example"),
        ] {
            let reply = try #require(try rig.send(wrong.octets).reply)
            #expect(reply.message.rcode == 1 && reply.outcome == .malformed)
            #expect(reply.message.options != nil)
        }
    }

    @Test func aSignedQueryIsRefused() throws {
        let rig = try ResolverRig()
        let draft = MessageDraft().asking("www.example")
        let tsig = draft.adding(
            .additional, "key.example", .tsig, ttl: 0, [0, 1], recordClass: 255)
        #expect(try rig.send(tsig.octets).reply?.message.rcode == 5)
        let sig0 = draft.adding(
            .additional, ".", RecordType(rawValue: 24), ttl: 0, [UInt8](repeating: 0, count: 18),
            recordClass: 255)
        #expect(try rig.send(sig0.octets).reply?.message.rcode == 5)
    }

    @Test(
        arguments: [
            (41, 1), (249, 1), (250, 1), (251, 5), (252, 5), (253, 5), (254, 5),
        ] as [(UInt16, UInt16)])
    func typesThatAreNoQuestionsAreTurnedDown(type: UInt16, rcode: UInt16) throws {
        let rig = try ResolverRig()
        let step = try rig.ask("www.example", RecordType(rawValue: type), transport: .tcp)
        #expect(step.reply?.message.rcode == rcode)
        #expect(step.reply?.message.questionType?.rawValue == type)
    }

    @Test func chaosIsRefusedAndOtherClassesPass() throws {
        let rig = try ResolverRig()
        let chaos = MessageDraft().asking("version.bind", .txt, .chaos)
        #expect(try rig.send(chaos.octets).reply?.message.rcode == 5)
        let hesiod = MessageDraft().asking("www.example", .txt, RecordClass(rawValue: 4))
        #expect(try rig.send(hesiod.octets).ask != nil)
    }

    /// RFC 8482 §4.2.
    @Test func anyGetsOneSmallRecord() throws {
        let rig = try ResolverRig()
        let reply = try #require(try rig.ask("www.example", .any).reply)
        #expect(reply.message.rcode == 0 && reply.outcome == .local)
        #expect(reply.message.answers.map(\.type.rawValue) == [13])
    }

    /// S38, S54.
    @Test func aClientThatMayNotAskIsRefusedWithTheReason() throws {
        let rig = try ResolverRig()
        let draft = MessageDraft().asking("ads.example").addingOPT()
        let step = try rig.send(draft.octets, isAllowed: false)
        let reply = try #require(step.reply)
        #expect(reply.message.rcode == 5 && reply.outcome == .refused)
        #expect(reply.message.extendedError?.code == 18)
        #expect(!reply.octets.isEmpty && rig.resolver.counters.blocked.load() == 0)
    }

    /// S72: octets after the message change nothing.
    @Test func octetsAfterTheMessageAreIgnored() throws {
        let rig = try ResolverRig()
        let draft = MessageDraft().asking("www.example").appending([1, 2, 3])
        #expect(try rig.send(draft.octets).ask != nil)
    }

    /// Every beginning of a query ends in a drop, an error or a question, never in a trap.
    @Test func queriesCutAnywhereAreHandled() throws {
        let rig = try ResolverRig()
        let whole = MessageDraft().asking("www.ads.example").addingOPT(options: [0, 10, 0, 2, 1, 2])
            .octets
        for count in 0...whole.count {
            let step = try rig.send(Array(whole[..<count]))
            #expect(step.replies.count + step.drops.count + step.asks.count == 1, "\(count) octets")
        }
    }

    /// S34: without RD, what is cached or REFUSED.
    @Test func withoutRecursionDesiredOnlyTheCacheAnswers() throws {
        let rig = try ResolverRig()
        #expect(try rig.ask("www.example", flags: 0).reply?.message.rcode == 5)
        let ask = try #require(try rig.ask("www.example").ask)
        _ = try rig.answer(ask, answer("www.example").adding("www.example", .a, [192, 0, 2, 1]))
        let reply = try #require(try rig.ask("www.example", flags: 0).reply)
        #expect(reply.message.answers.count == 1 && !reply.message.header.recursionDesired)
    }
}
