import Cryptography
import DomainNames
import FilterIndex

/// Lays a policy's rules out as a snapshot.
///
/// Equal rules and lists give equal octets: everything is sorted by its octets, nothing depends on
/// addresses, time, memory or the order of a hash table.
package struct SnapshotBuilder: Sendable {
    /// How the prefilter is made.
    package var prefilter: PrefilterOptions

    /// A builder with these options.
    package init(prefilter: PrefilterOptions = PrefilterOptions()) { self.prefilter = prefilter }

    /// The octets of the file.
    /// - Parameters:
    ///   - rules: the rules of all lists.
    ///   - manifest: the lists; its count of kept names is filled in here.
    /// - Throws: `.tooManyNames`, `.tooManyLists`, `.rateOutOfRange`, those of `prepare`.
    /// - Complexity: O(n log n) in the names.
    package func image(
        of rules: consuming PolicyRules, manifest: SnapshotManifest
    ) throws(CompilationError) -> [UInt8] {
        try prepare(rules, manifest: manifest).image().octets
    }

    /// Sorts and covers the rules: after that all counts are known, and nothing is written yet.
    /// - Parameter progress: names done, and names in all.
    /// - Throws: `CompilationError`.
    package func prepare(
        _ rules: consuming PolicyRules, manifest: SnapshotManifest,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CompilationError) -> PreparedSnapshot {
        let rate = prefilter.falsePositiveRate
        guard rate >= 1e-9, rate <= 0.5 else { throw .rateOutOfRange(rate) }
        let lists = manifest.lists.count
        guard lists <= SnapshotLayout.listLimit else {
            throw .tooManyLists(count: lists, limit: SnapshotLayout.listLimit)
        }
        let policy = try CoveredPolicy(
            rules, listNames: manifest.lists.map(\.name), progress: progress)
        var manifest = manifest
        manifest.namesKept = policy.nameCount
        for (list, count) in policy.answeredZones where Int(list) < lists {
            manifest.lists[Int(list)].blockRules -= count
        }
        return PreparedSnapshot(
            policy: policy, manifest: manifest, options: prefilter,
            parameters: try parameters(for: policy))
    }

    /// The parameters but for a seed that the snapshot id gives.
    private func parameters(
        for policy: CoveredPolicy
    ) throws(CompilationError) -> Prefilter.Parameters {
        var names = try policy.blockNames()
        var count = 0
        var hasRoot = false
        var hasOneLabelNames = false
        while try names.next() {
            if names.key.count == 0 {
                hasRoot = true
            } else {
                count += 1
                hasOneLabelNames = hasOneLabelNames || SnapshotBuilder.isOneLabel(names.key)
            }
        }
        let rate = prefilter.falsePositiveRate
        guard let size = PrefilterBuilder.size(names: count, falsePositiveRate: rate) else {
            throw .tooManyNames(count: count, falsePositiveRate: rate)
        }
        return Prefilter.Parameters(
            order: prefilter.order, isEmpty: count == 0 && !hasRoot,
            hasOneLabelNames: hasOneLabelNames, hasRoot: hasRoot, nameCount: UInt32(count),
            bitCount: size.bitCount, hashCount: size.hashCount, seed: prefilter.seed ?? 0,
            falsePositiveRate: rate)
    }

    private static func isOneLabel(_ key: Span<UInt8>) -> Bool {
        for index in key.indices where key[index] == 0 { return index == key.count - 1 }
        return false
    }
}
