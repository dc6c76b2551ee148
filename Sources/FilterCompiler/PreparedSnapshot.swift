import Cryptography
import DomainNames
import FilterIndex
import LinuxSystem
import Quantities

/// A policy whose names are sorted, covered and counted: what is left is to write it.
package struct PreparedSnapshot: Sendable {
    /// The rules.
    let policy: CoveredPolicy
    /// The lists and their counts.
    package let manifest: SnapshotManifest
    /// How the prefilter is made.
    let options: PrefilterOptions
    /// The prefilter, but for a seed that the snapshot id gives.
    let parameters: Prefilter.Parameters

    /// Octets of the prefilter.
    package var prefilterSize: ByteCount {
        ByteCount(Prefilter.Parameters.headerSize + (Int(parameters.bitCount) + 7) / 8)
    }

    /// Octets of the directories of the name indexes and of the patterns, which the daemon holds in
    /// memory as well.
    package var directorySize: ByteCount {
        ByteCount(
            policy.tables.reduce(policy.patterns.section.count) {
                $0 + NameIndex.directorySize(names: $1.count).octets
            })
    }

    /// Runs that were put into files because the memory was full.
    package var spillCount: Int { policy.spillCount }

    /// Merges on the way, because there were too many runs for one.
    package var earlyMergeCount: Int { policy.earlyMergeCount }

    /// The snapshot's octets and facts, in memory.
    package func image() throws(CompilationError) -> (octets: [UInt8], facts: SnapshotFacts) {
        var output = SnapshotOutput(file: nil)
        let facts = try write(to: &output) { _, _ in }
        return (output.octets, facts)
    }

    /// Writes the snapshot into a file that has no name yet.
    /// - Parameter progress: names done, and names in all, those of every pass counted.
    package func write(
        to file: PendingFile, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CompilationError) -> SnapshotFacts {
        var output = SnapshotOutput(file: file)
        return try write(to: &output, progress: progress)
    }

    private func write(
        to output: inout SnapshotOutput, progress: (Int, Int) -> Void
    ) throws(CompilationError) -> SnapshotFacts {
        output.octets.append(contentsOf: PreparedSnapshot.header)
        var sections = SectionRanges()
        let names = policy.nameCount
        let coding = try NameCoding(policy.tables)
        for kind in SectionKind.allCases {
            output.padToEight()
            let start = output.size
            try append(kind, coding, to: &output)
            sections[kind] = start..<output.size
            progress(names * kind.position, names * SectionKind.allCases.count)
        }
        try output.overwrite(table(of: sections, size: output.size).span, at: 0)
        let identity = try SnapshotLayout.identity(
            sections: sections, prefilter: parameters
        ) { range, body throws(CompilationError) in
            try output.read(range, body)
        }
        try output.overwrite(
            PreparedSnapshot.octets(of: identity).span, at: SnapshotLayout.identityOffset)
        var seeded = parameters
        if options.seed == nil { seeded.seed = identity.firstLittleEndian32 }
        try fill(&output, at: sections[.prefilter].lowerBound, seeded)
        let checksum = try SnapshotLayout.checksum(
            size: output.size
        ) { range, body throws(CompilationError) in
            try output.read(range, body)
        }
        try output.overwrite(
            PreparedSnapshot.octets(of: checksum).span, at: SnapshotLayout.checksumOffset)
        progress(names, names)
        return SnapshotFacts(
            identity: identity, sections: sections, size: ByteCount(output.size),
            manifest: manifest, patternCount: policy.patterns.patternCount)
    }

    /// Header and section table with zeros for what is known at the end only.
    private static var header: [UInt8] {
        [UInt8](repeating: 0, count: SnapshotLayout.firstSectionOffset)
    }

    /// Header and section table, without id and checksum.
    private func table(of sections: SectionRanges, size: Int) -> [UInt8] {
        var octets = SnapshotLayout.magic
        octets.append(littleEndian: SnapshotLayout.version)
        octets.append(littleEndian: 0 as UInt32)
        octets.append(littleEndian: UInt64(size))
        octets.append(contentsOf: repeatElement(0, count: 2 * SHA256Digest.size))
        octets.append(littleEndian: UInt32(SectionKind.allCases.count))
        octets.append(littleEndian: 0 as UInt32)
        for kind in SectionKind.allCases {
            octets.append(littleEndian: kind.rawValue)
            octets.append(littleEndian: 0 as UInt32)
            octets.append(littleEndian: UInt64(sections[kind].lowerBound))
            octets.append(littleEndian: UInt64(sections[kind].count))
        }
        return octets
    }

    private func append(
        _ kind: SectionKind, _ coding: NameCoding, to output: inout SnapshotOutput
    ) throws(CompilationError) {
        switch kind {
        case .prefilter: try output.appendHole(prefilterSize.octets)
        case .conditional: try policy.conditional.append(to: &output)
        case .patterns: output.octets.append(contentsOf: policy.patterns.section)
        case .rewrites: try policy.rewrites.append(to: &output)
        case .nameCode: output.octets.append(contentsOf: coding.section)
        case .manifest: manifest.append(to: &output.octets)
        default:
            for tier in RuleTier.allCases {
                let names = policy.tables[tier.rawValue]
                if kind == tier.names {
                    try coding.append(tier, of: policy.tables, to: &output)
                } else if kind == tier.listNumbers {
                    try ListNumbersBuilder(names: names, listCount: policy.listCount)
                        .append(to: &output)
                }
            }
        }
    }

    /// Fills the prefilter, window by window, each by one pass over the names.
    private func fill(
        _ output: inout SnapshotOutput, at start: Int, _ parameters: Prefilter.Parameters
    ) throws(CompilationError) {
        var header: [UInt8] = []
        parameters.appendHeader(to: &header)
        try output.overwrite(header.span, at: start)
        let size = prefilterSize.octets - header.count
        var first = 0
        while first < size {
            var window = [UInt8](
                repeating: 0, count: min(policy.memory.windowSize, size - first))
            var names = try policy.blockNames()
            var name = CanonicalName()
            while try names.next() {
                guard names.key.count > 0 else { continue }
                let isName = IndexKey.read(names.key, into: &name)
                precondition(isName, "the tables hold keys of names")
                PrefilterBuilder.insert(
                    name.text(fromLabel: 0), parameters: parameters, into: &window, from: first)
            }
            try output.overwrite(window.span, at: start + header.count + first)
            first += window.count
        }
    }

    private static func octets(of digest: SHA256Digest) -> [UInt8] {
        digest.octets.indices.map { digest.octets[$0] }
    }
}

/// What is known of a snapshot that was written.
package struct SnapshotFacts: Sendable {
    /// The snapshot id.
    package let identity: SHA256Digest
    /// Where the sections lie.
    package let sections: SectionRanges
    /// Size of the file.
    package let size: ByteCount
    /// The lists and counts.
    package let manifest: SnapshotManifest
    /// Patterns with rules.
    package let patternCount: Int
}

extension SHA256Digest {
    /// The first four octets as a little-endian number: the default seed of the prefilter.
    var firstLittleEndian32: UInt32 {
        var number: UInt32 = 0
        for index in 0..<4 { number |= UInt32(octets[index]) << (8 * UInt32(index)) }
        return number
    }
}
