import DomainNames
import FilterIndex

/// Writes the section that `ConditionalRules` reads.
struct ConditionalRulesBuilder: Sendable {
    /// The rules, ascending by key, those of one key by their octets; each once.
    private let rules: [PolicyRule]
    /// Names with rules.
    let nameCount: Int

    /// Brings rules into one order whatever order they come in, each once.
    init(_ unordered: consuming [PolicyRule]) {
        var rules = unordered
        rules.sort(by: ConditionalRulesBuilder.precedes)
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

    private static func precedes(_ left: PolicyRule, _ right: PolicyRule) -> Bool {
        if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
        return octets(of: left).lexicographicallyPrecedes(octets(of: right))
    }

    /// The names that a rule of block kind is on, ascending.
    func blockNames() throws(CompilationError) -> NameRun {
        var writer = NameRunWriter(directory: "", retainedSize: Int.max)
        for rule in rules where !rule.isAllow {
            try writer.append(rule.key.span, NameRecord(scope: .exact, list: 0))
        }
        return try writer.finish()
    }

    /// Appends the section.
    func append(to output: inout SnapshotOutput) throws(CompilationError) {
        output.octets.append(littleEndian: UInt32(nameCount))
        let dependsOnOccasion = rules.contains(where: \.dependsOnOccasion)
        output.octets.append(
            littleEndian: dependsOnOccasion ? ConditionalRules.dependsOnOccasion : 0)
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
        for rule in rules[range] {
            octets.append(contentsOf: ConditionalRulesBuilder.octets(of: rule))
        }
        return octets
    }

    private static func octets(of rule: PolicyRule) -> [UInt8] {
        var octets: [UInt8] = []
        var flags = rule.scope.rawValue | rule.answer.rawValue << ConditionalRules.Flag.answerShift
        if rule.isAllow { flags |= ConditionalRules.Flag.allow }
        if rule.isImportant { flags |= ConditionalRules.Flag.important }
        if rule.typesAreExcluded { flags |= ConditionalRules.Flag.typesExcluded }
        if rule.dependsOnOccasion { flags |= ConditionalRules.Flag.conditions }
        octets.append(flags)
        octets.append(varint: Int(rule.list))
        octets.append(varint: rule.types.count)
        for type in rule.types { octets.append(littleEndian: type) }
        if rule.dependsOnOccasion { append(conditionsOf: rule, to: &octets) }
        octets.append(varint: rule.exceptions.count)
        for exception in rule.exceptions {
            octets.append(exception.scope.rawValue)
            octets.append(varint: exception.key.count)
            octets.append(contentsOf: exception.key)
        }
        return octets
    }

    private static func append(conditionsOf rule: PolicyRule, to octets: inout [UInt8]) {
        octets.append(
            (rule.clients.isEmpty ? 0 : RuleConditions.Flag.clients)
                | (rule.until == nil ? 0 : RuleConditions.Flag.end))
        if !rule.clients.isEmpty {
            octets.append(varint: rule.clients.count)
            for client in rule.clients { octets.append(contentsOf: client.fileOctets) }
        }
        if let end = rule.until { octets.append(varint: Int(end)) }
    }
}
