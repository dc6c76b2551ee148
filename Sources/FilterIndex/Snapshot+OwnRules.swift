import DomainNames
import LinuxSystem

/// Rules of the user's own: a small snapshot that is asked before the one of the lists.
///
/// All of its rules stand among the conditional rules, each with an end (`RuleConditions.lastEnd`
/// for those without), since single rules are needed: here the longest name decides, whether it
/// blocks or allows, so no rule may be dropped because a wider one covers it.
extension Snapshot {
    /// What the own rules say of a question: the rule on the longest name decides; `.none` when
    /// none speaks of it. The prefilter is not asked: it knows no allow rules.
    /// - Complexity: O(labels × log names); no allocation.
    package func ownVerdict(
        _ name: borrowing CanonicalName, type: UInt16, on occasion: Occasion,
        into scratch: inout MatchScratch
    ) -> Verdict {
        scratch.ownKey.assign(wire: name.wire)
        let mapped = file
        var candidates = TierCandidates()
        tables.conditionalRules(in: mapped.bytes).collect(
            for: scratch.ownKey.view,
            question: .init(
                facts: .init(type: type, occasion: occasion), wantsBlocks: true, wantsAllows: true),
            into: &candidates)
        return candidates.closestVerdict
    }

    /// Whether the own rules block every name below `name` (RFC 8020 §2): `false` when they allow
    /// one, `nil` when they leave it to the lists.
    /// - Complexity: O(labels × log names), and the rules below `name`.
    package func ownRulesBlockWholeSubtree(
        of name: borrowing CanonicalName, on occasion: Occasion
    ) -> Bool? {
        var key = IndexKey()
        key.assign(name)
        let mapped = file
        let rules = tables.conditionalRules(in: mapped.bytes)
        if rules.allowsName(strictlyBelow: key.view, on: occasion) { return false }
        return rules.closestBlocks(allBelow: key.view, on: occasion)
    }

    /// The second from which on no rule of this snapshot ends any more; 0 when none ends at all.
    /// - Complexity: O(rules).
    package var lastOwnEnd: Int64 {
        let mapped = file
        return tables.conditionalRules(in: mapped.bytes).lastEnd
    }

    /// The octets of the file are the same as these.
    package func isSame(as octets: Span<UInt8>) -> Bool {
        let mapped = file
        return mapped.bytes.count == octets.count
            && mapped.bytes.sharedPrefix(with: octets) == octets.count
    }
}

extension ConditionalRules {
    /// Whether a rule in force allows a name below that of `key`.
    func allowsName(strictlyBelow key: borrowing IndexKey.View, on occasion: Occasion) -> Bool {
        var name = groups.firstName(notBefore: key.octets)
        while let range = groups.keyRange(ofName: name),
            groups.section.extracting(range).hasPrefix(key.octets)
        {
            if range.count > key.octets.count,
                hasRule(at: range.upperBound, on: occasion, where: { rule, _ in rule.isAllow })
            {
                return true
            }
            name += 1
        }
        return false
    }

    /// Whether the rule in force that reaches below `key` from the longest name, its own or one
    /// above, blocks; `nil` when there is none.
    func closestBlocks(allBelow key: borrowing IndexKey.View, on occasion: Occasion) -> Bool? {
        var labels = key.labelCount
        while labels >= 0 {
            if let offset = groups.rules(of: key.octets(ofLastLabels: labels)) {
                let allows = hasRule(at: offset, on: occasion) { rule, _ in
                    rule.isAllow && rule.scope.includesBelow
                }
                if allows { return false }
                let blocks = hasRule(at: offset, on: occasion) { rule, _ in
                    !rule.isAllow && rule.scope.includesBelow
                }
                if blocks { return true }
            }
            labels -= 1
        }
        return nil
    }

    /// The latest end of a rule, that of rules without one left out; 0 when there is none.
    var lastEnd: Int64 {
        var last: Int64 = 0
        for name in 0..<groups.nameCount {
            guard let range = groups.keyRange(ofName: name) else { return last }
            var cursor = OctetCursor(groups.section, at: range.upperBound)
            var left = cursor.varint() ?? 0
            while left > 0, let rule = RuleGroups.Rule(&cursor), let exceptions = cursor.varint() {
                if let end = rule.conditions.end, end < RuleConditions.lastEnd {
                    last = max(last, end)
                }
                guard groups.skip(exceptions, &cursor) else { return last }
                left -= 1
            }
        }
        return last
    }
}
