import DNSWire
import DomainNames
import FilterIndex
import Metrics
import Quantities
import QueryEvents

extension Resolver {
    /// Answers a question whose name a list rewrites, or asks for the name that it leads to.
    ///
    /// A target is judged as a name that was asked for: it may be blocked, which blocks the
    /// question, or rewritten in turn. What an upstream says of the last target is cached under
    /// that target; nothing made here ever enters the cache. `rewritten` counts the question,
    /// whatever comes of its target.
    mutating func rewrite(
        _ query: Query, question: Span<UInt8>, by rule: RuleReference, now: MonotonicInstant,
        actions: inout ResolverActions
    ) {
        counters.rewritten.add()
        let path = RewritePath(
            question: Resolver.octets(of: question), targets: [], list: rule.list,
            note: ReplyNote(.forgedAnswer, text: rewriteText(query.asker.policy, rule)))
        let type = query.question.type
        var targets: [[UInt8]] = []
        var verdict = Verdict.rewritten(rule, isImportant: false)
        while case .rewritten = verdict,
            let answer = rewriteAnswer(for: query.asker, type: type)
        {
            let target: [UInt8]
            switch answer {
            case .rcode(let code):
                let rcode = ResponseCode(rawValue: UInt16(code))
                return forge(query, path, targets, rcode: rcode, records: [], actions: &actions)
            case .records(let records):
                let wanted = records.filter { $0.type == type.rawValue }
                return forge(
                    query, path, targets, rcode: .noError, records: wanted, actions: &actions)
            case .alias(let name): target = name
            }
            // A name that leads to itself is its own answer: the rule is for the others.
            if name.wire.elementsEqual(target.span) { break }
            guard targets.count < RewritePath.targetLimit, !targets.contains(target),
                (try? name.assign(wire: target.span)) != nil
            else {
                return failRewrite(query, question: question, actions: &actions)
            }
            targets.append(target)
            if type == .cname {
                return forge(
                    query, path, targets, rcode: .noError, records: [], actions: &actions)
            }
            verdict = judge(for: query.asker, type: type)
            if case .blocked(let rule, let stated, _) = verdict {
                readName(ofQuestion: question)
                counters.blockedByAlias.add()
                return block(
                    query.asker, question: question, type: type, rule: rule, stated: stated,
                    outcome: .blockedByAlias(list: rule.list), actions: &actions)
            }
        }
        var query = query
        if !targets.isEmpty {
            query.asker.rewrite = RewritePath(
                question: path.question, targets: targets, list: path.list, note: path.note)
        }
        resolve(query, question: question, now: now, actions: &actions)
    }

    /// What the name in the scratch is rewritten to.
    private mutating func rewriteAnswer(for asker: Asker, type: RecordType) -> RewriteAnswer? {
        policy(asker.policy)?.snapshot?.rewriteAnswer(
            name, type: type.rawValue, on: occasion(of: asker), into: &scratch)
    }

    /// Replies with aliases and the records at their end.
    private func forge(
        _ query: Query, _ path: RewritePath, _ targets: [[UInt8]], rcode: ResponseCode,
        records: [RewriteRecord], actions: inout ResolverActions
    ) {
        let ttl = options.blockTTL
        var answer = ForgedAnswer(question: path.question, rcode: rcode, in: &actions.octets)
        for target in targets { answer.append(alias: target, ttl: ttl, to: &actions.octets) }
        for record in records {
            answer.append(
                .answer, type: RecordType(rawValue: record.type), ttl: ttl, data: record.data,
                to: &actions.octets)
        }
        if rcode == .noError, records.isEmpty, query.question.type != .cname || targets.isEmpty {
            answer.append(.authority, type: .soa, ttl: ttl, data: blockSOA, to: &actions.octets)
        }
        let range = ReplyWriter.finish(
            in: &actions.octets, from: answer.start, asker: query.asker,
            keepsAuthenticData: false, note: path.note)
        actions.replies.append(
            .init(
                client: query.asker.token, range: range, outcome: .rewritten(list: path.list)))
    }

    private func failRewrite(
        _ query: Query, question: Span<UInt8>, actions: inout ResolverActions
    ) {
        counters.failed.add()
        reply(
            to: query.asker, question: question, rcode: .serverFailure, body: .empty,
            note: ReplyNote(.other, "rewrites lead in a circle or too far"), outcome: .failed,
            actions: &actions)
    }

    private func rewriteText(_ policy: Int?, _ rule: RuleReference) -> [UInt8] {
        guard let texts = self.policy(policy)?.rewriteTexts else { return [] }
        return Int(rule.list) < texts.count ? texts[Int(rule.list)] : []
    }

    private static func octets(of span: Span<UInt8>) -> [UInt8] {
        span.indices.map { span[$0] }
    }
}
