import DomainNames

/// Rules that need more than a name: query types, clients, an end, exceptions, an answer of their
/// own.
///
/// ```
/// 0   4   names, n                                             u32, little-endian
/// 4   4   1: some rule has clients or an end; else 0           u32
/// 8   4n  offset of each name's group from the end of this directory, ascending by key    u32
/// …       groups
/// group   varint key size · key · varint rules · rule …
/// rule    flags u8 · varint list · varint types · type u16 …
///         · conditions when flag 7 says so, see `RuleConditions`
///         · varint exceptions · (scope u8 · varint key size · key) …
/// flags   bits 0–1 scope · 2 allow · 3 important · 4 all types but those listed
///         · 5–6 answer · 7 conditions follow
/// ```
/// A rule without types applies to every type. A rule does not apply to names that an exception of
/// its own covers.
package struct ConditionalRules: ~Escapable {
    /// Facts of the question that rules are held against.
    struct Question {
        /// Its type.
        let type: UInt16
        /// Whether rules of block kind are wanted.
        let wantsBlocks: Bool
        /// Whether rules of allow kind are wanted.
        let wantsAllows: Bool
        /// Who asks, and when.
        let occasion: Occasion
    }

    /// Bits of a rule's flags.
    package enum Flag {
        /// The rule allows.
        package static let allow: UInt8 = 4
        /// The rule is important.
        package static let important: UInt8 = 8
        /// The types listed are those that the rule does not apply to.
        package static let typesExcluded: UInt8 = 16
        /// How far the answer is shifted.
        package static let answerShift: UInt8 = 5
        /// Bits of the answer, shifted.
        static let answerMask: UInt8 = 3
        /// Clients or an end follow the types.
        package static let conditions: UInt8 = 128
    }

    /// The octets of the section.
    let section: Span<UInt8>
    private let names: Int

    /// Octets before the directory.
    static let headerSize = 8
    /// The header's word when some rule has clients or an end.
    package static let dependsOnOccasion: UInt32 = 1

    /// A view of a section.
    @_lifetime(copy section)
    package init(_ section: Span<UInt8>) {
        self.section = section
        let names = Int(section.littleEndian32(at: 0) ?? 0)
        self.names = names <= (section.count - Self.headerSize) / 4 ? names : 0
    }

    /// Names that have rules here.
    package var nameCount: Int { names }

    /// Offers every rule that applies to `key` and `question`.
    /// - Complexity: O(labels × log names); no allocation.
    func collect(
        for key: borrowing IndexKey.View, question: Question, into candidates: inout TierCandidates
    ) {
        guard names > 0 else { return }
        var labels = 0
        while labels <= key.labelCount {
            let name = key.octets(ofLastLabels: labels)
            if let offset = rules(of: name) {
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
        guard let range = keyRange(ofName: group) else { return }
        collect(
            at: range.upperBound, name: Span<UInt8>(), keySize: -1, for: key, question: question,
            into: &candidates)
    }

    /// Whether a rule of block kind has exactly this key.
    func hasBlock(named name: Span<UInt8>) -> Bool {
        guard let offset = rules(of: name) else { return false }
        var cursor = OctetCursor(section, at: offset)
        guard let count = cursor.varint() else { return false }
        var left = count
        while left > 0, let rule = Rule(&cursor) {
            if !rule.isAllow { return true }
            guard let exceptions = cursor.varint(), skip(exceptions, &cursor) else { return false }
            left -= 1
        }
        return false
    }

    /// Offset of the number of rules of the name of `key`.
    func rules(of key: Span<UInt8>) -> Int? {
        guard let range = keyRange(ofName: firstName(notBefore: key)) else { return nil }
        let found = section.extracting(range)
        return found.count == key.count && found.hasPrefix(key) ? range.upperBound : nil
    }

    /// Number of the first name whose key is `key` or comes after it.
    func firstName(notBefore key: Span<UInt8>) -> Int {
        var low = 0
        var high = names
        while low < high {
            let middle = (low + high) / 2
            if let range = keyRange(ofName: middle), section.extracting(range).precedes(key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Where the key of name number `index` stands; its rules follow.
    func keyRange(ofName index: Int) -> Range<Int>? {
        guard index < names, let group = section.littleEndian32(at: Self.headerSize + 4 * index),
            let (size, start) = section.varint(
                at: Self.headerSize + 4 * names + Int(group)),
            size <= section.count - start
        else { return nil }
        return start..<(start + size)
    }

    /// The fixed part of a rule.
    struct Rule {
        /// See `Flag`.
        let flags: UInt8
        /// The list.
        let list: UInt16
        /// Where the types stand in the section, two octets each.
        let types: Range<Int>
        /// Which names the rule speaks of.
        let scope: NameScope
        /// What a blocked name is answered with.
        let answer: BlockAnswer
        /// For whom and until when it is there.
        let conditions: RuleConditions

        /// Whether the rule allows.
        var isAllow: Bool { flags & Flag.allow != 0 }
        /// Whether the rule is important.
        var isImportant: Bool { flags & Flag.important != 0 }

        /// Reads up to the exceptions; `nil` when the octets are no rule.
        init?(_ cursor: inout OctetCursor) {
            guard let flags = cursor.octet(), let list = cursor.varint(), list <= 0xFFFF,
                let scope = NameScope(rawValue: flags & 3),
                let answer = BlockAnswer(rawValue: flags >> Flag.answerShift & Flag.answerMask),
                let typeCount = cursor.varint(), let types = cursor.range(count: 2 * typeCount)
            else { return nil }
            var conditions = RuleConditions()
            if flags & Flag.conditions != 0 {
                guard let read = RuleConditions(&cursor) else { return nil }
                conditions = read
            }
            self.conditions = conditions
            self.flags = flags
            self.list = UInt16(list)
            self.types = types
            self.scope = scope
            self.answer = answer
        }
    }

    private func collect(
        at offset: Int, name: Span<UInt8>, keySize: Int, for key: borrowing IndexKey.View,
        question: Question, into candidates: inout TierCandidates
    ) {
        var cursor = OctetCursor(section, at: offset)
        guard let count = cursor.varint() else { return }
        let isOwnName = name.count == key.octets.count
        var left = count
        while left > 0, let rule = Rule(&cursor), let exceptions = cursor.varint() {
            var applies = isOwnName ? rule.scope.includesName : rule.scope.includesBelow
            applies = applies && (rule.isAllow ? question.wantsAllows : question.wantsBlocks)
            applies = applies && isType(question.type, takenBy: rule)
            applies = applies && rule.conditions.hold(on: question.occasion, in: section)
            guard let isExcepted = isCovered(key.octets, byOneOf: exceptions, &cursor) else {
                return
            }
            if applies && !isExcepted {
                candidates.offer(
                    .init(
                        keySize: keySize, scope: rule.scope, list: rule.list,
                        answer: rule.answer),
                    isAllow: rule.isAllow, isImportant: rule.isImportant)
            }
            left -= 1
        }
    }

    private func isType(_ type: UInt16, takenBy rule: Rule) -> Bool {
        if rule.types.isEmpty { return true }
        var isListed = false
        var offset = rule.types.lowerBound
        while offset < rule.types.upperBound {
            isListed = isListed || section.littleEndian16(at: offset) == type
            offset += 2
        }
        return isListed != (rule.flags & Flag.typesExcluded != 0)
    }

    /// Steps over `count` exceptions; `nil` when the octets are none.
    private func isCovered(
        _ key: Span<UInt8>, byOneOf count: Int, _ cursor: inout OctetCursor
    ) -> Bool? {
        var isCovered = false
        var left = count
        while left > 0 {
            guard let octet = cursor.octet(), let scope = NameScope(rawValue: octet),
                let size = cursor.varint(), let range = cursor.range(count: size)
            else { return nil }
            if key.hasPrefix(section.extracting(range)) {
                let covers = size == key.count ? scope.includesName : scope.includesBelow
                isCovered = isCovered || covers
            }
            left -= 1
        }
        return isCovered
    }

    /// Steps over exceptions; `false` when the octets are none.
    func skip(_ exceptions: Int, _ cursor: inout OctetCursor) -> Bool {
        isCovered(Span<UInt8>(), byOneOf: exceptions, &cursor) != nil
    }
}
