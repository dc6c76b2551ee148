import DNSResolver
import DNSWire
import Quantities
import Testing
import WireFixtures

/// Random events in random order: each query ends once, and nothing listed gets out.
@Suite struct ResolverPropertyTests {
    private static let names = [
        "a.example", "b.example", "c.example", "ads.example", "x.ads.example", "shop.example",
    ]

    private static func draft(
        for ask: ResolverRig.Ask, using random: inout SeededGenerator
    ) -> MessageDraft {
        let name = ask.message.question ?? "."
        let type = ask.message.questionType ?? .a
        let ttl = UInt32(random.number(0..<40))
        switch random.number(0..<8) {
        case 0:
            return answer(name, type).adding(
                name, .cname, ttl: ttl, MessageDraft.wire("t.ads.example")
            )
            .adding("t.ads.example", type, ttl: ttl, [192, 0, 2, 99])
        case 1: return answer(name, type, rcode: 2)
        case 2:
            return answer(name, type, rcode: 3)
                .adding(.authority, "example", .soa, ttl: ttl, MessageDraft.soa(minimum: 20))
        case 3:
            return MessageDraft(flags: 0x8180).asking(name, type).appending(random.octets(30))
                .claiming(UInt16(random.number(0..<3)), at: 6)
        case 4: return answer(name, type).adding(name, .cname, ttl: ttl, random.octets(4))
        default: return answer(name, type).adding(name, type, ttl: ttl, [192, 0, 2, 1]).addingOPT()
        }
    }

    /// What was sent, what ended, and what may not leave.
    private struct Ledger {
        let seed: UInt64
        /// Which of the two policies lists the target now.
        var listing = [true, false]
        var asks: [ResolverRig.Ask] = []
        var policies: [Int?] = []
        var ended: Set<UInt32> = []

        mutating func check(_ step: ResolverRig.Step) {
            asks += step.asks
            for token in step.replies.map(\.token) + step.drops {
                #expect(ended.insert(token).inserted, "seed \(seed): \(token) ended twice")
                #expect(Int(token) <= policies.count, "seed \(seed): nobody is \(token)")
            }
            for reply in step.replies {
                guard let policy = policies[Int(reply.token) - 1], listing[policy] else { continue }
                #expect(
                    !reply.message.answers.contains { $0.owner == "t.ads.example" },
                    "seed \(seed): a listed target went to \(reply.token)")
            }
        }
    }

    private static func query(
        _ rig: ResolverRig, policy: Int?, using random: inout SeededGenerator
    ) throws -> ResolverRig.Step {
        if random.chance(3) {
            return try rig.send(random.octets(random.number(0..<40)), policy: policy)
        }
        return try rig.ask(
            names[random.number(0..<names.count)], random.chance(80) ? .a : .https, policy: policy,
            edns: random.chance(50) ? 1232 : nil, flags: random.chance(95) ? 0x0100 : 0,
            transport: random.chance(20) ? .tcp : .udp)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func everyQueryEndsOnceAndNoListedTargetLeaves(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var options = ResolverOptions()
        options.questionLimit = 4
        options.waiterLimit = 10
        options.staleMaximumAge = .seconds(random.number(0..<2) * 60)
        let lists = ["||ads.example^", "||other.example^"]
        let rig = try ResolverRig(
            lists: lists, options: options, cacheSize: .kibibytes(random.chance(50) ? 0 : 256))
        // Odd ones have the lists the other way round.
        let filters = try (0..<4).map { number in
            try ResolverRig.filters(
                number % 2 == 0 ? lists : lists.reversed(), epoch: UInt32(number) + 2)
        }
        var ledger = Ledger(seed: seed)
        for _ in 0..<3000 {
            switch random.number(0..<100) {
            case 0..<50:
                let policy: Int? = random.chance(20) ? nil : random.number(0..<2)
                ledger.policies.append(policy)
                ledger.check(try Self.query(rig, policy: policy, using: &random))
            case 50..<75:
                guard !ledger.asks.isEmpty else { continue }
                let index = random.number(0..<ledger.asks.count)
                // A late or second answer to the same question must do nothing: some stay.
                let ask = random.chance(80) ? ledger.asks.remove(at: index) : ledger.asks[index]
                ledger.check(try rig.answer(ask, Self.draft(for: ask, using: &random)))
            case 75..<85:
                guard !ledger.asks.isEmpty else { continue }
                let index = random.number(0..<ledger.asks.count)
                ledger.check(try rig.fail(ledger.asks.remove(at: index)))
            case 85..<98:
                ledger.check(try rig.wait(.milliseconds(random.number(0..<3000))))
            default:
                let number = random.number(0..<4)
                rig.resolver.install(filters[number])
                ledger.listing = number % 2 == 0 ? [true, false] : [false, true]
            }
            #expect(rig.resolver.questionCount <= 4)
        }
        for ask in ledger.asks { ledger.check(try rig.fail(ask)) }
        #expect(rig.resolver.questionCount == 0, "seed \(seed)")
        let sent = ledger.policies.count
        #expect(ledger.ended.count == sent, "seed \(seed): \(sent - ledger.ended.count) still open")
    }
}
