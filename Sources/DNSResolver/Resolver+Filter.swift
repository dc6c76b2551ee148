import DNSWire
import DomainNames
import FilterIndex
import Metrics
import QueryEvents

extension Resolver {
    /// The verdict on the name in the scratch for a client; `.none` while nothing is filtered. Own
    /// rules decide before all lists.
    ///
    /// ipv4only.arpa is how hosts find their NAT64 prefix and is never filtered (RFC 8880 §7).
    mutating func judge(for asker: Asker, type: RecordType) -> Verdict {
        guard let policy = policy(asker.policy) else { return .none }
        let occasion = occasion(of: asker)
        var verdict = Verdict.none
        if let own = policy.ownRules {
            verdict = own.ownVerdict(name, type: type.rawValue, on: occasion, into: &scratch)
        }
        if verdict == .none, let snapshot = policy.snapshot {
            verdict = snapshot.match(name, type: type.rawValue, on: occasion, into: &scratch)
            if scratch.observation.prefilterHit { counters.prefilterHits.add() }
            if scratch.observation.falsePositive { counters.prefilterFalsePositives.add() }
        }
        switch verdict {
        case .blocked, .rewritten: return isIPv4Only(name) ? .none : verdict
        case .none, .allowed: return verdict
        }
    }

    /// The policy of a client; `nil` when nothing is filtered for it now.
    func policy(_ index: Int?) -> FilterSet.Policy? {
        guard let index, index < filters.policies.count else { return nil }
        return filters.policies[index]
    }

    /// A target that is blocked, as far as it was looked for.
    private struct BlockedTarget {
        let rule: RuleReference
        let answer: BlockAnswer
        /// Whether an allow rule on the name asked for has to be important to let it pass.
        let isImportant: Bool
    }

    /// The rule that blocks the message at `start` by one of its targets, for the question in the
    /// scratch name: an own one before an important one, that before all others; of several the
    /// first.
    ///
    /// An allow rule on the name asked for lets its aliases pass, unless the block is important and
    /// it is not. An own allow rule lets all pass, and nothing but that lets one pass that own
    /// rules block.
    mutating func judgeTargets(
        in octets: [UInt8], from start: Int, asker: Asker, type: RecordType
    ) -> (rule: RuleReference, answer: BlockAnswer)? {
        guard let policy = policy(asker.policy) else { return nil }
        let occasion = occasion(of: asker)
        if let own = policy.ownRules,
            case .allowed = own.ownVerdict(
                name, type: type.rawValue, on: occasion, into: &scratch)
        {
            return nil
        }
        var found: BlockedTarget?
        var matchScratch = scratch
        let walked: Void? = try? TargetReader.forEachTarget(
            of: octets.span.extracting(start..<octets.count), scratch: &targetName
        ) { target in
            let verdict = policy.verdict(
                target, type: type.rawValue, on: occasion, into: &matchScratch)
            guard case .blocked(let rule, let answer, let isImportant) = verdict else {
                return true
            }
            if rule == .own || isImportant && found?.isImportant != true || found == nil {
                found = BlockedTarget(rule: rule, answer: answer, isImportant: isImportant)
            }
            // Nothing outdoes an own rule; with any there may be one behind an important rule.
            return rule != .own && (!isImportant || policy.ownRules != nil)
        }
        precondition(walked != nil, "only messages that parsed are judged")
        guard let found else { return nil }
        if found.rule != .own, let snapshot = policy.snapshot,
            case .allowed(_, let isImportant) = snapshot.allowVerdict(
                name, type: type.rawValue, on: occasion, into: &scratch),
            isImportant || !found.isImportant
        {
            return nil
        }
        return (found.rule, found.answer)
    }

    /// Answers a blocked question.
    func block(
        _ asker: Asker, question: Span<UInt8>, type: RecordType, rule: RuleReference,
        stated: BlockAnswer, outcome: QueryOutcome, actions: inout ResolverActions
    ) {
        let note = ReplyNote(.blocked, text: blockText(asker.policy, rule))
        let negative = ReplyWriter.Body.negative(ttl: options.blockTTL, soa: blockSOA)
        var rcode = ResponseCode.noError
        var body = negative
        switch stated {
        case .drop:
            actions.drops.append(asker.token)
            return
        case .refused:
            rcode = .refused
            body = .empty
        case .noData:
            break
        case .standard:
            switch options.blockResponse {
            case .nxdomain: rcode = .nameError
            case .nxdomainSafe: rcode = isWholeSubtreeBlocked(asker) ? .nameError : .noError
            case .nodata: break
            case .null: body = nullBody(type) ?? negative
            case .refused:
                rcode = .refused
                body = .empty
            }
        }
        reply(
            to: asker, question: question, rcode: rcode, body: body, note: note, outcome: outcome,
            actions: &actions)
    }

    /// DS and DNSKEY at a blocked name are forwarded when something below it is not blocked, so
    /// that a validator behind us can still prove what is allowed there.
    func isKeptForValidators(_ type: RecordType, asker: Asker) -> Bool {
        (type == .ds || type == .dnskey) && !isWholeSubtreeBlocked(asker)
    }

    private func blockText(_ policy: Int?, _ rule: RuleReference) -> [UInt8] {
        if rule == .own { return FilterSet.ownText }
        guard let texts = self.policy(policy)?.blockTexts else { return [] }
        return Int(rule.list) < texts.count ? texts[Int(rule.list)] : []
    }

    private func nullBody(_ type: RecordType) -> ReplyWriter.Body? {
        switch type {
        case .a: .record(type: .a, ttl: options.blockTTL, rdata: [0, 0, 0, 0])
        case .aaaa:
            .record(type: .aaaa, ttl: options.blockTTL, rdata: Array(repeating: 0, count: 16))
        default: nil
        }
    }

    /// Whether every name below the one in the scratch is blocked as well (RFC 8020 §2).
    private func isWholeSubtreeBlocked(_ asker: Asker) -> Bool {
        guard let policy = policy(asker.policy) else { return false }
        let occasion = occasion(of: asker)
        if let own = policy.ownRules,
            let blocksAll = own.ownRulesBlockWholeSubtree(of: name, on: occasion)
        {
            return blocksAll
        }
        return policy.snapshot?.blocksWholeSubtree(of: name, on: occasion) ?? false
    }

    private func isIPv4Only(_ name: borrowing CanonicalName) -> Bool {
        let expected: StaticString = "ipv4only.arpa"
        guard name.wireCount == expected.utf8CodeUnitCount + 2, name.labelCount == 2 else {
            return false
        }
        let text = name.text(fromLabel: 0)
        var index = 0
        for octet in expected.description.utf8 {
            guard text[index] == octet else { return false }
            index += 1
        }
        return true
    }
}
