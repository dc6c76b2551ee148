import DNSCache
import DNSWire
import DomainNames
import FilterIndex
import Metrics
import Quantities
import QueryEvents

/// Decides what happens to queries; knows no sockets, clocks or threads.
///
/// Events go in (`receive`, `complete`, `fail`, `tick`), each with the time; what is to be done
/// comes out in `ResolverActions`. One resolver belongs to one worker; the cache is shared.
///
/// The order of a query, one function a step: admit → filter → rewrite → cache → join or ask. The
/// block comes before the cache, and the cache holds unfiltered answers with the filter state under
/// which their aliases were last judged: whatever leaves was judged under the state of its own
/// client.
package struct Resolver: ~Copyable {
    /// The settings.
    let options: ResolverOptions
    /// What was counted so far.
    package let counters: ResolverCounters
    /// The filter in force.
    package private(set) var filters: FilterSet
    /// Answers of the upstreams, shared by all workers.
    let cache: AnswerCache
    /// RDATA of the SOA in negative answers of our own.
    let blockSOA: [UInt8]
    /// Questions in flight.
    var pending: PendingTable
    /// Questions whose clients may get a stale answer, in the order they were asked.
    var staleQueue: [(token: QuestionToken, due: MonotonicInstant)] = []
    /// Reads the messages of upstreams.
    var reader: AnswerReader
    /// Seconds since 1970, as last told: rules end by them.
    private(set) var wallSeconds: Int64 = 0
    /// Scratch: the name in question.
    var name = CanonicalName()
    /// Scratch: the alias target being judged.
    var targetName = CanonicalName()
    /// Scratch: the key of the question.
    var key = QuestionKey()
    /// Scratch: room for a match.
    var scratch = MatchScratch()
    /// Scratch: the answer being read.
    var answer = CachedAnswer()

    /// A resolver without questions in flight.
    package init(
        options: ResolverOptions, cache: AnswerCache, filters: FilterSet, counters: ResolverCounters
    ) {
        self.options = options
        self.cache = cache
        blockSOA = ReplyWriter.soa(minimum: options.blockTTL)
        self.filters = filters
        self.counters = counters
        pending = PendingTable(
            questionLimit: options.questionLimit, waiterLimit: options.waiterLimit)
        reader = AnswerReader(options: options)
    }

    /// Puts another filter in force, between events.
    ///
    /// Clients that wait keep their policy, by its name; one whose policy is gone gets the default
    /// one, as it will when it asks next.
    package mutating func install(_ newFilters: FilterSet) {
        let indices = filters.policies.map { old in
            newFilters.policies.firstIndex { $0.name == old.name } ?? 0
        }
        pending.mapPolicies { indices.indices.contains($0) ? indices[$0] : 0 }
        filters = newFilters
    }

    /// Tells the time on the wall clock, in seconds since 1970, between events. A second or so of
    /// age does no harm.
    package mutating func setWallClock(seconds: Int64) { wallSeconds = seconds }

    /// What the conditions of rules are held against for this client now.
    func occasion(of asker: Asker) -> Occasion {
        Occasion(client: asker.address, seconds: wallSeconds)
    }

    /// Questions in flight.
    package var questionCount: Int { pending.questionCount }

    /// Octets of memory that the table of questions in flight holds.
    package var pendingOctets: Int { pending.heldOctets }

    /// Takes a message from a client.
    package mutating func receive(
        _ octets: Span<UInt8>, from client: Client, now: MonotonicInstant,
        actions: inout ResolverActions
    ) {
        counters.queries.add()
        guard let view = try? MessageView(octets), !view.header.isResponse else {
            // A reply to a response would let two servers answer each other for ever.
            counters.dropped.add()
            actions.drops.append(client.token)
            return
        }
        switch admit(view, from: client) {
        case .query(let query):
            answer(query, in: view, now: now, actions: &actions)
        case .refuse(let asker, let question, let rcode, let note):
            let outcome: QueryOutcome = rcode == .refused ? .refused : .malformed
            if rcode == .refused { counters.refused.add() } else { counters.malformed.add() }
            reply(
                to: asker, question: octets.extracting(question), rcode: rcode, body: .empty,
                note: note, outcome: outcome, actions: &actions)
        }
    }

    /// The steps after admission, each of which may end the query.
    private mutating func answer(
        _ query: Query, in view: borrowing MessageView, now: MonotonicInstant,
        actions: inout ResolverActions
    ) {
        let question = view.octets.extracting(Header.size..<query.question.end)
        let verdict = judge(for: query.asker, type: query.question.type)
        if case .blocked(let rule, let stated, _) = verdict,
            !isKeptForValidators(query.question.type, asker: query.asker)
        {
            counters.blocked.add()
            block(
                query.asker, question: question, type: query.question.type, rule: rule,
                stated: stated, outcome: .blocked(list: rule.list), actions: &actions)
            return
        }
        if case .rewritten(let rule, _) = verdict, query.question.recordClass == .internet,
            query.question.type != .any
        {
            rewrite(query, question: question, by: rule, now: now, actions: &actions)
            return
        }
        if answerLocally(query, question: question, actions: &actions) { return }
        resolve(query, question: question, now: now, actions: &actions)
    }

    /// Answers for the name in the scratch from the cache, or asks for it.
    mutating func resolve(
        _ query: Query, question: Span<UInt8>, now: MonotonicInstant,
        actions: inout ResolverActions
    ) {
        key.assign(
            name: name, type: query.question.type, recordClass: query.question.recordClass,
            dnssecOK: query.asker.dnssecOK,
            checkingDisabled: query.asker.flags & HeaderFlags.checkingDisabled != 0,
            seed: cache.seed)
        if answerFromCache(query.asker, question: question, now: now, actions: &actions) { return }
        guard query.asker.flags & HeaderFlags.recursionDesired != 0 else {
            // RD 0 asks for what is here only; nothing is (RFC 8906 §3.1.1 is about answering).
            counters.refused.add()
            reply(
                to: query.asker, question: question, rcode: .refused, body: .empty, note: nil,
                outcome: .refused, actions: &actions)
            return
        }
        ask(query, question: question, now: now, actions: &actions)
    }

    /// Joins the question in flight, or starts it.
    private mutating func ask(
        _ query: Query, question: Span<UInt8>, now: MonotonicInstant,
        actions: inout ResolverActions
    ) {
        if let token = pending.find(key) {
            guard pending.wait(query.asker, for: token) else {
                return refuseForLoad(query.asker, question: question, actions: &actions)
            }
            counters.coalesced.add()
            // Who joins a question that is late already has no timer of its own to wait for.
            if let question = pending.question(token),
                question.asked + options.staleClientTimeout <= now
            {
                _ = replyStale(token, now: now, actions: &actions)
            }
            return
        }
        guard let token = pending.insert(key, now: now) else {
            return refuseForLoad(query.asker, question: question, actions: &actions)
        }
        guard pending.wait(query.asker, for: token) else {
            pending.remove(token)
            return refuseForLoad(query.asker, question: question, actions: &actions)
        }
        counters.forwarded.add()
        if options.staleMaximumAge > .zero {
            staleQueue.append((token, now + options.staleClientTimeout))
        }
        let range = UpstreamQuery.append(
            to: &actions.octets, name: name.wire, question: query.question, asker: query.asker)
        actions.asks.append(.init(question: token, range: range))
    }

    private mutating func refuseForLoad(
        _ asker: Asker, question: Span<UInt8>, actions: inout ResolverActions
    ) {
        counters.failed.add()
        reply(
            to: asker, question: question, rcode: .serverFailure, body: .empty,
            note: ReplyNote(.other, "too many questions in flight"), outcome: .failed,
            actions: &actions)
    }

    /// Appends a reply of our own.
    func reply(
        to asker: Asker, question: Span<UInt8>, rcode: ResponseCode, body: ReplyWriter.Body,
        note: ReplyNote?, outcome: QueryOutcome, actions: inout ResolverActions
    ) {
        let range = ReplyWriter.append(
            to: &actions.octets, asker: asker, question: question, rcode: rcode, body: body,
            note: note)
        actions.replies.append(.init(client: asker.token, range: range, outcome: outcome))
    }
}
