import DNSCache
import DNSWire
import DomainNames
import Quantities
import Testing
import WireFixtures

/// A cache with its clock, and the short ways to use it.
private struct Shelf {
    let cache: AnswerCache
    var now = MonotonicInstant(nanoseconds: 5_000_000_000)

    init(_ size: ByteCount = .mebibytes(1)) { cache = AnswerCache(size: size, seed: 42) }

    func key(
        _ name: String, _ type: RecordType = .a, _ recordClass: RecordClass = .internet,
        dnssecOK: Bool = false, checkingDisabled: Bool = false
    ) -> QuestionKey {
        guard let parsed = try? DomainName(text: name) else { fatalError("no name: \(name)") }
        var key = QuestionKey()
        key.assign(
            name: CanonicalName(parsed), type: type, recordClass: recordClass, dnssecOK: dnssecOK,
            checkingDisabled: checkingDisabled, seed: cache.seed)
        return key
    }

    /// A message of `count` octets whose octets 12 to 15 are a TTL.
    static func answer(_ count: Int = 40, fill: UInt8 = 7, ttl: UInt32 = 60) -> CachedAnswer {
        var answer = CachedAnswer()
        answer.message = [UInt8](repeating: fill, count: count)
        answer.message.replaceSubrange(12..<16, with: MessageDraft.octets(ttl))
        answer.ttlOffsets = [12]
        answer.lifetime = .seconds(Int64(ttl))
        return answer
    }

    func store(_ answer: CachedAnswer, for key: QuestionKey) {
        cache.store(answer, for: key, now: now)
    }

    func find(
        _ key: QuestionKey, staleAge: Duration = .zero
    ) -> (hit: CacheHit, message: [UInt8])? {
        var output: [UInt8] = [1, 2, 3]
        let found = cache.find(key, now: now, staleAge: staleAge, staleTTL: 30, into: &output)
        guard let found else {
            #expect(output == [1, 2, 3], "nothing found, nothing appended")
            return nil
        }
        #expect(output.starts(with: [1, 2, 3]) && output.count == 3 + found.count)
        return (found, Array(output.dropFirst(3)))
    }

    func ttl(_ key: QuestionKey, staleAge: Duration = .zero) -> UInt32? {
        find(key, staleAge: staleAge).map { found in
            found.message[12..<16].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}

/// The answer cache: time, keys, room.
@Suite struct AnswerCacheTests {
    /// S33, RFC 1035 §3.2.1.
    @Test func ttlsCountDownInWholeSeconds() {
        var shelf = Shelf()
        let key = shelf.key("www.example")
        shelf.store(Shelf.answer(), for: key)
        let start = shelf.now
        for (milliseconds, ttl) in [(0, 60), (999, 60), (1000, 59), (59_999, 1)]
            as [(Int, UInt32)]
        {
            shelf.now = start + .milliseconds(milliseconds)
            #expect(shelf.ttl(key) == ttl)
        }
        shelf.now = start + .seconds(60)
        #expect(shelf.ttl(key) == nil)
        #expect(shelf.cache.entryCount == 0)
    }

    /// A record with a longer TTL than the answer's lifetime keeps its own.
    @Test func eachTTLIsPatchedAtItsPlace() {
        var shelf = Shelf()
        let key = shelf.key("www.example")
        var answer = Shelf.answer()
        answer.message.replaceSubrange(20..<24, with: MessageDraft.octets(UInt32(90_000)))
        answer.message.replaceSubrange(36..<40, with: MessageDraft.octets(UInt32(3)))
        answer.ttlOffsets = [12, 20, 36]
        shelf.store(answer, for: key)
        shelf.now = shelf.now + .seconds(10)
        var expected = answer.message
        for (offset, ttl) in [(12, 50), (20, 89_990), (36, 0)] as [(Int, UInt32)] {
            expected.replaceSubrange(offset..<(offset + 4), with: MessageDraft.octets(ttl))
        }
        #expect(shelf.find(key)?.message == expected)
    }

    /// RFC 8767 §4: past its time it is found for the window, TTL as given.
    @Test func anAnswerPastItsTimeIsFoundForTheWindow() {
        var shelf = Shelf()
        let key = shelf.key("www.example")
        shelf.store(Shelf.answer(), for: key)
        #expect(shelf.find(key, staleAge: .seconds(100))?.hit.isStale == false)
        shelf.now = shelf.now + .seconds(60)
        #expect(shelf.find(key, staleAge: .seconds(100))?.hit.isStale == true)
        #expect(shelf.ttl(key, staleAge: .seconds(100)) == 30)
        shelf.now = shelf.now + .seconds(100) + .nanoseconds(-1)
        #expect(shelf.ttl(key, staleAge: .seconds(100)) == 30)
        shelf.now = shelf.now + .nanoseconds(1)
        #expect(shelf.find(key, staleAge: .seconds(100)) == nil)
        #expect(shelf.cache.entryCount == 0)
    }

    /// S36, S57, RFC 4343: type, class, DO and CD tell questions apart, case does not.
    @Test func everyPartOfTheKeyCounts() {
        let shelf = Shelf()
        let keys = [
            shelf.key("www.example"), shelf.key("www.example", .aaaa),
            shelf.key("www.example", .a, .chaos), shelf.key("www.example", dnssecOK: true),
            shelf.key("www.example", checkingDisabled: true),
            shelf.key("www.example", dnssecOK: true, checkingDisabled: true),
            shelf.key("ww.example"), shelf.key("example"), shelf.key("."),
            shelf.key(#"www\.example"#), shelf.key(#"www.example\000"#),
        ]
        for (index, key) in keys.enumerated() {
            #expect(shelf.find(key) == nil)
            shelf.store(Shelf.answer(fill: UInt8(index)), for: key)
        }
        #expect(shelf.cache.entryCount == keys.count)
        for (index, key) in keys.enumerated() {
            #expect(shelf.find(key)?.message.last == UInt8(index))
        }
        #expect(shelf.find(shelf.key("WWW.Example"))?.message.last == 0)
    }

    @Test func aLaterAnswerTakesThePlaceOfTheEarlier() {
        let shelf = Shelf()
        let key = shelf.key("www.example")
        shelf.store(Shelf.answer(40, fill: 1), for: key)
        shelf.store(Shelf.answer(90, fill: 2), for: key)
        #expect(shelf.cache.entryCount == 1 && shelf.find(key)?.message.count == 90)
        #expect(shelf.find(key)?.message.last == 2)
        shelf.cache.remove(key)
        #expect(shelf.find(key) == nil && shelf.cache.entryCount == 0)
    }

    @Test func aJudgementBelongsToTheAnswerThatWasJudged() throws {
        let shelf = Shelf()
        let key = shelf.key("www.example")
        var answer = Shelf.answer(fill: 1)
        answer.hasTargets = true
        answer.judgement = 5
        shelf.store(answer, for: key)
        let hit = try #require(shelf.find(key)).hit
        #expect(hit.hasTargets && hit.judgement == 5)
        shelf.cache.markJudged(key, hit, judgement: 6)
        #expect(shelf.find(key)?.hit.judgement == 6)
        // Another worker stores an answer that nobody has judged yet.
        answer.judgement = 0
        shelf.store(answer, for: key)
        shelf.cache.markJudged(key, hit, judgement: 7)
        #expect(shelf.find(key)?.hit.judgement == 0)
    }

    @Test func flushForgetsANameOrAll() throws {
        let shelf = Shelf()
        let gone = [
            shelf.key("www.example"), shelf.key("www.example", .aaaa),
            shelf.key("www.example", .a, .chaos), shelf.key("www.example", dnssecOK: true),
        ]
        let kept = [shelf.key("example"), shelf.key("a.www.example"), shelf.key(#"www\.example"#)]
        for key in gone + kept { shelf.store(Shelf.answer(), for: key) }
        #expect(shelf.cache.flush(name: try DomainName(text: "WWW.example")) == 4)
        #expect(gone.allSatisfy { shelf.find($0) == nil })
        #expect(kept.allSatisfy { shelf.find($0) != nil })
        #expect(shelf.cache.flush(name: nil) == 3 && shelf.cache.entryCount == 0)
        #expect(kept.allSatisfy { shelf.find($0) == nil })
    }

    @Test(arguments: [0, 1, 65_535])
    func aCacheTooSmallToBeOneHoldsNothing(octets: Int) {
        let shelf = Shelf(ByteCount(octets))
        let key = shelf.key("www.example")
        shelf.store(Shelf.answer(), for: key)
        #expect(shelf.find(key) == nil && shelf.cache.octetCount == 0)
        #expect(shelf.cache.flush(name: nil) == 0)
        shelf.cache.remove(key)
    }

    /// An answer longer than an eighth of its shard would push out all that is asked for.
    @Test func anAnswerLargerThanItsShareIsNotKept() {
        let shelf = Shelf(.kibibytes(256))
        for number in 0..<20 { shelf.store(Shelf.answer(), for: shelf.key("n\(number).example")) }
        let key = shelf.key("www.example")
        shelf.store(Shelf.answer(100, fill: 1), for: key)
        let before = shelf.cache.octetCount
        shelf.store(Shelf.answer(8000, fill: 2), for: key)
        #expect(shelf.find(key) == nil, "the older answer is wrong now, too")
        #expect(shelf.cache.octetCount == before && shelf.cache.entryCount == 20)
    }

    @Test func theOldestGoFirst() {
        let shelf = Shelf(.kibibytes(64))
        let keys = (0..<2000).map { shelf.key("n\($0).example") }
        for key in keys { shelf.store(Shelf.answer(), for: key) }
        let found = keys.map { shelf.find($0) != nil }
        #expect(found.filter { $0 }.count == shelf.cache.entryCount)
        #expect(shelf.cache.entryCount > 100 && shelf.cache.entryCount < 1000)
        // Shards fill unevenly, so the border between gone and kept is not sharp.
        #expect(found.prefix(1000).allSatisfy { !$0 } && found.suffix(100).allSatisfy { $0 })
    }

    /// Short answers fill the slots first, long ones the octets: both ways what is asked for stays.
    @Test(arguments: [16, 40, 200, 400])
    func whatIsAskedForStays(size: Int) {
        let shelf = Shelf(.kibibytes(256))
        let hot = (0..<20).map { shelf.key("hot\($0).example") }
        for (index, key) in hot.enumerated() {
            shelf.store(Shelf.answer(size, fill: UInt8(index)), for: key)
        }
        for number in 0..<8000 {
            shelf.store(Shelf.answer(size, fill: 255), for: shelf.key("n\(number).example"))
            if number % 20 == 0 { for key in hot { _ = shelf.find(key) } }
        }
        for (index, key) in hot.enumerated() {
            #expect(
                shelf.find(key)?.message.dropFirst(16).allSatisfy { $0 == UInt8(index) } == true)
        }
    }
}
