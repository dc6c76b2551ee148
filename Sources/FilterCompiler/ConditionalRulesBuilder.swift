import DomainNames
import FilterIndex

/// Writes the section that `ConditionalRules` reads.
struct ConditionalRulesBuilder: Sendable {
    private let groups: RuleGroupsBuilder<PolicyRule>

    /// Brings rules into one order whatever order they come in, each once.
    init(_ rules: consuming [PolicyRule]) { groups = RuleGroupsBuilder(rules) }

    /// Names with rules.
    var nameCount: Int { groups.nameCount }

    /// The names that a rule of block kind is on, ascending.
    func blockNames() throws(CompilationError) -> NameRun {
        var writer = NameRunWriter(directory: "", retainedSize: Int.max)
        for rule in groups.rules where !rule.isAllow {
            try writer.append(rule.key.span, NameRecord(scope: .exact, list: 0))
        }
        return try writer.finish()
    }

    /// Appends the section.
    func append(to output: inout SnapshotOutput) throws(CompilationError) {
        try groups.append(to: &output)
    }
}

extension PolicyRule: GroupedRule {
    /// The rule as the file has it.
    var fileOctets: [UInt8] {
        var octets: [UInt8] = []
        var flags = scope.rawValue | answer.rawValue << RuleGroups.Flag.answerShift
        if isAllow { flags |= RuleGroups.Flag.allow }
        if isImportant { flags |= RuleGroups.Flag.important }
        if typesAreExcluded { flags |= RuleGroups.Flag.typesExcluded }
        if dependsOnOccasion { flags |= RuleGroups.Flag.conditions }
        octets.append(flags)
        octets.append(varint: Int(list))
        octets.append(varint: types.count)
        for type in types { octets.append(littleEndian: type) }
        if dependsOnOccasion { appendConditions(to: &octets) }
        octets.append(varint: exceptions.count)
        for exception in exceptions {
            octets.append(exception.scope.rawValue)
            octets.append(varint: exception.key.count)
            octets.append(contentsOf: exception.key)
        }
        return octets
    }

    /// What the word of a section of such rules says of this one.
    var sectionWord: UInt32 { dependsOnOccasion ? RuleGroups.Word.dependsOnOccasion : 0 }

    private func appendConditions(to octets: inout [UInt8]) {
        octets.append(
            (clients.isEmpty ? 0 : RuleConditions.Flag.clients)
                | (until == nil ? 0 : RuleConditions.Flag.end))
        if !clients.isEmpty {
            octets.append(varint: clients.count)
            for client in clients { octets.append(contentsOf: client.fileOctets) }
        }
        if let end = until { octets.append(varint: Int(end)) }
    }
}
