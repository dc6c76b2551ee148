import DomainNames
import FilterIndex

/// Writes the section that `ConditionalRules` reads.
struct ConditionalRulesBuilder {
    private let groups: RuleGroupsBuilder
    /// The names that a rule of block kind is on, ascending by key.
    let blockNames: NameTable

    /// Groups rules by name, each rule once, in one order whatever order they come in.
    init(_ rules: [PolicyRule]) {
        let dependsOnOccasion = rules.contains(where: \.dependsOnOccasion)
        groups = RuleGroupsBuilder(
            rules.map { (key: $0.key, octets: ConditionalRulesBuilder.octets(of: $0)) },
            word: dependsOnOccasion ? RuleGroups.Word.dependsOnOccasion : 0)
        let keys = Set(rules.filter { !$0.isAllow }.map(\.key))
        var names = NameTable()
        for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            names.append(key: key.span, scope: .exact, list: 0)
        }
        blockNames = names
    }

    /// Names with rules.
    var nameCount: Int { groups.nameCount }

    /// Appends the section.
    func append(to image: inout [UInt8]) { groups.append(to: &image) }

    /// A rule as the file has it.
    static func octets(of rule: PolicyRule) -> [UInt8] {
        var octets: [UInt8] = []
        var flags = rule.scope.rawValue | rule.answer.rawValue << RuleGroups.Flag.answerShift
        if rule.isAllow { flags |= RuleGroups.Flag.allow }
        if rule.isImportant { flags |= RuleGroups.Flag.important }
        if rule.typesAreExcluded { flags |= RuleGroups.Flag.typesExcluded }
        if rule.dependsOnOccasion { flags |= RuleGroups.Flag.conditions }
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
