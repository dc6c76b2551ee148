import DomainNames

/// Rules in groups by name: the shape that conditional rules and rewrites share.
///
/// ```
/// 0   4   names, n                                             u32, little-endian
/// 4   4   word, see `Word`                                     u32
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
package struct RuleGroups: ~Escapable {
    /// What rules are held against beside the name.
    struct Question {
        /// The query type.
        let type: UInt16
        /// Who asks, and when.
        let occasion: Occasion
    }

    /// Bits of the header's word.
    package enum Word {
        /// Some rule has clients or an end.
        package static let dependsOnOccasion: UInt32 = 1
        /// Some rule of a section of rewrites is an exception.
        package static let hasExceptions: UInt32 = 2
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

    /// Octets before the directory.
    static let headerSize = 8

    /// The octets of the section.
    let section: Span<UInt8>
    /// Names that have rules here.
    let nameCount: Int

    /// A view of a section.
    @_lifetime(copy section)
    init(_ section: Span<UInt8>) {
        self.section = section
        let names = Int(section.littleEndian32(at: 0) ?? 0)
        nameCount = names <= (section.count - RuleGroups.headerSize) / 4 ? names : 0
    }

    /// Names and word of a section; `nil` when its header is none.
    static func header(
        of section: Span<UInt8>, allowing bits: UInt32
    ) -> (names: Int, word: UInt32)? {
        guard let names = section.littleEndian32(at: 0), let word = section.littleEndian32(at: 4),
            Int(names) <= (section.count - headerSize) / 4, word & ~bits == 0
        else { return nil }
        return (Int(names), word)
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
        var high = nameCount
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
        guard index < nameCount,
            let group = section.littleEndian32(at: RuleGroups.headerSize + 4 * index),
            let (size, start) = section.varint(
                at: RuleGroups.headerSize + 4 * nameCount + Int(group)),
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

    /// Whether a rule on `name`, the key itself or one above it, applies; its own exceptions are
    /// not looked at.
    func applies(
        _ rule: Rule, on name: Span<UInt8>, to key: Span<UInt8>, question: Question
    ) -> Bool {
        let isInScope =
            name.count == key.count ? rule.scope.includesName : rule.scope.includesBelow
        return isInScope && isType(question.type, takenBy: rule)
            && rule.conditions.hold(on: question.occasion, in: section)
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
    func isCovered(
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
