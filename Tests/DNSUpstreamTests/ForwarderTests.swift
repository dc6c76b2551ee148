import DNSUpstream
import DNSWire
import Metrics
import Quantities
import Testing
import WireFixtures

/// Retries, fail-over and what counts as an answer (S11, S12, S23, S31, S74).
@Suite struct ForwarderTests {
    /// S74: again after 0.7 s, after 1.1 s more, and the end before a client gives up at 5 s.
    @Test func aSilentUpstreamIsAskedThreeTimesAndFailsBeforeTheClientDoes() {
        let rig = ForwarderRig()
        rig.begin()
        rig.wait(.seconds(6))
        #expect(rig.sent.map(\.time) == [.zero, .milliseconds(700), .milliseconds(1800)])
        #expect(rig.ends.map(\.end) == [.failure(.timeout)])
        #expect(rig.ends.map(\.time) == [.milliseconds(4300)])
        #expect(rig.forwarder.exchangeCount == 0 && rig.forwarder.nextTick == nil)
        #expect(rig.forwarder.counters.sends.load() == 3)
        #expect(rig.forwarder.counters.failures.load() == 3)
    }

    @Test func anAnswerEndsTheQuestion() throws {
        let rig = ForwarderRig()
        let sent = try #require(rig.begin(tag: 5).first)
        #expect(sent.transport == .udp)
        rig.wait(.milliseconds(20))
        rig.answer(sent)
        #expect(rig.ends(of: 5) == [.answer(ForwarderRig.answer(sent), isTrusted: false)])
        #expect(rig.forwarder.health[0].roundTrip == .milliseconds(20))
        #expect(rig.wait(.seconds(6)).isEmpty && rig.ends.count == 1)
        #expect(!rig.receive(ForwarderRig.answer(sent), over: sent.link).belongs)
    }

    /// A fast upstream is asked again sooner, but not before a quarter of a second.
    @Test func theFirstWaitFollowsTheRoundTrip() throws {
        for (roundTrip, wait) in [(10, 250), (100, 400), (400, 700)] as [(Int, Int)] {
            let rig = ForwarderRig()
            let first = try #require(rig.begin().first)
            rig.wait(.milliseconds(roundTrip))
            rig.answer(first)
            let before = rig.now
            rig.begin(tag: 2)
            let again = try #require(rig.wait(.seconds(2)).first)
            #expect(rig.start + again.time - before == .milliseconds(wait))
        }
    }

    @Test func anotherUpstreamIsAskedNext() throws {
        let rig = ForwarderRig(upstreams: 3)
        rig.begin()
        rig.wait(.seconds(6))
        #expect(Set(rig.sent.map(\.upstream)) == [0, 1, 2] && rig.sent.count == 3)
        #expect(Set(rig.sent.map(\.id)).count == 3 && Set(rig.sent.map(\.link)).count == 3)
    }

    /// The first upstream is only slow: its answer still counts.
    @Test func aLateAnswerOfTheFirstAttemptCounts() throws {
        let rig = ForwarderRig(upstreams: 2)
        let first = try #require(rig.begin().first)
        let second = try #require(rig.wait(.milliseconds(800)).first)
        #expect(second.upstream != first.upstream)
        rig.answer(first)
        #expect(
            rig.ends.map(\.end) == [
                .answer(ForwarderRig.answer(first), isTrusted: first.upstream == 1)
            ])
        #expect(!rig.receive(ForwarderRig.answer(second), over: second.link).belongs)
    }

    @Test func trustBelongsToTheUpstreamThatAnswers() throws {
        let rig = ForwarderRig(upstreams: 2)
        let first = try #require(rig.begin().first)
        let second = try #require(rig.wait(.milliseconds(800)).first)
        let trusted = first.upstream == 1 ? first : second
        rig.answer(trusted)
        #expect(rig.ends.map(\.end) == [.answer(ForwarderRig.answer(trusted), isTrusted: true)])
    }

    /// S11, RFC 5452 §9.1: all else is ignored and the wait goes on.
    @Test func whatIsNoAnswerToOurQuestionIsIgnored() throws {
        let rig = ForwarderRig()
        let sent = try #require(rig.begin().first)
        let right = ForwarderRig.answer(sent)
        var wrongID = right
        wrongID[1] ^= 1
        var noResponse = right
        noResponse[2] &= 0x7F
        var otherOpcode = right
        otherOpcode[2] |= 0x08
        let wrong: [[UInt8]] = [
            wrongID, noResponse, otherOpcode, [], Array(right[..<11]), Array(right[..<20]),
            MessageDraft(id: sent.id, flags: 0x8180).asking("ww.example").octets,
            MessageDraft(id: sent.id, flags: 0x8180).asking("www.example", .aaaa).octets,
            MessageDraft(id: sent.id, flags: 0x8180).asking("www.example", .a, .chaos).octets,
            MessageDraft(id: sent.id, flags: 0x8180).asking("www.example").asking("b.example")
                .octets,
            MessageDraft(id: sent.id, flags: 0x8180).octets,
        ]
        for octets in wrong {
            let (belongs, again) = rig.receive(octets, over: sent.link)
            #expect(!belongs && again.isEmpty, "\(octets)")
        }
        #expect(!rig.receive(right, over: Link(sent.link.number + 1)).belongs)
        #expect(rig.ends.isEmpty)
        #expect(rig.forwarder.counters.mismatched.load() == UInt64(wrong.count + 1))
        #expect(rig.receive(right, over: sent.link).belongs && rig.ends.count == 1)
    }

    /// RFC 4343: some upstreams answer in a case of their own.
    @Test func theCaseOfTheQuestionDoesNotMatter() throws {
        let rig = ForwarderRig()
        let sent = try #require(rig.begin().first)
        let octets = ForwarderRig.answer(sent, name: "WWW.Example")
        #expect(rig.receive(octets, over: sent.link).belongs && rig.ends.count == 1)
    }

    /// SERVFAIL, REFUSED and the like speak of the upstream: the next one is asked at once.
    @Test(arguments: [1, 2, 4, 5] as [UInt16])
    func aFailureOfOneUpstreamGoesToTheNext(rcode: UInt16) throws {
        let rig = ForwarderRig(upstreams: 2)
        let first = try #require(rig.begin().first)
        let second = try #require(rig.answer(first, rcode: rcode).first)
        #expect(second.upstream != first.upstream && second.time == .zero && rig.ends.isEmpty)
        rig.answer(second)
        #expect(rig.ends.count == 1)
    }

    /// A slow upstream is not given up because a quick one refuses.
    @Test func aFailureIsNoEndWhileAnotherUpstreamMayAnswer() throws {
        let rig = ForwarderRig(upstreams: 2)
        let slow = try #require(rig.begin().first)
        let quick = try #require(rig.wait(.milliseconds(700)).first)
        #expect(quick.upstream != slow.upstream)
        #expect(rig.answer(quick, rcode: 5).isEmpty && rig.ends.isEmpty)
        rig.answer(slow)
        #expect(rig.ends(of: 1).count == 1)
        guard case .answer(let octets, _) = rig.ends(of: 1)[0] else {
            Issue.record("the slow one answered")
            return
        }
        #expect(octets == ForwarderRig.answer(slow))
    }

    /// UPS-01: passed on after a bounded number of tries.
    @Test func aFailureOfEveryUpstreamIsPassedOn() throws {
        for count in [1, 2, 3, 5] {
            let rig = ForwarderRig(upstreams: count)
            var open = rig.begin()
            var asked = 0
            var last: ForwarderRig.Sent?
            while let sent = open.popLast() {
                asked += 1
                last = sent
                open += rig.answer(sent, rcode: 5)
            }
            #expect(asked == min(count, 3))
            let expected = ForwarderRig.answer(try #require(last), rcode: 5)
            guard case .answer(let octets, _) = try #require(rig.ends(of: 1).first) else {
                Issue.record("REFUSED is an answer")
                continue
            }
            #expect(octets == expected && rig.ends.count == 1)
        }
    }

    @Test func nameErrorsAreAnswersNotFailures() throws {
        let rig = ForwarderRig(upstreams: 2)
        let sent = try #require(rig.begin().first)
        #expect(rig.answer(sent, rcode: 3).isEmpty && rig.ends.count == 1)
    }

    /// BADVERS and the like stand in the OPT record.
    @Test func anExtendedRcodeIsAFailure() throws {
        let rig = ForwarderRig(upstreams: 2)
        let sent = try #require(rig.begin().first)
        let draft = MessageDraft(id: sent.id, flags: 0x8180).asking("www.example")
            .addingOPT(bits: 1 << 24)
        #expect(rig.receive(draft.octets, over: sent.link).sent.count == 1)
    }

    /// Some servers answer an error with the header alone.
    @Test func aHeaderAloneIsAnErrorOnly() throws {
        let rig = ForwarderRig(upstreams: 2)
        let sent = try #require(rig.begin().first)
        let header = MessageDraft(id: sent.id, flags: 0x8181).octets
        let next = try #require(rig.receive(header, over: sent.link).sent.first)
        rig.receive(MessageDraft(id: next.id, flags: 0x8181).octets, over: next.link)
        #expect(rig.ends.map(\.end) == [.failure(.malformed)])
    }

    /// S23, RFC 7766 §5.
    @Test func aCutAnswerIsAskedForOverTCP() throws {
        let rig = ForwarderRig(upstreams: 2)
        let first = try #require(rig.begin().first)
        let stream = try #require(rig.answer(first, flags: 0x0200).first)
        #expect(stream.transport == .tcp && stream.upstream == first.upstream)
        #expect(stream.id != first.id || stream.link != first.link)
        #expect(rig.ends.isEmpty)
        rig.answer(stream)
        #expect(
            rig.ends(of: 1) == [
                .answer(ForwarderRig.answer(stream), isTrusted: stream.upstream == 1)
            ])
    }

    /// An upstream whose TCP is shut: the other one is asked, and there is an end.
    @Test func aStreamThatFailsIsNoEnd() throws {
        let rig = ForwarderRig(upstreams: 2)
        let first = try #require(rig.begin().first)
        let stream = try #require(rig.answer(first, flags: 0x0200).first)
        let other = try #require(rig.breakLink(stream.link).first)
        #expect(other.transport == .udp && other.upstream != first.upstream)
        rig.answer(other)
        #expect(rig.ends.count == 1)
    }

    @Test func cutAnswersForEverStillEnd() throws {
        let rig = ForwarderRig()
        var open = rig.begin()
        while let sent = open.popLast() {
            open +=
                sent.transport == .udp ? rig.answer(sent, flags: 0x0200) : rig.breakLink(sent.link)
        }
        #expect(rig.sent.count <= 5 && rig.ends.map(\.end) == [.failure(.unreachable)])
    }

    /// TC over a stream has no more to give.
    @Test func aCutAnswerOverTCPIsNone() throws {
        let rig = ForwarderRig()
        let first = try #require(rig.begin().first)
        let stream = try #require(rig.answer(first, flags: 0x0200).first)
        rig.answer(stream, flags: 0x0200)
        #expect(rig.ends.map(\.end) == [.failure(.malformed)])
    }

    /// ECONNREFUSED is heard at once: nobody waits for the deadline.
    @Test func unreachableUpstreamsFailAtOnce() {
        for count in 1...4 {
            let rig = ForwarderRig(upstreams: count)
            rig.unreachable = Set(0..<count)
            rig.begin()
            #expect(rig.ends.map(\.end) == [.failure(.unreachable)] && rig.sent.isEmpty)
            #expect(rig.forwarder.counters.sends.load() == 3)
        }
        let rig = ForwarderRig(upstreams: 2)
        var open = rig.begin()
        while let sent = open.popLast() { open += rig.breakLink(sent.link) }
        #expect(rig.ends.map(\.end) == [.failure(.unreachable)] && rig.sent.count == 3)
        #expect(rig.now == rig.start)
    }

    @Test func oneUnreachableUpstreamCostsNoTime() throws {
        let rig = ForwarderRig(upstreams: 2)
        rig.unreachable = [0]
        let sent = try #require(rig.begin().first)
        #expect(sent.upstream == 1 && sent.time == .zero && rig.ends.isEmpty)
    }

    @Test func aBrokenLinkLosesItsOwnQuestionsOnly() throws {
        let rig = ForwarderRig()
        let sent = (1...20).map { rig.begin("n\($0).example", tag: $0)[0] }
        let again = rig.breakLink(sent[4].link)
        #expect(again.count == 1 && again[0].octets.dropFirst(2) == sent[4].octets.dropFirst(2))
    }

    @Test func moreQuestionsThanTheLimitFailAtOnce() {
        var options = ForwarderOptions()
        options.exchangeLimit = 3
        let rig = ForwarderRig(options: options)
        for tag in 1...4 as ClosedRange<UInt64> { rig.begin(tag: tag) }
        #expect(rig.ends.map(\.tag) == [4] && rig.ends.map(\.end) == [.failure(.overloaded)])
        #expect(rig.forwarder.exchangeCount == 3)
    }

    /// S12, RFC 5452 §9.2: ids in flight are all different and spread over all there are.
    @Test func idsAreUniqueAndSpread() {
        let rig = ForwarderRig()
        for tag in 1...4096 as ClosedRange<UInt64> { rig.begin(tag: tag) }
        let ids = rig.sent.map(\.id)
        #expect(Set(ids).count == 4096)
        var quarters = [Int](repeating: 0, count: 16)
        for id in ids { quarters[Int(id >> 12)] += 1 }
        #expect(quarters.allSatisfy { (150...380).contains($0) }, "\(quarters)")
        let steps = zip(ids, ids.dropFirst()).filter { abs(Int($0) - Int($1)) < 16 }.count
        #expect(steps < 40)
        let low = ids.filter { $0 & 1 == 1 }.count
        #expect((1800...2300).contains(low))
    }

    /// UPS-12, S31: twenty questions a second for thirty seconds, one of two upstreams dead.
    @Test func aDeadUpstreamIsProbedByFewQuestions() {
        for dead in [0, 1] {
            let rig = ForwarderRig(upstreams: 2)
            var began: [UInt64: Duration] = [:]
            var open: [(sent: ForwarderRig.Sent, due: MonotonicInstant)] = []
            for step in 0..<30_000 {
                if step % 50 == 0 {
                    let tag = UInt64(step / 50 + 1)
                    began[tag] = rig.now - rig.start
                    for sent in rig.begin(tag: tag) where sent.upstream != dead {
                        open.append((sent, rig.now + .milliseconds(15)))
                    }
                }
                for sent in rig.wait(.milliseconds(1)) where sent.upstream != dead {
                    open.append((sent, rig.now + .milliseconds(15)))
                }
                while let first = open.first, first.due <= rig.now {
                    rig.answer(open.removeFirst().sent)
                }
            }
            let slow = rig.ends.filter { $0.time - (began[$0.tag] ?? .zero) > .milliseconds(50) }
            #expect(rig.ends.count >= 598 && rig.ends.count <= 600)
            #expect(rig.ends.allSatisfy { if case .answer = $0.end { true } else { false } })
            // Those of the first 0.7 s, and a probe now and then.
            #expect(slow.count < 25, "\(slow.count) questions waited for the dead one")
        }
    }

    /// The faster of two dies and comes back.
    @Test func anUpstreamThatIsBackIsUsedAgain() {
        let rig = ForwarderRig(upstreams: 2)
        var tag: UInt64 = 0
        /// Asks one question; returns the upstreams that were asked, in order.
        func ask(dead: Int? = nil) -> [Int] {
            tag += 1
            var used: [Int] = []
            var open = rig.begin(tag: tag)
            while rig.ends(of: tag).isEmpty {
                used += open.map(\.upstream)
                let delay = open.contains { $0.upstream == 1 } ? 50 : 5
                let sent = open
                open = rig.wait(.milliseconds(delay))
                for one in sent where one.upstream != dead { rig.answer(one) }
            }
            return used
        }
        _ = (ask(), ask())
        #expect(ask() == [0] && ask() == [0])
        for _ in 0..<3 { #expect(ask(dead: 0) == [0, 1]) }
        for _ in 0..<10 { #expect(ask(dead: 0) == [1]) }
        rig.wait(.seconds(1))
        #expect(ask() == [0] && ask() == [0])
    }

    /// A process that was stopped for longer than the wheel turns goes on.
    @Test func aStallOfTheClockIsSurvived() throws {
        for stall in [3, 9, 100, 100_000] {
            let rig = ForwarderRig()
            rig.begin(tag: 1)
            rig.now = rig.now + .seconds(stall)
            let sent = try #require(rig.begin(tag: 2).first)
            rig.tick()
            #expect(rig.ends(of: 2).isEmpty)
            rig.wait(.milliseconds(10))
            rig.answer(sent)
            #expect(rig.ends(of: 2).count == 1)
            rig.wait(.seconds(5))
            #expect(rig.ends(of: 1) == [.failure(.timeout)])
            #expect(rig.forwarder.exchangeCount == 0)
        }
    }

    /// Random answers, losses, breaks and times: each question ends once, by its deadline.
    @Test(arguments: 1..<9 as Range<UInt64>)
    func everyQuestionEndsOnceByItsDeadline(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rig = ForwarderRig(upstreams: random.number(1..<4))
        var began: [UInt64: Duration] = [:]
        var tag: UInt64 = 0
        var open: [ForwarderRig.Sent] = []
        for _ in 0..<3000 {
            var sent: [ForwarderRig.Sent] = []
            switch random.number(0..<10) {
            case 0..<3:
                tag += 1
                began[tag] = rig.now - rig.start
                sent = rig.begin(tag: tag)
            case 3..<7:
                guard !open.isEmpty else { continue }
                let one = open.remove(at: random.number(0..<open.count))
                switch random.number(0..<6) {
                case 0: sent = rig.answer(one, flags: 0x0200)
                case 1: sent = rig.answer(one, rcode: UInt16(random.number(0..<6)))
                case 2: sent = rig.breakLink(one.link)
                case 3:
                    sent = rig.receive(random.octets(random.number(0..<60)), over: one.link).sent
                default: sent = rig.answer(one)
                }
            case 7: rig.unreachable = random.chance(70) ? [] : [random.number(0..<3)]
            default: sent = rig.wait(.milliseconds(random.number(1..<200)))
            }
            open += sent
            if open.count > 60 { open.removeFirst(30) }
        }
        rig.wait(.seconds(5))
        #expect(rig.forwarder.exchangeCount == 0, "seed \(seed)")
        #expect(
            rig.ends.count == Int(tag) && Set(rig.ends.map(\.tag)).count == Int(tag), "seed \(seed)"
        )
        for (tag, _, time) in rig.ends {
            #expect(time - (began[tag] ?? .zero) <= .milliseconds(4301), "seed \(seed): \(tag)")
        }
    }
}
