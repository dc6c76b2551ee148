import DomainNames
import FilterIndex

/// Writes the section that `ConditionalRules` reads.
struct ConditionalRulesBuilder {
    private let groups: [Group]

    /// The rules of one name.
    private struct Group {
        let key: [UInt8]
        let rules: [PolicyRule]
    }

    /// Groups rules by name, each rule once, in one order whatever order they come in.
    init(_ rules: [PolicyRule]) {
        var byKey: [[UInt8]: Set<PolicyRule>] = [:]
        for rule in rules { byKey[rule.key, default: []].insert(rule) }
        groups = byKey.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, rules in
            let encoded = rules.map { (rule: $0, octets: ConditionalRulesBuilder.octets(of: $0)) }
            let ordered = encoded.sorted { $0.octets.lexicographicallyPrecedes($1.octets) }
            return Group(key: key, rules: ordered.map(\.rule))
        }
    }

    /// Names with rules.
    var nameCount: Int { groups.count }

    /// The names that a rule of block kind is on, ascending by key.
    var blockNames: NameTable {
        var names = NameTable()
        for group in groups where group.rules.contains(where: { !$0.isAllow }) {
            names.append(key: group.key.span, scope: .exact, list: 0)
        }
        return names
    }

    /// Appends the section.
    func append(to image: inout [UInt8]) {
        image.append(littleEndian: UInt32(groups.count))
        let dependsOnOccasion = groups.contains { $0.rules.contains(where: \.dependsOnOccasion) }
        image.append(littleEndian: dependsOnOccasion ? ConditionalRules.dependsOnOccasion : 0)
        let directory = image.count
        for _ in groups { image.append(littleEndian: 0 as UInt32) }
        let start = image.count
        for (index, group) in groups.enumerated() {
            image.set(UInt32(image.count - start), at: directory + 4 * index)
            image.append(varint: group.key.count)
            image.append(contentsOf: group.key)
            image.append(varint: group.rules.count)
            for rule in group.rules {
                image.append(contentsOf: ConditionalRulesBuilder.octets(of: rule))
            }
        }
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
