import DomainNames
import FilterIndex

/// The rules of a policy in the shape in which they are written.
struct CoveredPolicy: Sendable {
    /// The four plain tables, by tier.
    let tables: [CoveredNames]
    /// The other rules.
    let conditional: ConditionalRulesBuilder
    /// The rules on patterns.
    let patterns: PatternRulesBuilder
    /// The rewrites.
    let rewrites: RewriteRulesBuilder
    /// Blocks that are none after all, by list: zones that answer with their own data.
    let answeredZones: [UInt16: Int]
    /// Lists of the policy.
    let listCount: Int
    /// How much may stay in memory.
    let memory: BuildMemory
    /// Runs that were spilled, and merges on the way, while the rules were read.
    let spillCount: Int
    /// Merges on the way while the rules were read.
    let earlyMergeCount: Int

    /// Covers the plain tables; rules that must stay single join the conditional ones.
    /// - Throws: `.scratch`, `.tooManyRulesInMemory`.
    /// - Complexity: O(n log runs) in the names.
    init(
        _ rules: consuming PolicyRules, listNames: [String], progress: (Int, Int) -> Void
    ) throws(CompilationError) {
        try rules.finishRuns()
        _ = try rules.settlePatterns()
        let memory = rules.memory
        let patterns = rules.patterns
        var conditional = rules.enabledConditional
        var values = ValueCount(limit: memory.valuesSize, listNames: listNames)
        for rule in conditional { try values.add(rule.memorySize, of: rule.list) }
        try values.add(patterns.section.count, of: patterns.lastList)
        var rewrites = rules.enabledRewrites
        for rewrite in rewrites { try values.add(rewrite.memorySize, of: rewrite.rule.list) }
        let specificity = try CoveredPolicy.settle(rules, &conditional, &rewrites, &values)
        let own = conditional.filter { $0.answer != .standard }
        var tables: [CoveredNames] = []
        var answeredZones: [UInt16: Int] = [:]
        var looseAllows = NameRun.empty
        var retained = memory.retainedSize
        let total = rules.runs.joined().reduce(0) { $0 + $1.count }
        var done = 0
        for tier in RuleTier.allCases {
            var pass = CoveringPass(
                tier, of: rules, own: own, specificity: specificity, listCount: listNames.count,
                values: values, retainedSize: retained)
            var runs = rules.takeRuns(of: tier)
            if tier == .allow { runs.append(looseAllows) }
            var merge = try NameMerge(runs, memory: memory)
            let covered = try pass.run(&merge) { more in
                done += more
                progress(min(done, total), total)
            }
            if tier == .block { looseAllows = try pass.finishLooseAllows() }
            retained -= covered.run.retainedSize
            answeredZones.merge(pass.answeredZones) { $0 + $1 }
            values = pass.values
            conditional += pass.singles
            tables.append(covered)
        }
        self.tables = tables
        self.conditional = ConditionalRulesBuilder(conditional)
        self.patterns = patterns
        self.rewrites = RewriteRulesBuilder(rewrites)
        self.answeredZones = answeredZones
        listCount = listNames.count
        self.memory = memory
        spillCount = rules.spillCount
        earlyMergeCount = rules.earlyMergeCount
    }

    /// Settles the lists in which the more specific entry wins: see `SpecificityPass`.
    private static func settle(
        _ rules: borrowing PolicyRules, _ conditional: inout [PolicyRule],
        _ rewrites: inout [PolicyRewrite], _ values: inout ValueCount
    ) throws(CompilationError) -> SpecificityPass {
        let settledLists = rules.settledLists
        let hasRewrites = rewrites.contains { settledLists.contains($0.rule.list) }
        guard rules.hasListAllows || hasRewrites else { return SpecificityPass() }
        var merge = try NameMerge(rules.runs[RuleTier.block.rawValue], memory: rules.memory)
        let specificity = try SpecificityPass(
            &merge, conditional: conditional, rewrites: &rewrites, settledLists: settledLists,
            values: &values)
        for index in conditional.indices where !conditional[index].isAllow {
            let rule = conditional[index]
            let more = specificity.exceptions(of: rule.list, atOrBelow: rule.key.span)
            for exception in more { try values.add(exception.memorySize, of: rule.list) }
            conditional[index].add(Array(more))
        }
        for index in rewrites.indices where !rewrites[index].rule.isAllow {
            let rule = rewrites[index].rule
            // On its own name the rewrite wins.
            let more = specificity.exceptions(of: rule.list, atOrBelow: rule.key.span)
                .filter { $0.key.count > rule.key.count }
            for exception in more { try values.add(exception.memorySize, of: rule.list) }
            rewrites[index].rule.add(more)
        }
        return specificity
    }

    /// Names in all tables.
    var nameCount: Int {
        tables.reduce(conditional.nameCount + rewrites.nameCount) { $0 + $1.count }
    }

    /// The names of block kind over all tables, each once, ascending.
    func blockNames() throws(CompilationError) -> NameMerge {
        let runs = [
            tables[RuleTier.block.rawValue].run, tables[RuleTier.importantBlock.rawValue].run,
            try conditional.blockNames(),
        ]
        return try NameMerge(runs, memory: memory)
    }
}
