import DomainNames
import LinuxSystem

extension Snapshot {
    /// Whether every name below `name` is blocked for every type, so that NXDOMAIN for `name` says
    /// nothing false about them (RFC 8020 §2).
    ///
    /// Cautious: one rule on a name must block them all. `false` when several rules only do so
    /// together, when a pattern does, and when a pattern might allow a name below.
    /// - Complexity: O(log names) key comparisons, and the conditional rules below `name`.
    package func blocksWholeSubtree(
        of name: borrowing CanonicalName, on occasion: Occasion
    ) -> Bool {
        var key = SearchKey()
        key.assign(wire: name.wire, code: tables.nameCode)
        let mapped = file
        return tables.blocksWholeSubtree(
            of: key.view, text: name.text(fromLabel: 0), on: occasion, in: mapped.bytes)
    }
}

extension MatchTables {
    /// See `Snapshot.blocksWholeSubtree`.
    func blocksWholeSubtree(
        of key: borrowing SearchKey.View, text: Span<UInt8>, on occasion: Occasion,
        in file: Span<UInt8>
    ) -> Bool {
        // Of either importance, whoever asks: a pattern that allows below is rare, and caution is
        // cheap.
        if patternRules(in: file).mayAllow(below: text) { return false }
        if blocksAll(below: key, isImportant: true, on: occasion, in: file) {
            return !hasAllow(isImportant: true, below: key, on: occasion, in: file)
        }
        guard blocksAll(below: key, isImportant: false, on: occasion, in: file) else {
            return false
        }
        if hasAllow(isImportant: true, below: key, on: occasion, in: file) { return false }
        if hasRewrites, rewriteRules(in: file).speaksOfAny(below: key.plain) { return false }
        return !hasAllow(isImportant: false, below: key, on: occasion, in: file)
    }

    /// Whether one rule of this importance blocks all names below.
    private func blocksAll(
        below key: borrowing SearchKey.View, isImportant: Bool, on occasion: Occasion,
        in file: Span<UInt8>
    ) -> Bool {
        let index = index(of: isImportant ? importantBlock : block, in: file)
        if index.coversAll(below: key.coded) { return true }
        return conditionalRules(in: file)
            .block(allBelow: key.plain, isImportant: isImportant, on: occasion)
    }

    /// Whether an allow rule of this importance speaks of any name below.
    private func hasAllow(
        isImportant: Bool, below key: borrowing SearchKey.View, on occasion: Occasion,
        in file: Span<UInt8>
    ) -> Bool {
        let index = index(of: isImportant ? importantAllow : allow, in: file)
        if index.coversAll(below: key.coded) { return true }
        if index.hasEntry(below: key.coded) { return true }
        return conditionalRules(in: file)
            .allowsAny(below: key.plain, isImportant: isImportant, on: occasion)
    }
}

extension ConditionalRules {
    /// Whether one rule blocks all names below `key`, whatever the type.
    func block(
        allBelow key: borrowing IndexKey.View, isImportant: Bool, on occasion: Occasion
    ) -> Bool {
        var labels = 0
        while labels <= key.labelCount {
            let found = groups.rules(of: key.octets(ofLastLabels: labels)).map { offset in
                hasRule(at: offset, on: occasion) { rule, exceptions in
                    !rule.isAllow && rule.isImportant == isImportant && rule.types.isEmpty
                        && exceptions == 0 && rule.scope.includesBelow
                }
            }
            if found == true { return true }
            labels += 1
        }
        return false
    }

    /// Whether a rule allows any name below `key`, for any type.
    func allowsAny(
        below key: borrowing IndexKey.View, isImportant: Bool, on occasion: Occasion
    ) -> Bool {
        var labels = 0
        while labels <= key.labelCount {
            let found = groups.rules(of: key.octets(ofLastLabels: labels)).map { offset in
                hasRule(at: offset, on: occasion) { rule, _ in
                    rule.isAllow && rule.isImportant == isImportant && rule.scope.includesBelow
                }
            }
            if found == true { return true }
            labels += 1
        }
        var name = groups.firstName(notBefore: key.octets)
        while let range = groups.keyRange(ofName: name),
            groups.section.extracting(range).hasPrefix(key.octets)
        {
            if range.count > key.octets.count,
                hasRule(
                    at: range.upperBound, on: occasion,
                    where: { rule, _ in rule.isAllow && rule.isImportant == isImportant })
            {
                return true
            }
            name += 1
        }
        return false
    }

    /// Whether a rule of the group at `offset` that is in force is wanted.
    func hasRule(
        at offset: Int, on occasion: Occasion,
        where isWanted: (_ rule: RuleGroups.Rule, _ exceptions: Int) -> Bool
    ) -> Bool {
        var cursor = OctetCursor(groups.section, at: offset)
        guard let count = cursor.varint() else { return false }
        var left = count
        while left > 0, let rule = RuleGroups.Rule(&cursor), let exceptions = cursor.varint() {
            if rule.conditions.hold(on: occasion, in: groups.section), isWanted(rule, exceptions) {
                return true
            }
            guard groups.skip(exceptions, &cursor) else { return false }
            left -= 1
        }
        return false
    }
}
