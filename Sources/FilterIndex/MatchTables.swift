import DomainNames

/// Where in the file each table lies that a match asks: plain fields, so that the query path reads
/// them one by one. Not copyable, so that no call moves all of them.
struct MatchTables: ~Copyable, Sendable {
    /// The table of one tier.
    struct Tier: Sendable {
        /// Which tier it is.
        let tier: RuleTier
        /// The section of its names.
        let names: Range<Int>
        /// What the header of that section says.
        let shape: NameIndex.Shape
        /// The section of its list numbers.
        let listNumbers: Range<Int>

        /// The table of `tier` in a file of these contents.
        init(_ tier: RuleTier, of contents: SnapshotContents) {
            self.tier = tier
            names = contents.sections[tier.names]
            shape = contents.shape(of: tier)
            listNumbers = contents.sections[tier.listNumbers]
        }
    }

    /// Blocked names.
    let block: Tier
    /// Allowed names.
    let allow: Tier
    /// Names blocked by important rules.
    let importantBlock: Tier
    /// Names allowed by important rules.
    let importantAllow: Tier
    private let conditional: Range<Int>
    private let patterns: Range<Int>
    private let patternShape: PatternRules.Shape
    private let prefilter: Range<Int>
    private let prefilterParameters: Prefilter.Parameters
    private let listCount: Int
    /// How the names of the indexes are written.
    let nameCode: NameCode
    private let rewrites: Range<Int>
    /// Whether there are rewrites at all.
    let hasRewrites: Bool

    /// The tables of a file of these contents.
    init(_ contents: SnapshotContents) {
        block = Tier(.block, of: contents)
        allow = Tier(.allow, of: contents)
        importantBlock = Tier(.importantBlock, of: contents)
        importantAllow = Tier(.importantAllow, of: contents)
        conditional = contents.sections[.conditional]
        patterns = contents.sections[.patterns]
        patternShape = contents.patterns
        prefilter = contents.sections[.prefilter]
        prefilterParameters = contents.prefilter
        listCount = contents.manifest.lists.count
        nameCode = contents.nameCode
        rewrites = contents.sections[.rewrites]
        hasRewrites = contents.rewriteNameCount > 0
    }

    /// The index of a tier.
    @_lifetime(copy file, borrow self)
    func index(of tier: Tier, in file: Span<UInt8>) -> NameIndex {
        NameIndex(file.extracting(tier.names), shape: tier.shape, code: nameCode)
    }

    /// The conditional rules.
    @_lifetime(copy file)
    func conditionalRules(in file: Span<UInt8>) -> ConditionalRules {
        ConditionalRules(file.extracting(conditional))
    }

    /// The rules on patterns.
    @_lifetime(copy file)
    func patternRules(in file: Span<UInt8>) -> PatternRules {
        PatternRules(file.extracting(patterns), shape: patternShape)
    }

    /// The second gate beside the prefilter: whether a pattern of block kind is found in the text
    /// of a name.
    func findsBlockPattern(in text: Span<UInt8>, file: Span<UInt8>) -> Bool {
        PatternRules.findsBlock(in: text, section: file.extracting(patterns), shape: patternShape)
    }

    /// The rewrites.
    @_lifetime(copy file)
    func rewriteRules(in file: Span<UInt8>) -> RewriteRules {
        RewriteRules(file.extracting(rewrites))
    }

    /// See `Prefilter.mightMatch`.
    func prefilterMightMatch(wire: Span<UInt8>, text: Span<UInt8>, in file: Span<UInt8>) -> Bool {
        Prefilter(file.extracting(prefilter), parameters: prefilterParameters)
            .mightMatch(wire: wire, text: text)
    }

    /// The decision on a name that passed one of the gates, or that rewrites may be on.
    /// - Parameters:
    ///   - text: the name's text, which patterns are searched in.
    ///   - gates: which gates it passed: a name that the prefilter turned away has no block rule.
    func decide(
        _ key: borrowing SearchKey.View, text: Span<UInt8>, question: RuleGroups.Question,
        gates: Gates, in file: Span<UInt8>
    ) -> (verdict: Verdict, observation: MatchObservation) {
        var candidates = TierCandidates()
        let blocks = ConditionalRules.Question(
            facts: question, wantsBlocks: true, wantsAllows: false)
        var observation = MatchObservation(prefilterHit: gates.prefilter)
        if gates.prefilter {
            collect(importantBlock, for: key, in: file, into: &candidates)
            collect(block, for: key, in: file, into: &candidates)
            conditionalRules(in: file)
                .collect(for: key.plain, question: blocks, into: &candidates)
            if !candidates.hasBlock {
                let isNamed = hasBlockName(on: key, in: file)
                observation = MatchObservation(
                    prefilterHit: true, falsePositive: !isNamed, outOfScope: isNamed)
            }
        }
        if gates.pattern {
            patternRules(in: file)
                .collect(for: key.plain, text: text, question: blocks, into: &candidates)
        }
        if hasRewrites, RewriteRules.take(question.type) {
            rewriteRules(in: file).collect(
                for: key.plain, question: question, into: &candidates)
        }
        guard candidates.hasBlock || candidates.hasRewrite else { return (.none, observation) }
        collectAllows(for: key, text: text, question: question, in: file, into: &candidates)
        return (candidates.verdict, observation)
    }

    /// The gates that a name passed.
    struct Gates {
        /// A rule of block kind may be on the name or above it.
        let prefilter: Bool
        /// A pattern of block kind is found in the name.
        let pattern: Bool
    }

    /// What the allow rules say, whether or not a block applies.
    func decideAllow(
        _ key: borrowing SearchKey.View, text: Span<UInt8>, question: RuleGroups.Question,
        in file: Span<UInt8>
    ) -> Verdict {
        var candidates = TierCandidates()
        collectAllows(for: key, text: text, question: question, in: file, into: &candidates)
        return candidates.allowVerdict
    }

    private func collectAllows(
        for key: borrowing SearchKey.View, text: Span<UInt8>, question: RuleGroups.Question,
        in file: Span<UInt8>,
        into candidates: inout TierCandidates
    ) {
        let allows = ConditionalRules.Question(
            facts: question, wantsBlocks: false, wantsAllows: true)
        collect(importantAllow, for: key, in: file, into: &candidates)
        collect(allow, for: key, in: file, into: &candidates)
        conditionalRules(in: file).collect(for: key.plain, question: allows, into: &candidates)
        guard patternShape.allowAutomata > 0 else { return }
        patternRules(in: file)
            .collect(for: key.plain, text: text, question: allows, into: &candidates)
    }

    private func collect(
        _ table: Tier, for key: borrowing SearchKey.View, in file: Span<UInt8>,
        into candidates: inout TierCandidates
    ) {
        guard table.shape.entryCount > 0 else { return }
        guard let hit = index(of: table, in: file).find(covering: key.coded) else { return }
        let numbers = ListNumbers(file.extracting(table.listNumbers), listCount: listCount)
        let list = numbers.list(rank: hit.rank, isOwnName: hit.labels == key.coded.labelCount)
        let keySize = key.plain.octets(ofLastLabels: hit.labels).count
        candidates.offer(
            .init(keySize: keySize, scope: hit.scope, list: list, answer: .standard),
            isAllow: table.tier.isAllow, isImportant: table.tier.isImportant)
    }

    /// Whether the name or one above it is in the index as a name of block kind.
    private func hasBlockName(on key: borrowing SearchKey.View, in file: Span<UInt8>) -> Bool {
        let plain = index(of: block, in: file)
        let important = index(of: importantBlock, in: file)
        let rules = conditionalRules(in: file)
        var labels = 0
        while labels <= key.coded.labelCount {
            if plain.find(named: key.coded, labels: labels) != nil { return true }
            if important.find(named: key.coded, labels: labels) != nil { return true }
            if rules.hasBlock(named: key.plain.octets(ofLastLabels: labels)) { return true }
            labels += 1
        }
        return false
    }
}
