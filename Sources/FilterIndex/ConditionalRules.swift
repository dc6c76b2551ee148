import DomainNames

/// Rules that need more than a name: query types, clients, an end, exceptions, an answer of their
/// own. The section is one of `RuleGroups`.
package struct ConditionalRules: ~Escapable {
    /// Facts of the question that rules are held against.
    struct Question {
        /// Its type, who asks and when.
        let facts: RuleGroups.Question
        /// Whether rules of block kind are wanted.
        let wantsBlocks: Bool
        /// Whether rules of allow kind are wanted.
        let wantsAllows: Bool
    }

    /// Its rules by name.
    let groups: RuleGroups

    /// A view of a section.
    @_lifetime(copy section)
    package init(_ section: Span<UInt8>) { groups = RuleGroups(section) }

    /// Offers every rule that applies to `key` and `question`.
    /// - Complexity: O(labels × log names); no allocation.
    func collect(
        for key: borrowing IndexKey.View, question: Question, into candidates: inout TierCandidates
    ) {
        guard groups.nameCount > 0 else { return }
        var labels = 0
        while labels <= key.labelCount {
            let name = key.octets(ofLastLabels: labels)
            if let offset = groups.rules(of: name) {
                collect(
                    at: offset, name: name, keySize: name.count, for: key, question: question,
                    into: &candidates)
            }
            labels += 1
        }
    }

    /// Offers every rule of a group that applies to `question`, as a rule on every name that any
    /// rule on a name outdoes.
    func collect(
        group: Int, for key: borrowing IndexKey.View, question: Question,
        into candidates: inout TierCandidates
    ) {
        guard let range = groups.keyRange(ofName: group) else { return }
        collect(
            at: range.upperBound, name: Span<UInt8>(), keySize: -1, for: key, question: question,
            into: &candidates)
    }

    /// Whether a rule of block kind has exactly this key.
    func hasBlock(named name: Span<UInt8>) -> Bool {
        guard let offset = groups.rules(of: name) else { return false }
        var cursor = OctetCursor(groups.section, at: offset)
        guard let count = cursor.varint() else { return false }
        var left = count
        while left > 0, let rule = RuleGroups.Rule(&cursor) {
            if !rule.isAllow { return true }
            guard let exceptions = cursor.varint(), groups.skip(exceptions, &cursor) else {
                return false
            }
            left -= 1
        }
        return false
    }

    private func collect(
        at offset: Int, name: Span<UInt8>, keySize: Int, for key: borrowing IndexKey.View,
        question: Question, into candidates: inout TierCandidates
    ) {
        var cursor = OctetCursor(groups.section, at: offset)
        guard let count = cursor.varint() else { return }
        var left = count
        while left > 0, let rule = RuleGroups.Rule(&cursor), let exceptions = cursor.varint() {
            let isWanted = rule.isAllow ? question.wantsAllows : question.wantsBlocks
            guard let isExcepted = groups.isCovered(key.octets, byOneOf: exceptions, &cursor) else {
                return
            }
            if isWanted, !isExcepted,
                groups.applies(rule, on: name, to: key.octets, question: question.facts)
            {
                candidates.offer(
                    .init(
                        keySize: keySize, scope: rule.scope, list: rule.list,
                        answer: rule.answer),
                    isAllow: rule.isAllow, isImportant: rule.isImportant)
            }
            left -= 1
        }
    }
}
