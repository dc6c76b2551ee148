import DomainNames
import LinuxSystem

extension Snapshot {
    /// Whether a rule of block kind may be on `name` or above it; `false` is certain.
    /// - Complexity: O(octets × labels); no allocation.
    package func prefilterMightMatch(_ name: borrowing CanonicalName) -> Bool {
        let mapped = file
        return contents.prefilterMightMatch(name, in: mapped.bytes)
    }

    /// The decision on a question: prefilter first, then the exact tables.
    ///
    /// Important allow, important block, allow, block, in this order; inside a tier the longest name
    /// decides. Allow rules are looked up only when a block applies, so a name without a block is
    /// `.none`, listed as allowed or not: ask `allowVerdict` for that.
    /// - Parameter scratch: room to work in; holds what the prefilter did afterwards.
    /// - Complexity: for a name that the prefilter turns away, O(octets × labels). Else O(log names)
    ///   key comparisons for each table asked. No allocation.
    package func match(
        _ name: borrowing CanonicalName, type: UInt16, into scratch: inout MatchScratch
    ) -> Verdict {
        let mapped = file
        return contents.match(name, type: type, in: mapped.bytes, scratch: &scratch)
    }

    /// What the allow rules say of a question, whether or not a block applies: `.allowed` or `.none`.
    ///
    /// For decisions that an allow rule settles outside the filter: special-use names, aliases of
    /// an allowed name, and lists that are confirmed elsewhere.
    /// - Complexity: O(log names) key comparisons for each of three tables; no allocation.
    package func allowVerdict(
        _ name: borrowing CanonicalName, type: UInt16, into scratch: inout MatchScratch
    ) -> Verdict {
        scratch.key.assign(name)
        var candidates = TierCandidates()
        let mapped = file
        contents.collectAllows(
            for: scratch.key, type: type, in: mapped.bytes, into: &candidates)
        return candidates.allowVerdict
    }
}

/// Matching in the octets of the file that the contents describe.
extension SnapshotContents {
    func prefilterMightMatch(_ name: borrowing CanonicalName, in file: Span<UInt8>) -> Bool {
        Prefilter(section(.prefilter, of: file), parameters: prefilter).mightMatch(name)
    }

    func match(
        _ name: borrowing CanonicalName, type: UInt16, in file: Span<UInt8>,
        scratch: inout MatchScratch
    ) -> Verdict {
        guard prefilterMightMatch(name, in: file) else {
            scratch.observation = MatchObservation(prefilterHit: false)
            return .none
        }
        scratch.key.assign(name)
        var candidates = TierCandidates()
        collect(.importantBlock, for: scratch.key, in: file, into: &candidates)
        collect(.block, for: scratch.key, in: file, into: &candidates)
        ConditionalRules(section(.conditional, of: file)).collect(
            for: scratch.key,
            question: .init(type: type, wantsBlocks: true, wantsAllows: false),
            into: &candidates)
        guard candidates.hasBlock else {
            let isNamed = hasBlockName(on: scratch.key, in: file)
            scratch.observation = MatchObservation(
                prefilterHit: true, falsePositive: !isNamed, outOfScope: isNamed)
            return .none
        }
        scratch.observation = MatchObservation(prefilterHit: true)
        collectAllows(for: scratch.key, type: type, in: file, into: &candidates)
        return candidates.verdict
    }

    func collectAllows(
        for key: borrowing IndexKey, type: UInt16, in file: Span<UInt8>,
        into candidates: inout TierCandidates
    ) {
        collect(.importantAllow, for: key, in: file, into: &candidates)
        collect(.allow, for: key, in: file, into: &candidates)
        ConditionalRules(section(.conditional, of: file)).collect(
            for: key, question: .init(type: type, wantsBlocks: false, wantsAllows: true),
            into: &candidates)
    }

    private func collect(
        _ tier: RuleTier, for key: borrowing IndexKey, in file: Span<UInt8>,
        into candidates: inout TierCandidates
    ) {
        let shape = shape(of: tier)
        guard shape.entryCount > 0 else { return }
        let index = NameIndex(section(tier.names, of: file), shape: shape)
        guard let hit = index.find(covering: key.octets) else { return }
        let numbers = ListNumbers(section(tier.listNumbers, of: file), listCount: listCount)
        let list = numbers.list(rank: hit.rank, isOwnName: hit.keySize == key.count)
        candidates.offer(
            .init(keySize: hit.keySize, scope: hit.scope, list: list, answer: .standard),
            isAllow: tier.isAllow, isImportant: tier.isImportant)
    }

    /// Whether the name or one above it is in the index as a name of block kind.
    private func hasBlockName(on key: borrowing IndexKey, in file: Span<UInt8>) -> Bool {
        let block = NameIndex(section(.block, of: file), shape: shape(of: .block))
        let important = NameIndex(
            section(.importantBlock, of: file), shape: shape(of: .importantBlock))
        let rules = ConditionalRules(section(.conditional, of: file))
        var labels = 0
        while labels <= key.labelCount {
            let name = key.octets(ofLastLabels: labels)
            if block.find(named: name) != nil || important.find(named: name) != nil
                || rules.hasBlock(named: name)
            {
                return true
            }
            labels += 1
        }
        return false
    }
}
