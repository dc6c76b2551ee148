import FilterIndex

/// Writes a section that `RuleGroups` reads.
struct RuleGroupsBuilder {
    private let groups: [(key: [UInt8], rules: [[UInt8]])]
    private let word: UInt32

    /// Groups rules, given as the octets that the file has for them, by the keys of their names.
    init(_ rules: [(key: [UInt8], octets: [UInt8])], word: UInt32) {
        var byKey: [[UInt8]: Set<[UInt8]>] = [:]
        for rule in rules { byKey[rule.key, default: []].insert(rule.octets) }
        groups = byKey.map { key, rules in
            (key: key, rules: rules.sorted { $0.lexicographicallyPrecedes($1) })
        }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        self.word = word
    }

    /// Names with rules.
    var nameCount: Int { groups.count }

    /// Appends the section.
    func append(to image: inout [UInt8]) {
        image.append(littleEndian: UInt32(groups.count))
        image.append(littleEndian: word)
        let directory = image.count
        for _ in groups { image.append(littleEndian: 0 as UInt32) }
        let start = image.count
        for (index, group) in groups.enumerated() {
            image.set(UInt32(image.count - start), at: directory + 4 * index)
            image.append(varint: group.key.count)
            image.append(contentsOf: group.key)
            image.append(varint: group.rules.count)
            for rule in group.rules { image.append(contentsOf: rule) }
        }
    }
}
