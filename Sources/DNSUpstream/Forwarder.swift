import DNSWire
import LinuxSystem
import Metrics
import Quantities

/// Chooses upstreams, sends again, gives up: the state of all questions in flight, without sockets.
///
/// ```
/// exchange  one question: its query, deadline, sends so far
/// attempt   one message of it to one upstream: id, link       found by id, 65,536 entries
/// ```
/// An answer counts when its id belongs to an attempt, it came over that attempt's link, and its
/// question is the one asked (RFC 5452 §9.1); all else is ignored and the wait goes on.
package struct Forwarder: ~Copyable {
    private struct Exchange {
        var tag: UInt64
        var query: [UInt8]
        var started: MonotonicInstant
        var triedUpstreams: UInt64 = 0
        var datagrams = 0
        var streams = 0
        /// Its attempts, live or not: `startedCount` of them. A slot may serve another by now.
        var attempts: InlineArray<8, Int32> = .init(repeating: Forwarder.noAttempt)
        var startedCount = 0
        var liveAttempts = 0
        var failure = ExchangeFailure.timeout
    }

    private struct Attempt {
        var exchange: Int
        var upstream: Int
        var transport: UpstreamTransport
        var id: UInt16
        var link: Link?
        var sent: MonotonicInstant
        var isLive: Bool
        /// The last wait ended without an answer from it.
        var isOverdue = false
    }

    private static let noAttempt = Int32(-1)

    private let upstreams: [Upstream]
    private let options: ForwarderOptions
    /// What was counted so far.
    package let counters: ForwarderCounters
    /// Health by upstream number.
    package private(set) var health: [UpstreamHealth]
    private var exchanges: [Exchange] = []
    private var freeExchanges: [Int] = []
    private var attempts: [Attempt] = []
    private var freeAttempts: [Int] = []
    private var attemptByID = [Int32](repeating: Forwarder.noAttempt, count: 65_536)
    private var wheel: TimerWheel
    private var random = RandomSource()
    private var fired: [Int] = []

    /// A forwarder to at least one and at most 64 upstreams.
    package init(
        upstreams: [Upstream], options: ForwarderOptions, counters: ForwarderCounters,
        now: MonotonicInstant
    ) {
        precondition(upstreams.count <= 64, "tried upstreams are kept in 64 bits")
        precondition(options.sendLimit + options.streamLimit <= 8, "an exchange has 8 attempts")
        self.upstreams = upstreams
        self.options = options
        self.counters = counters
        health = Array(repeating: UpstreamHealth(), count: upstreams.count)
        wheel = TimerWheel(now: now)
    }

    /// Questions in flight.
    package var exchangeCount: Int { exchanges.count - freeExchanges.count }

    /// Octets of memory held, but for the queries that are being sent.
    package var heldOctets: Int {
        exchanges.capacity * MemoryLayout<Exchange>.stride
            + attempts.capacity * MemoryLayout<Attempt>.stride
            + (freeExchanges.capacity + freeAttempts.capacity + fired.capacity)
            * MemoryLayout<Int>.stride
            + attemptByID.capacity * MemoryLayout<Int32>.stride + wheel.heldOctets
    }

    /// When `tick` may have something to do next.
    package var nextTick: MonotonicInstant? { wheel.next }

    /// Starts a question; `query` is a whole message whose id is filled in here.
    package mutating func begin(
        _ query: Span<UInt8>, tag: UInt64, now: MonotonicInstant, actions: inout ForwarderActions
    ) {
        guard !upstreams.isEmpty else {
            actions.endings.append((tag, .failure(.unreachable)))
            return
        }
        guard exchangeCount < options.exchangeLimit else {
            actions.endings.append((tag, .failure(.overloaded)))
            return
        }
        var copy: [UInt8] = []
        copy.reserveCapacity(query.count)
        for index in query.indices { copy.append(query[index]) }
        let exchange = Exchange(tag: tag, query: copy, started: now)
        let index: Int
        if let free = freeExchanges.popLast() {
            index = free
            exchanges[free] = exchange
        } else {
            index = exchanges.count
            exchanges.append(exchange)
        }
        let upstream = choose(for: index, now: now)
        start(index, upstream: upstream, transport: .udp, now: now, actions: &actions)
        wheel.set(index, due: now + firstWait(upstream))
    }

    /// Notes which link took the message of an attempt.
    package mutating func noteSent(_ attempt: Int, over link: Link) {
        attempts[attempt].link = link
    }

    /// Notes that no link took the message of an attempt.
    package mutating func noteUnsent(
        _ attempt: Int, now: MonotonicInstant, actions: inout ForwarderActions
    ) {
        lose(attempt, now: now, failure: .unreachable, actions: &actions)
    }

    /// Notes that a link failed: its questions are asked elsewhere.
    package mutating func noteFailure(
        of link: Link, now: MonotonicInstant, actions: inout ForwarderActions
    ) {
        for index in attempts.indices where attempts[index].isLive && attempts[index].link == link {
            lose(index, now: now, failure: .unreachable, actions: &actions)
        }
    }

    /// Takes a message that came over a link.
    /// - Returns: whether it belonged to a question.
    @discardableResult
    package mutating func receive(
        _ message: Span<UInt8>, over link: Link, now: MonotonicInstant,
        actions: inout ForwarderActions
    ) -> Bool {
        guard let view = try? MessageView(message), let index = attempt(of: view, over: link)
        else {
            counters.mismatched.add()
            return false
        }
        let attempt = attempts[index]
        health[attempt.upstream].noteAnswer(after: now - attempt.sent)
        counters.answers.add()
        let header = view.header
        if header.isTruncated, attempt.transport == .udp {
            end(index)
            startStream(attempt.exchange, upstream: attempt.upstream, now: now, actions: &actions)
            return true
        }
        let extras = try? view.extras()
        // A stream that carries TC has no more to give: that is no whole answer either.
        let isComplete =
            extras != nil && header.questionCount == 1 && !header.isTruncated
        let isFailure = !isComplete || isUpstreamFailure(header.rcode, edns: extras?.edns)
        if isFailure, canTryElsewhere(attempt.exchange) || isAskedElsewhere(attempt) {
            let failure: ExchangeFailure = isComplete ? .failedUpstream : .malformed
            lose(index, now: now, failure: failure, actions: &actions)
            return true
        }
        let start = actions.octets.count
        for position in message.indices { actions.octets.append(message[position]) }
        let range = start..<actions.octets.count
        let isTrusted = upstreams[attempt.upstream].isTrusted
        finish(
            attempt.exchange,
            isComplete ? .answer(range, isTrusted: isTrusted) : .failure(.malformed), &actions)
        return true
    }

    /// Sends again what waits too long, ends what has waited long enough.
    package mutating func tick(now: MonotonicInstant, actions: inout ForwarderActions) {
        fired.removeAll(keepingCapacity: true)
        wheel.advance(to: now, fired: &fired)
        for index in fired {
            let exchange = exchanges[index]
            noteOverdue(index, now: now)
            if exchange.started + options.deadline <= now {
                finish(index, .failure(exchange.failure), &actions)
            } else {
                sendAgain(index, now: now, actions: &actions)
            }
        }
    }

    // MARK: Attempts

    private mutating func start(
        _ index: Int, upstream: Int, transport: UpstreamTransport, now: MonotonicInstant,
        actions: inout ForwarderActions
    ) {
        var id = random.next16()
        // The limit on exchanges keeps the table mostly free, so this ends soon.
        while attemptByID[Int(id)] != Forwarder.noAttempt { id = random.next16() }
        let attempt = Attempt(
            exchange: index, upstream: upstream, transport: transport, id: id, link: nil,
            sent: now, isLive: true)
        let slot: Int
        if let free = freeAttempts.popLast() {
            slot = free
            attempts[free] = attempt
        } else {
            slot = attempts.count
            attempts.append(attempt)
        }
        attemptByID[Int(id)] = Int32(slot)
        exchanges[index].attempts[exchanges[index].startedCount] = Int32(slot)
        exchanges[index].startedCount += 1
        exchanges[index].liveAttempts += 1
        exchanges[index].triedUpstreams |= 1 << UInt64(upstream)
        if transport == .udp {
            exchanges[index].datagrams += 1
        } else {
            exchanges[index].streams += 1
        }
        counters.sends.add()
        if health[upstream].isDueForProbe(now, options: options) {
            // One question probes it; the others go elsewhere until that one is answered.
            health[upstream].noteFailure(now: now, options: options)
        }
        let offset = actions.octets.count
        actions.octets.append(contentsOf: exchanges[index].query)
        actions.octets[offset] = UInt8(truncatingIfNeeded: id >> 8)
        actions.octets[offset + 1] = UInt8(truncatingIfNeeded: id)
        actions.sends.append(
            .init(
                attempt: slot, upstream: upstream, transport: transport,
                range: offset..<actions.octets.count))
    }

    private mutating func startStream(
        _ index: Int, upstream: Int, now: MonotonicInstant, actions: inout ForwarderActions
    ) {
        guard exchanges[index].streams < options.streamLimit else {
            if exchanges[index].liveAttempts == 0 {
                finish(index, .failure(.unreachable), &actions)
            }
            return
        }
        start(index, upstream: upstream, transport: .tcp, now: now, actions: &actions)
        wheel.set(
            index, due: min(now + options.secondWait, exchanges[index].started + options.deadline))
    }

    /// The attempt that a message answers.
    private func attempt(of view: borrowing MessageView, over link: Link) -> Int? {
        let header = view.header
        let index = attemptByID[Int(header.id)]
        guard header.isResponse, header.opcode == .query, index != Forwarder.noAttempt else {
            return nil
        }
        let attempt = attempts[Int(index)]
        guard attempt.link == link else { return nil }
        // Some servers answer an error with the header alone.
        if header.questionCount == 0 { return header.rcode == .noError ? nil : Int(index) }
        guard header.questionCount == 1,
            repeatsQuestion(view, of: exchanges[attempt.exchange].query)
        else { return nil }
        return Int(index)
    }

    private func repeatsQuestion(_ view: borrowing MessageView, of query: [UInt8]) -> Bool {
        guard let asked = try? MessageView(query.span) else { return false }
        return view.repeatsQuestion(of: asked)
    }

    /// An answer that speaks of the upstream rather than of the name: another may do better.
    private func isUpstreamFailure(_ rcode: ResponseCode, edns: EDNS?) -> Bool {
        switch rcode {
        case .serverFailure, .refused, .notImplemented, .formatError: true
        default: edns.map { $0.extendedRcode != 0 } ?? false
        }
    }

    private mutating func end(_ index: Int) {
        attempts[index].isLive = false
        attemptByID[Int(attempts[index].id)] = Forwarder.noAttempt
        freeAttempts.append(index)
        exchanges[attempts[index].exchange].liveAttempts -= 1
    }

    /// Ends an attempt without an answer; asks elsewhere when it was the last one out.
    private mutating func lose(
        _ index: Int, now: MonotonicInstant, failure: ExchangeFailure,
        actions: inout ForwarderActions
    ) {
        guard attempts[index].isLive else { return }
        let attempt = attempts[index]
        if failure == .unreachable {
            health[attempt.upstream].noteFailure(now: now, options: options)
            counters.failures.add()
        }
        end(index)
        exchanges[attempt.exchange].failure = failure
        guard exchanges[attempt.exchange].liveAttempts == 0 else { return }
        if exchanges[attempt.exchange].datagrams < options.sendLimit {
            sendAgain(attempt.exchange, now: now, actions: &actions)
        } else {
            finish(attempt.exchange, .failure(failure), &actions)
        }
    }

    private func isLive(_ attempt: Int, of exchange: Int) -> Bool {
        attempts[attempt].isLive && attempts[attempt].exchange == exchange
    }

    // MARK: Exchanges

    private func canTryElsewhere(_ index: Int) -> Bool {
        let exchange = exchanges[index]
        return exchange.datagrams < options.sendLimit
            && exchange.triedUpstreams.nonzeroBitCount < upstreams.count
    }

    /// Whether another upstream than that of `attempt` may still answer its question.
    private func isAskedElsewhere(_ attempt: Attempt) -> Bool {
        for position in 0..<exchanges[attempt.exchange].startedCount {
            let other = Int(exchanges[attempt.exchange].attempts[position])
            if isLive(other, of: attempt.exchange), attempts[other].upstream != attempt.upstream {
                return true
            }
        }
        return false
    }

    private mutating func sendAgain(
        _ index: Int, now: MonotonicInstant, actions: inout ForwarderActions
    ) {
        let end = exchanges[index].started + options.deadline
        guard exchanges[index].datagrams < options.sendLimit else {
            wheel.set(index, due: end)
            return
        }
        let upstream = choose(for: index, now: now)
        start(index, upstream: upstream, transport: .udp, now: now, actions: &actions)
        let isLast = exchanges[index].datagrams == options.sendLimit
        wheel.set(index, due: isLast ? end : min(now + options.secondWait, end))
    }

    /// Counts a silent upstream once for each attempt.
    private mutating func noteOverdue(_ exchange: Int, now: MonotonicInstant) {
        for position in 0..<exchanges[exchange].startedCount {
            let index = Int(exchanges[exchange].attempts[position])
            guard isLive(index, of: exchange), !attempts[index].isOverdue else { continue }
            attempts[index].isOverdue = true
            health[attempts[index].upstream].noteFailure(now: now, options: options)
            counters.failures.add()
        }
    }

    private mutating func finish(
        _ index: Int, _ ending: ForwarderActions.Ending, _ actions: inout ForwarderActions
    ) {
        wheel.cancel(index)
        for position in 0..<exchanges[index].startedCount {
            let attempt = Int(exchanges[index].attempts[position])
            if isLive(attempt, of: index) { end(attempt) }
        }
        actions.endings.append((exchanges[index].tag, ending))
        exchanges[index].query.removeAll(keepingCapacity: true)
        freeExchanges.append(index)
    }

    /// The best upstream that was not tried, else the best: rested ones first, then the fastest;
    /// one whose speed is unknown counts as fast, so that it gets known.
    private func choose(for index: Int, now: MonotonicInstant) -> Int {
        let tried = exchanges[index].triedUpstreams
        let hasUntried = tried.nonzeroBitCount < upstreams.count
        var best: Int?
        for candidate in upstreams.indices {
            if hasUntried, tried & (1 << UInt64(candidate)) != 0 { continue }
            guard let current = best else {
                best = candidate
                continue
            }
            let isResting = health[candidate].isResting(now)
            if isResting != health[current].isResting(now) {
                if !isResting { best = candidate }
            } else if health[candidate].roundTrip < health[current].roundTrip {
                best = candidate
            }
        }
        return best ?? 0
    }

    private func firstWait(_ upstream: Int) -> Duration {
        let known = health[upstream].roundTrip
        guard known > .zero else { return options.longestFirstWait }
        return min(max(known * 4, options.shortestFirstWait), options.longestFirstWait)
    }
}
