import FilterIndex

extension PolicyRules {
    /// Writes the tables out as runs when they hold their share of the memory.
    ///
    /// To be called between pieces of text; a piece adds less than the margin of the shares.
    /// - Throws: `.scratch`; `.tooManyRulesInMemory` when rules that stay values outgrow theirs.
    package mutating func spillWhenFull(listName: String) throws(CompilationError) {
        guard valuesSize <= memory.valuesSize else {
            throw .tooManyRulesInMemory(list: listName)
        }
        let used = tables.reduce(0) { $0 + $1.size }
        // The least bound leaves the tables a quarter of their share beside the values.
        guard used >= max(memory.arenaSize - valuesSize, memory.arenaSize / 4) else { return }
        try spill(retainedSize: 0)
        spillCount += 1
    }

    /// Writes what is left in the tables and gives their memory back.
    ///
    /// Rules that were never too many stay in memory, packed.
    mutating func finishRuns() throws(CompilationError) {
        try spill(retainedSize: spillCount == 0 ? memory.retainedSize : 0)
        tables = [NameTable](repeating: NameTable(), count: RuleTier.allCases.count)
    }

    private mutating func spill(retainedSize: Int) throws(CompilationError) {
        var left = retainedSize
        for tier in RuleTier.allCases {
            let number = tier.rawValue
            guard tables[number].size > 0 else { continue }
            var writer = NameRunWriter(directory: scratchDirectory, retainedSize: left)
            try tables[number].write(to: &writer)
            tables[number].removeAll()
            let run = try writer.finish()
            left -= run.retainedSize
            runs[number].append(run)
            if runs[number].count >= memory.fanIn { try mergeEarly(number) }
        }
    }

    /// Merges the runs of a tier into one when they are too many for one merge.
    ///
    /// The oldest run is the merge of those before it. It is left alone until the others together
    /// are as large, so that a name is written a number of times that grows with the logarithm.
    private mutating func mergeEarly(_ tier: Int) throws(CompilationError) {
        var first = runs[tier].count - 1
        var size = runs[tier][first].size
        while first > 0, runs[tier][first - 1].size <= 2 * size || runs[tier].count - first < 2 {
            first -= 1
            size += runs[tier][first].size
        }
        var merge = try NameMerge(Array(runs[tier][first...]), memory: memory)
        var writer = NameRunWriter(directory: scratchDirectory, retainedSize: 0)
        while try merge.next() {
            for record in merge.records { try writer.append(merge.key, record) }
        }
        let merged = try writer.finish()
        runs[tier].removeSubrange(first...)
        runs[tier].append(merged)
        earlyMergeCount += 1
    }

    /// The runs of a tier, which this value then has no more: a run's file goes with its reader.
    mutating func takeRuns(of tier: RuleTier) -> [NameRun] {
        var taken: [NameRun] = []
        swap(&taken, &runs[tier.rawValue])
        return taken
    }

    /// The rules that stay values, without those that `$badfilter` disables.
    var enabledConditional: [PolicyRule] {
        guard !disabled.isEmpty else { return conditional }
        return conditional.filter { rule in
            !listsWithBadFilter.contains(rule.list) || !disabled.contains(rule.withoutList)
        }
    }

    /// The rewrites, without those that `$badfilter` disables.
    var enabledRewrites: [PolicyRewrite] {
        guard !disabledRewrites.isEmpty else { return rewrites }
        return rewrites.filter { rewrite in
            !listsWithBadFilter.contains(rewrite.rule.list)
                || !disabledRewrites.contains(rewrite.withoutList)
        }
    }
}
