import DNSCache
import DNSWire
import DomainNames
import Foundation
import Quantities
import Testing
import WireFixtures

/// The cache against a dictionary that forgets nothing.
@Suite struct AnswerCachePropertyTests {
    private static let names = 6000

    private static func keys(_ cache: AnswerCache) throws -> [QuestionKey] {
        try (0..<names).map { number in
            var key = QuestionKey()
            let label = String(repeating: "x", count: number % 40) + "\(number)"
            key.assign(
                name: CanonicalName(try DomainName(text: "\(label).example")),
                type: RecordType(rawValue: UInt16(number % 3)), recordClass: .internet,
                dnssecOK: number % 2 == 0, checkingDisabled: false, seed: cache.seed)
            return key
        }
    }

    /// A million answers of 12 to 4,000 octets: never more than the size, and what is found is what
    /// was stored last.
    @Test func aMillionAnswersStayInsideTheSizeAndComeBackWhole() throws {
        let seed: UInt64 = 20_261
        var random = SeededGenerator(seed: seed)
        let size = ByteCount.kibibytes(768)
        let cache = AnswerCache(size: size, seed: seed)
        let keys = try Self.keys(cache)
        var stored = [(count: Int, fill: UInt8)?](repeating: nil, count: keys.count)
        var answer = CachedAnswer()
        answer.lifetime = .seconds(60)
        let now = MonotonicInstant(nanoseconds: 1)
        var hits = 0
        var output: [UInt8] = []
        for round in 0..<1_000_000 {
            let number = random.number(0..<keys.count)
            let count = random.chance(1) ? random.number(12..<4000) : random.number(12..<80)
            let fill = UInt8(truncatingIfNeeded: round)
            answer.message = [UInt8](repeating: fill, count: count)
            cache.store(answer, for: keys[number], now: now)
            stored[number] = (count, fill)
            if round % 8 != 0 { continue }
            let asked = random.number(0..<keys.count)
            output.removeAll(keepingCapacity: true)
            let hit = cache.find(keys[asked], now: now, staleAge: .zero, staleTTL: 0, into: &output)
            if let hit {
                hits += 1
                let twin = stored[asked]
                let isEqual =
                    hit.count == twin?.count && output.count == hit.count
                    && output.first == twin?.fill && output.last == twin?.fill
                if !isEqual { Issue.record("seed \(seed), round \(round): another answer") }
            }
            if round % 64 == 0 {
                let gone = random.number(0..<keys.count)
                cache.remove(keys[gone])
                stored[gone] = nil
                if cache.octetCount > size.octets {
                    Issue.record("seed \(seed), round \(round): \(cache.octetCount) octets")
                }
            }
        }
        #expect(hits > 10_000, "seed \(seed)")
        #expect(cache.entryCount > 2000, "seed \(seed)")
    }

    /// Each octet of each answer, with wraps and flushes all the time.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func answersComeBackOctetForOctet(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let cache = AnswerCache(size: .kibibytes(random.number(64..<400)), seed: seed)
        let keys = Array(try Self.keys(cache).prefix(600))
        var twin: [Int: CachedAnswer] = [:]
        let now = MonotonicInstant(nanoseconds: 1)
        for round in 0..<20_000 {
            let number = random.number(0..<keys.count)
            switch random.number(0..<100) {
            case 0..<60:
                var answer = CachedAnswer()
                answer.message = random.octets(random.number(12..<(random.chance(20) ? 1500 : 120)))
                answer.lifetime = .seconds(60)
                answer.judgement = random.next()
                cache.store(answer, for: keys[number], now: now)
                twin[number] = answer
            case 60..<97:
                var output: [UInt8] = []
                let hit = cache.find(
                    keys[number], now: now, staleAge: .zero, staleTTL: 0, into: &output)
                guard let hit else { continue }
                #expect(
                    output == twin[number]?.message && hit.judgement == twin[number]?.judgement,
                    "seed \(seed), round \(round)")
            case 97:
                cache.remove(keys[number])
                twin[number] = nil
            case 98:
                let label = String(repeating: "x", count: number % 40) + "\(number)"
                let flushed = cache.flush(name: try DomainName(text: "\(label).example"))
                #expect(flushed <= 1, "seed \(seed)")
                twin[number] = nil
            default:
                guard random.chance(2) else { continue }
                #expect(cache.flush(name: nil) <= twin.count, "seed \(seed)")
                twin.removeAll()
            }
        }
    }

    /// Workers on one cache: nothing found is torn.
    @Test func workersShareTheCache() throws {
        let cache = AnswerCache(size: .kibibytes(128), seed: 3)
        let keys = Array(try Self.keys(cache).prefix(300))
        let now = MonotonicInstant(nanoseconds: 1)
        let torn = Torn()
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            var random = SeededGenerator(seed: UInt64(worker))
            for _ in 0..<10_000 {
                let number = random.number(0..<keys.count)
                var answer = CachedAnswer()
                answer.message = [UInt8](
                    repeating: UInt8(number & 255), count: random.number(12..<300))
                answer.lifetime = .seconds(60)
                cache.store(answer, for: keys[number], now: now)
                var output: [UInt8] = []
                let other = random.number(0..<keys.count)
                _ = cache.find(keys[other], now: now, staleAge: .zero, staleTTL: 0, into: &output)
                if !output.allSatisfy({ $0 == UInt8(other & 255) }) { torn.add() }
            }
        }
        #expect(torn.count == 0 && cache.entryCount > 0)
    }
}

/// Counts from several threads.
private final class Torn: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    func add() { lock.withLock { number += 1 } }
    var count: Int { lock.withLock { number } }
}
