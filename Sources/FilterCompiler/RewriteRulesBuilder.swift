import FilterIndex

/// Writes the section that `RewriteRules` reads.
struct RewriteRulesBuilder: Sendable {
    private let groups: RuleGroupsBuilder<PolicyRewrite>

    /// Brings rewrites into one order whatever order they come in, each once.
    init(_ rewrites: consuming [PolicyRewrite]) { groups = RuleGroupsBuilder(rewrites) }

    /// Names with rewrites or exceptions to them.
    var nameCount: Int { groups.nameCount }

    /// Appends the section.
    func append(to output: inout SnapshotOutput) throws(CompilationError) {
        try groups.append(to: &output)
    }
}

extension PolicyRewrite: GroupedRule {
    /// The key of its name.
    var key: [UInt8] { rule.key }

    /// The rewrite as the file has it.
    var fileOctets: [UInt8] {
        var octets = rule.fileOctets
        RewriteAnswer.append(answer, to: &octets)
        return octets
    }

    /// What the word of a section of rewrites says of this one.
    var sectionWord: UInt32 {
        rule.isAllow ? rule.sectionWord | RuleGroups.Word.hasExceptions : rule.sectionWord
    }
}
