import FilterIndex

/// Writes the section that `RewriteRules` reads.
struct RewriteRulesBuilder {
    private let groups: RuleGroupsBuilder

    /// Groups rewrites by name, each once, in one order whatever order they come in.
    init(_ rewrites: [PolicyRewrite]) {
        var word: UInt32 = 0
        var rules: [(key: [UInt8], octets: [UInt8])] = []
        for rewrite in rewrites {
            if rewrite.rule.isAllow { word |= RuleGroups.Word.hasExceptions }
            if rewrite.rule.dependsOnOccasion { word |= RuleGroups.Word.dependsOnOccasion }
            var octets = ConditionalRulesBuilder.octets(of: rewrite.rule)
            RewriteAnswer.append(rewrite.answer, to: &octets)
            rules.append((rewrite.rule.key, octets))
        }
        groups = RuleGroupsBuilder(rules, word: word)
    }

    /// Names with rewrites or exceptions to them.
    var nameCount: Int { groups.nameCount }

    /// Appends the section.
    func append(to image: inout [UInt8]) { groups.append(to: &image) }
}
