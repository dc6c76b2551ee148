import Cryptography
import DomainNames
import FilterIndex

/// Lays a policy's rules out as a snapshot file.
///
/// Equal rules and lists give equal octets: everything is sorted by its octets, nothing depends on
/// addresses, time or the order of a hash table.
package struct SnapshotBuilder {
    /// How the prefilter is made.
    package var prefilter: PrefilterOptions

    /// A builder with these options.
    package init(prefilter: PrefilterOptions = PrefilterOptions()) { self.prefilter = prefilter }

    /// The octets of the file.
    /// - Parameters:
    ///   - rules: the rules of all lists.
    ///   - manifest: the lists; its count of kept names is filled in here.
    /// - Throws: `.tooManyNames`, `.tooManyLists`, `.rateOutOfRange`.
    /// - Complexity: O(n log n) in the names.
    package func image(
        of rules: consuming PolicyRules, manifest: SnapshotManifest
    ) throws(CompilationError) -> [UInt8] {
        let rate = prefilter.falsePositiveRate
        guard rate >= 1e-9, rate <= 0.5 else { throw .rateOutOfRange(rate) }
        guard manifest.lists.count <= SnapshotLayout.listLimit else {
            throw .tooManyLists(count: manifest.lists.count, limit: SnapshotLayout.listLimit)
        }
        let policy = CoveredPolicy(rules, listCount: manifest.lists.count)
        var manifest = manifest
        manifest.namesKept = policy.nameCount
        let parameters = try parameters(for: policy.blockNames)
        var image = SnapshotBuilder.header
        var sections = SectionRanges()
        for kind in SectionKind.allCases {
            image.padToEight()
            let start = image.count
            append(kind, of: policy, manifest, parameters, to: &image)
            sections[kind] = start..<image.count
        }
        complete(&image, sections, parameters, policy.blockNames)
        return image
    }

    /// The header with zeros for what is known at the end only.
    private static var header: [UInt8] {
        var image = SnapshotLayout.magic
        image.append(littleEndian: SnapshotLayout.version)
        image.append(contentsOf: [UInt8](repeating: 0, count: SnapshotLayout.firstSectionOffset))
        image.removeSubrange(SnapshotLayout.firstSectionOffset...)
        image.set(
            UInt32(SectionKind.allCases.count), at: SnapshotLayout.sectionCountOffset)
        return image
    }

    private func append(
        _ kind: SectionKind, of policy: borrowing CoveredPolicy, _ manifest: SnapshotManifest,
        _ parameters: Prefilter.Parameters, to image: inout [UInt8]
    ) {
        switch kind {
        case .prefilter:
            parameters.appendHeader(to: &image)
            let size = (Int(parameters.bitCount) + 7) / 8
            image.append(contentsOf: repeatElement(0, count: size))
        case .conditional: policy.conditional.append(to: &image)
        case .manifest: manifest.append(to: &image)
        case .rewrites: policy.rewrites.append(to: &image)
        default:
            for tier in RuleTier.allCases {
                let covered = policy.tables[tier.rawValue]
                if kind == tier.names {
                    NameIndexBuilder(table: covered.table).append(to: &image)
                } else if kind == tier.listNumbers {
                    ListNumbersBuilder(covered: covered, listCount: policy.listCount)
                        .append(to: &image)
                }
            }
        }
    }

    /// The parameters but for a seed that the snapshot id gives.
    private func parameters(
        for names: BlockNames
    ) throws(CompilationError) -> Prefilter.Parameters {
        var count = 0
        var hasRoot = false
        var hasOneLabelNames = false
        names.forEach { key in
            if key.count == 0 {
                hasRoot = true
            } else {
                count += 1
                hasOneLabelNames = hasOneLabelNames || SnapshotBuilder.isOneLabel(key)
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

    /// Fills in the section table, the id, the prefilter and, last, the checksum.
    private func complete(
        _ image: inout [UInt8], _ sections: SectionRanges, _ parameters: Prefilter.Parameters,
        _ names: BlockNames
    ) {
        image.set(UInt64(image.count), at: SnapshotLayout.fileSizeOffset)
        for kind in SectionKind.allCases {
            let entry = SnapshotLayout.tableOffset + SnapshotLayout.tableEntrySize * kind.position
            image.set(kind.rawValue, at: entry)
            image.set(UInt64(sections[kind].lowerBound), at: entry + 8)
            image.set(UInt64(sections[kind].count), at: entry + 16)
        }
        let identity = SnapshotLayout.identity(
            of: image.span, sections: sections, prefilter: parameters)
        image.set(identity, at: SnapshotLayout.identityOffset)
        var seeded = parameters
        if prefilter.seed == nil { seeded.seed = identity.firstLittleEndian32 }
        fill(&image, at: sections[.prefilter].lowerBound, seeded, names)
        image.set(
            SnapshotLayout.checksum(of: image.span), at: SnapshotLayout.checksumOffset)
    }

    private func fill(
        _ image: inout [UInt8], at start: Int, _ parameters: Prefilter.Parameters,
        _ names: BlockNames
    ) {
        var header: [UInt8] = []
        parameters.appendHeader(to: &header)
        image.replaceSubrange(start..<(start + header.count), with: header)
        guard parameters.bitCount > 0 else { return }
        let bits = start + Prefilter.Parameters.headerSize
        var name = CanonicalName()
        names.forEach { key in
            guard key.count > 0 else { return }
            let isName = IndexKey.read(key, into: &name)
            precondition(isName, "the tables hold keys of names")
            PrefilterBuilder.insert(
                name.text(fromLabel: 0), parameters: parameters, into: &image, at: bits)
        }
    }
}

extension SHA256Digest {
    /// The first four octets as a little-endian number: the default seed of the prefilter.
    var firstLittleEndian32: UInt32 {
        var number: UInt32 = 0
        for index in 0..<4 { number |= UInt32(octets[index]) << (8 * UInt32(index)) }
        return number
    }
}

extension Array where Element == UInt8 {
    /// Writes a digest over what stands at `offset`.
    fileprivate mutating func set(_ digest: SHA256Digest, at offset: Int) {
        for index in digest.octets.indices { self[offset + index] = digest.octets[index] }
    }
}

/// The rules of a policy in the shape in which they are written.
struct CoveredPolicy {
    /// The four plain tables, by tier.
    var tables: [CoveredTable]
    /// The other rules.
    let conditional: ConditionalRulesBuilder
    /// The rewrites.
    let rewrites: RewriteRulesBuilder
    /// Lists of the policy.
    let listCount: Int

    /// Covers the plain tables; rules that must stay single join the conditional ones.
    init(_ rules: consuming PolicyRules, listCount: Int) {
        self.listCount = listCount
        let disabled = rules.disabled
        let badFilterLists = rules.listsWithBadFilter
        var conditional = rules.conditional.filter { rule in
            disabled.isEmpty || !badFilterLists.contains(rule.list)
                || !disabled.contains(rule.withoutList)
        }
        let disabledRewrites = rules.disabledRewrites
        rewrites = RewriteRulesBuilder(
            rules.rewrites.filter { rewrite in
                disabledRewrites.isEmpty || !badFilterLists.contains(rewrite.rule.list)
                    || !disabledRewrites.contains(rewrite.withoutList)
            })
        let own = conditional.filter { $0.answer != .standard }
        var tables: [CoveredTable] = []
        for tier in RuleTier.allCases {
            var pass = CoveringPass(listCount: listCount)
            pass.separateKeys = CoveredPolicy.topmost(own.filter { $0.tier == tier }.map(\.key))
            pass.listsWithBadFilter = badFilterLists
            for rule in disabled where rule.isPlain && rule.tier == tier {
                pass.disabled.insert(.init(key: rule.key, scope: rule.scope))
            }
            var table = NameTable()
            swap(&table, &rules.tables[tier.rawValue])
            let keys = table.keys
            let (covered, separate) = pass.run(table)
            tables.append(covered)
            for entry in separate {
                conditional.append(
                    PolicyRule(
                        key: Array(keys[entry.range]), scope: entry.scope, isAllow: tier.isAllow,
                        isImportant: tier.isImportant, list: entry.list))
            }
        }
        self.tables = tables
        self.conditional = ConditionalRulesBuilder(conditional)
    }

    /// Names in all tables.
    var nameCount: Int {
        tables.reduce(conditional.nameCount + rewrites.nameCount) { $0 + $1.table.entries.count }
    }

    /// The names of block kind.
    var blockNames: BlockNames {
        BlockNames(
            block: tables[RuleTier.block.rawValue].table,
            importantBlock: tables[RuleTier.importantBlock.rawValue].table,
            conditional: conditional.blockNames)
    }

    /// Those of the keys that lie below no other of them, ascending, each once.
    private static func topmost(_ keys: [[UInt8]]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if let last = result.last, key.starts(with: last) { continue }
            result.append(key)
        }
        return result
    }
}
