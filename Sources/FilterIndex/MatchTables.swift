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

    /// The decision on a name that passed the prefilter, or that rewrites may be on.
    /// - Parameter mightBlock: whether the prefilter let the name pass.
    func decide(
        _ key: borrowing SearchKey.View, question: RuleGroups.Question, mightBlock: Bool,
        in file: Span<UInt8>
    ) -> (verdict: Verdict, observation: MatchObservation) {
        var candidates = TierCandidates()
        var observation = MatchObservation(prefilterHit: mightBlock)
        if mightBlock {
            collect(importantBlock, for: key, in: file, into: &candidates)
            collect(block, for: key, in: file, into: &candidates)
            conditionalRules(in: file).collect(
                for: key.plain,
                question: .init(facts: question, wantsBlocks: true, wantsAllows: false),
                into: &candidates)
            if !candidates.hasBlock {
                let isNamed = hasBlockName(on: key, in: file)
                observation = MatchObservation(
                    prefilterHit: true, falsePositive: !isNamed, outOfScope: isNamed)
            }
        }
        if hasRewrites, RewriteRules.take(question.type) {
            rewriteRules(in: file).collect(
                for: key.plain, question: question, into: &candidates)
        }
        guard candidates.hasBlock || candidates.hasRewrite else { return (.none, observation) }
        collectAllows(for: key, question: question, in: file, into: &candidates)
        return (candidates.verdict, observation)
    }

    /// What the allow rules say, whether or not a block applies.
    func decideAllow(
        _ key: borrowing SearchKey.View, question: RuleGroups.Question, in file: Span<UInt8>
    ) -> Verdict {
        var candidates = TierCandidates()
        collectAllows(for: key, question: question, in: file, into: &candidates)
        return candidates.allowVerdict
    }

    private func collectAllows(
        for key: borrowing SearchKey.View, question: RuleGroups.Question, in file: Span<UInt8>,
        into candidates: inout TierCandidates
    ) {
        collect(importantAllow, for: key, in: file, into: &candidates)
        collect(allow, for: key, in: file, into: &candidates)
        conditionalRules(in: file).collect(
            for: key.plain,
            question: .init(facts: question, wantsBlocks: false, wantsAllows: true),
            into: &candidates)
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
