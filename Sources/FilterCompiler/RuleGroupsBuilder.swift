import FilterIndex

/// A rule that a section of `RuleGroups` holds.
protocol GroupedRule: Equatable, Sendable {
    /// The key of its name, as `IndexKey` writes it.
    var key: [UInt8] { get }
    /// The rule as the file has it, without its name.
    var fileOctets: [UInt8] { get }
    /// Bits that it sets in the word of the section: see `RuleGroups.Word`.
    var sectionWord: UInt32 { get }
}

/// Writes a section that `RuleGroups` reads.
struct RuleGroupsBuilder<Rule: GroupedRule>: Sendable {
    /// The rules, ascending by key, those of one key by their octets; each once.
    let rules: [Rule]
    /// Names with rules.
    let nameCount: Int

    /// Brings rules into one order whatever order they come in, each once.
    init(_ unordered: consuming [Rule]) {
        var rules = unordered
        rules.sort(by: RuleGroupsBuilder.precedes)
        var kept = 0
        var names = 0
        for index in rules.indices where kept == 0 || rules[index] != rules[kept - 1] {
            if kept == 0 || rules[index].key != rules[kept - 1].key { names += 1 }
            rules.swapAt(index, kept)
            kept += 1
        }
        rules.removeSubrange(kept...)
        self.rules = rules
        nameCount = names
    }

    private static func precedes(_ left: Rule, _ right: Rule) -> Bool {
        if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
        return left.fileOctets.lexicographicallyPrecedes(right.fileOctets)
    }

    /// Appends the section.
    func append(to output: inout SnapshotOutput) throws(CompilationError) {
        output.octets.append(littleEndian: UInt32(nameCount))
        output.octets.append(littleEndian: rules.reduce(0) { $0 | $1.sectionWord })
        // The directory first: each group is measured, then written.
        var offset = 0
        try forEachGroup { range throws(CompilationError) in
            output.octets.append(littleEndian: UInt32(truncatingIfNeeded: offset))
            offset += octets(ofGroup: range).count
            guard offset <= Int(UInt32.max) else { throw .tooMuchText }
            try output.flushWhenFull()
        }
        try forEachGroup { range throws(CompilationError) in
            output.octets.append(contentsOf: octets(ofGroup: range))
            try output.flushWhenFull()
        }
    }

    private func forEachGroup(
        _ body: (Range<Int>) throws(CompilationError) -> Void
    ) throws(CompilationError) {
        var start = 0
        while start < rules.count {
            var end = start + 1
            while end < rules.count, rules[end].key == rules[start].key { end += 1 }
            try body(start..<end)
            start = end
        }
    }

    private func octets(ofGroup range: Range<Int>) -> [UInt8] {
        var octets: [UInt8] = []
        let key = rules[range.lowerBound].key
        octets.append(varint: key.count)
        octets.append(contentsOf: key)
        octets.append(varint: range.count)
        for rule in rules[range] { octets.append(contentsOf: rule.fileOctets) }
        return octets
    }
}
