import DomainNames

/// Names that a list answers in its own way, and exceptions to that.
///
/// The section is one of `RuleGroups`; an answer follows each rule, see `RewriteAnswer`. A rule of
/// allow kind is an exception: rewrites of the names that it covers do not count, all of them or
/// those of the very answer that it states. An important rewrite needs an important exception.
///
/// Rewrites have no prefilter: there are few, and none on most machines.
package struct RewriteRules: ~Escapable {
    /// Its rules by name.
    let groups: RuleGroups
    private let hasExceptions: Bool

    /// A view of a section.
    @_lifetime(copy section)
    init(_ section: Span<UInt8>) {
        groups = RuleGroups(section)
        let word = section.littleEndian32(at: 4) ?? 0
        hasExceptions = word & RuleGroups.Word.hasExceptions != 0
    }

    /// Whether rewrites answer queries of this type. Not DS and DNSKEY: a validator behind us
    /// proves by them what is real below the name.
    static func take(_ type: UInt16) -> Bool { type != 43 && type != 48 }

    /// A rule as it stands at a cursor.
    private struct Entry {
        let rule: RuleGroups.Rule
        /// Whether it speaks of the name, type, client and moment asked for.
        let applies: Bool
        /// Where its answer stands in the section.
        let answer: Range<Int>
    }

    /// Offers every rewrite that applies to `key` and `question`.
    /// - Complexity: O(labels × log names); with exceptions O(rules found × rules found). No
    ///   allocation.
    func collect(
        for key: borrowing IndexKey.View, question: RuleGroups.Question,
        into candidates: inout TierCandidates
    ) {
        var labels = 0
        while labels <= key.labelCount {
            let name = key.octets(ofLastLabels: labels)
            labels += 1
            guard let offset = groups.rules(of: name) else { continue }
            var cursor = OctetCursor(groups.section, at: offset)
            var left = cursor.varint() ?? 0
            while left > 0, let entry = entry(&cursor, on: name, for: key.octets, question) {
                left -= 1
                guard entry.applies, !entry.rule.isAllow, !isExcepted(entry, for: key, question)
                else { continue }
                candidates.offerRewrite(
                    .init(
                        keySize: name.count, scope: entry.rule.scope, list: entry.rule.list,
                        answer: .standard), isImportant: entry.rule.isImportant)
            }
        }
    }

    /// The answer of the rewrites that decide for `key`; `nil` when none applies.
    ///
    /// Those of one list on the longest name count together, exact ones before wider ones.
    /// - Complexity: that of `collect`, twice; allocates for the answer.
    func answer(
        for key: borrowing IndexKey.View, question: RuleGroups.Question
    ) -> RewriteAnswer? {
        var candidates = TierCandidates()
        collect(for: key, question: question, into: &candidates)
        guard let (best, isImportant) = candidates.bestRewrite else { return nil }
        let name = key.octets.extracting(0..<best.keySize)
        guard let offset = groups.rules(of: name) else { return nil }
        var cursor = OctetCursor(groups.section, at: offset)
        var left = cursor.varint() ?? 0
        var answers: [RewriteAnswer] = []
        while left > 0, let entry = entry(&cursor, on: name, for: key.octets, question) {
            left -= 1
            guard entry.applies, !entry.rule.isAllow, entry.rule.list == best.list,
                entry.rule.isImportant == isImportant,
                (entry.rule.scope == .exact) == (best.scope == .exact),
                !isExcepted(entry, for: key, question),
                let answer = RewriteAnswer(groups.section, at: entry.answer.lowerBound)
            else { continue }
            answers.append(answer)
        }
        return RewriteAnswer.merged(answers)
    }

    /// Whether a rewrite may be on any name below `key`, for any type, client and moment.
    func speaksOfAny(below key: borrowing IndexKey.View) -> Bool {
        var labels = 0
        while labels <= key.labelCount {
            if let offset = groups.rules(of: key.octets(ofLastLabels: labels)),
                hasRewrite(at: offset, reachingBelow: true)
            {
                return true
            }
            labels += 1
        }
        var name = groups.firstName(notBefore: key.octets)
        while let range = groups.keyRange(ofName: name),
            groups.section.extracting(range).hasPrefix(key.octets)
        {
            if range.count > key.octets.count,
                hasRewrite(at: range.upperBound, reachingBelow: false)
            {
                return true
            }
            name += 1
        }
        return false
    }

    private func hasRewrite(at offset: Int, reachingBelow: Bool) -> Bool {
        var cursor = OctetCursor(groups.section, at: offset)
        var left = cursor.varint() ?? 0
        while left > 0, let rule = RuleGroups.Rule(&cursor) {
            left -= 1
            if !rule.isAllow, !reachingBelow || rule.scope.includesBelow { return true }
            guard let exceptions = cursor.varint(), groups.skip(exceptions, &cursor),
                RewriteAnswer.skip(&cursor) != nil
            else { return false }
        }
        return false
    }

    private func entry(
        _ cursor: inout OctetCursor, on name: Span<UInt8>, for key: Span<UInt8>,
        _ question: RuleGroups.Question
    ) -> Entry? {
        guard let rule = RuleGroups.Rule(&cursor), let exceptions = cursor.varint(),
            let isExcepted = groups.isCovered(key, byOneOf: exceptions, &cursor),
            let answer = RewriteAnswer.skip(&cursor)
        else { return nil }
        let applies = groups.applies(rule, on: name, to: key, question: question)
        return Entry(rule: rule, applies: applies && !isExcepted, answer: answer)
    }

    /// Whether an exception takes a rewrite out.
    private func isExcepted(
        _ rewrite: Entry, for key: borrowing IndexKey.View, _ question: RuleGroups.Question
    ) -> Bool {
        guard hasExceptions else { return false }
        var labels = 0
        while labels <= key.labelCount {
            let name = key.octets(ofLastLabels: labels)
            labels += 1
            guard let offset = groups.rules(of: name) else { continue }
            var cursor = OctetCursor(groups.section, at: offset)
            var left = cursor.varint() ?? 0
            while left > 0, let entry = entry(&cursor, on: name, for: key.octets, question) {
                left -= 1
                guard entry.applies, entry.rule.isAllow,
                    entry.rule.isImportant || !rewrite.rule.isImportant
                else { continue }
                if isSameAnswer(entry.answer, rewrite.answer) { return true }
            }
        }
        return false
    }

    /// Whether an exception's answer is any, or the rewrite's.
    private func isSameAnswer(_ exception: Range<Int>, _ rewrite: Range<Int>) -> Bool {
        let octets = groups.section
        if octets[exception.lowerBound] == RewriteAnswer.Kind.any { return true }
        guard exception.count == rewrite.count else { return false }
        return octets.extracting(exception).hasPrefix(octets.extracting(rewrite))
    }
}
