import DNSCache
import DNSWire
import DomainNames
import FilterIndex
import Metrics
import Quantities
import QueryEvents

/// Why a question got no answer.
package enum UpstreamFailure: Sendable {
    /// No upstream answered in time.
    case timeout
    /// The network or the upstreams' hosts said that they cannot be reached.
    case unreachable
    /// One upstream failed or refused, and no other answered in time.
    case failedUpstream
    /// What came could not be read.
    case malformed

    /// How a client is told.
    var note: ReplyNote {
        switch self {
        case .timeout: ReplyNote(.noReachableAuthority, "no upstream answered in time")
        case .unreachable: ReplyNote(.networkError, "no upstream can be reached")
        case .failedUpstream:
            ReplyNote(.noReachableAuthority, "an upstream failed or refused, no other answered")
        case .malformed: ReplyNote(.networkError, "the upstream's answer is malformed")
        }
    }
}

extension Resolver {
    /// TTL of what is served past its time (RFC 8767 §4).
    private static let staleTTL: UInt32 = 30

    /// Answers the question in the scratch key from the cache, if a fresh answer is there.
    /// - Returns: whether it did.
    mutating func answerFromCache(
        _ asker: Asker, question: Span<UInt8>, now: MonotonicInstant,
        actions: inout ResolverActions
    ) -> Bool {
        let start = actions.octets.count
        guard
            let hit = cache.find(
                key, now: now, staleAge: options.staleMaximumAge, staleTTL: Resolver.staleTTL,
                into: &actions.octets)
        else { return false }
        guard !hit.isStale else {
            actions.octets.removeLast(actions.octets.count - start)
            return false
        }
        counters.cacheHits.add()
        deliver(
            hit, from: start, to: asker, note: nil, outcome: .cached, actions: &actions)
        return true
    }

    /// Replies with the message that a look-up appended at `start`, unless a target is blocked.
    private mutating func deliver(
        _ hit: CacheHit, from start: Int, to asker: Asker, note: ReplyNote?,
        outcome: QueryOutcome, actions: inout ResolverActions
    ) {
        let type = key.type
        if hit.hasTargets, let policy = asker.policy {
            let judgement = filters.judgement(policy: policy, at: wallSeconds)
            if judgement == nil || hit.judgement != judgement {
                let found = judgeTargets(
                    in: actions.octets, from: start, asker: asker, type: type)
                if let found {
                    replaceByBlock(
                        from: start, asker: asker, type: type, rule: found.rule,
                        stated: found.answer, actions: &actions)
                    return
                }
                if let judgement { cache.markJudged(key, hit, judgement: judgement) }
            }
        }
        finish(from: start, to: asker, note: note, outcome: outcome, actions: &actions)
    }

    /// Makes the message at `start` the reply to a client, behind the aliases that led to it.
    private func finish(
        from start: Int, to asker: Asker, note: ReplyNote?, outcome: QueryOutcome,
        actions: inout ResolverActions
    ) {
        var outcome = outcome
        var note = note
        if let path = asker.rewrite {
            path.prepend(to: &actions.octets, from: start, ttl: options.blockTTL)
            outcome = .rewritten(list: path.list)
            note = path.note
        }
        let range = ReplyWriter.finish(
            in: &actions.octets, from: start, asker: asker,
            keepsAuthenticData: asker.rewrite == nil, note: note)
        actions.replies.append(.init(client: asker.token, range: range, outcome: outcome))
    }

    /// Puts the answer of a block in the place of the message at `start`.
    private mutating func replaceByBlock(
        from start: Int, asker: Asker, type: RecordType, rule: RuleReference, stated: BlockAnswer,
        actions: inout ResolverActions
    ) {
        counters.blockedByAlias.add()
        var question = asker.rewrite?.question ?? questionOctets(actions.octets, from: start)
        actions.octets.removeLast(actions.octets.count - start)
        asker.nameCase.restore(in: &question, at: 0)
        if asker.rewrite != nil { readName(ofQuestion: question.span) }
        block(
            asker, question: question.span, type: type, rule: rule, stated: stated,
            outcome: .blockedByAlias(list: rule.list), actions: &actions)
        // What else waits for this answer asked for the name of the key.
        if asker.rewrite != nil, !readName() {
            preconditionFailure("a key holds a name that parsed")
        }
    }

    /// Takes the answer to a question that was asked.
    /// - Parameter isTrusted: whether its AD bit may be passed on.
    package mutating func complete(
        _ token: QuestionToken, with message: Span<UInt8>, isTrusted: Bool, now: MonotonicInstant,
        actions: inout ResolverActions
    ) {
        guard let question = pending.question(token) else { return }
        key = question.key
        let read: Void? = try? reader.read(message, into: &answer)
        guard read != nil, readName() else {
            fail(token, because: .malformed, now: now, actions: &actions)
            return
        }
        if !isTrusted { answer.message[3] &= ~UInt8(truncatingIfNeeded: HeaderFlags.authenticData) }
        let rcode = ResponseCode(rawValue: UInt16(answer.message[3] & 0x0F))
        if rcode == .serverFailure, replyStale(token, now: now, actions: &actions) {
            pending.remove(token)
            return
        }
        let type = key.type
        while let asker = pending.takeWaiter(token) {
            let start = actions.octets.count
            if answer.hasTargets, let policy = asker.policy {
                let judgement = filters.judgement(policy: policy, at: wallSeconds)
                if judgement == nil || answer.judgement != judgement {
                    let found = judgeTargets(
                        in: answer.message, from: 0, asker: asker, type: type)
                    if let found {
                        actions.octets.append(contentsOf: answer.message)
                        replaceByBlock(
                            from: start, asker: asker, type: type, rule: found.rule,
                            stated: found.answer, actions: &actions)
                        continue
                    }
                    if let judgement { answer.judgement = judgement }
                }
            }
            actions.octets.append(contentsOf: answer.message)
            finish(from: start, to: asker, note: nil, outcome: .forwarded, actions: &actions)
        }
        pending.remove(token)
        if answer.lifetime > .zero {
            cache.store(answer, for: key, now: now)
        } else if rcode == .noError || rcode == .nameError {
            // The owner has spoken again: what is kept of the question is wrong now, stale or not.
            cache.remove(key)
        }
    }

    /// Takes the news that a question will not be answered.
    package mutating func fail(
        _ token: QuestionToken, because failure: UpstreamFailure, now: MonotonicInstant,
        actions: inout ResolverActions
    ) {
        guard let question = pending.question(token) else { return }
        key = question.key
        guard readName() else { preconditionFailure("a key holds a name that parsed") }
        if !replyStale(token, now: now, actions: &actions) {
            while let asker = pending.takeWaiter(token) {
                counters.failed.add()
                var octets = asker.rewrite?.question ?? questionOfKey()
                asker.nameCase.restore(in: &octets, at: 0)
                reply(
                    to: asker, question: octets.span, rcode: .serverFailure, body: .empty,
                    note: failure.note, outcome: .failed, actions: &actions)
            }
        }
        pending.remove(token)
    }

    /// When `tick` has something to do next.
    package var nextTick: MonotonicInstant? { staleQueue.first?.due }

    /// Serves stale answers to clients that have waited long enough (RFC 8767 §5).
    package mutating func tick(now: MonotonicInstant, actions: inout ResolverActions) {
        var done = 0
        while done < staleQueue.count, staleQueue[done].due <= now {
            let token = staleQueue[done].token
            done += 1
            guard let question = pending.question(token) else { continue }
            key = question.key
            guard readName() else { preconditionFailure("a key holds a name that parsed") }
            _ = replyStale(token, now: now, actions: &actions)
        }
        staleQueue.removeFirst(done)
    }

    /// Answers every client of a question with what the cache holds past its time.
    /// - Returns: whether every client was answered; the question itself stays in flight.
    mutating func replyStale(
        _ token: QuestionToken, now: MonotonicInstant, actions: inout ResolverActions
    ) -> Bool {
        var served = false
        while options.staleMaximumAge > .zero {
            let start = actions.octets.count
            guard
                let hit = cache.find(
                    key, now: now, staleAge: options.staleMaximumAge, staleTTL: Resolver.staleTTL,
                    into: &actions.octets)
            else { return served && !pending.hasWaiters(token) }
            guard let asker = pending.takeWaiter(token) else {
                actions.octets.removeLast(actions.octets.count - start)
                return true
            }
            served = true
            guard hit.isStale else {
                // Another worker has stored a fresh one meanwhile.
                counters.cacheHits.add()
                deliver(hit, from: start, to: asker, note: nil, outcome: .cached, actions: &actions)
                continue
            }
            counters.staleHits.add()
            let isNegative = actions.octets[start + 3] & 0x0F == 3
            let note = ReplyNote(isNegative ? .staleNXDOMAIN : .staleAnswer, "")
            deliver(hit, from: start, to: asker, note: note, outcome: .stale, actions: &actions)
        }
        return false
    }

    // MARK: Questions of keys and messages

    /// Reads the name of the scratch key into the scratch name.
    private mutating func readName() -> Bool {
        let octets = key.span
        let wire = octets.extracting(0..<(octets.count - 5))
        let assigned: Void? = try? name.assign(wire: wire)
        return assigned != nil
    }

    /// Reads the name of a client's question into the scratch name.
    mutating func readName(ofQuestion question: Span<UInt8>) {
        let assigned: Void? = try? name.assign(wire: question.extracting(0..<(question.count - 4)))
        precondition(assigned != nil, "only questions whose name parsed are kept")
    }

    /// The question of the scratch key, name in lower case.
    private func questionOfKey() -> [UInt8] {
        let octets = key.span
        return (0..<(octets.count - 1)).map { octets[$0] }
    }

    private func questionOctets(_ octets: [UInt8], from start: Int) -> [UInt8] {
        let message = octets.span.extracting(start..<octets.count)
        guard let view = try? MessageView(message), let question = try? view.question() else {
            preconditionFailure("only messages that parsed are kept")
        }
        return Array(octets[(start + Header.size)..<(start + question.end)])
    }
}
