import Cryptography
import Quantities

/// What a verified snapshot file holds, and where.
package struct SnapshotContents: Sendable {
    /// Where the sections lie.
    package let sections: SectionRanges
    /// The snapshot id.
    package let identity: SHA256Digest
    /// The prefilter's parameters.
    package let prefilter: Prefilter.Parameters
    /// The lists and counts.
    package let manifest: SnapshotManifest
    /// How the names of the indexes are written.
    let nameCode: NameCode
    /// Shapes of the four indexes, by tier.
    let indexes: InlineArray<4, NameIndex.Shape>
    /// Names with conditional rules.
    package let conditionalNameCount: Int
    /// Names with rewrites.
    package let rewriteNameCount: Int
    /// Whether a rule has clients or an end.
    package let dependsOnOccasion: Bool
    /// Where the parts of the patterns lie.
    package let patterns: PatternRules.Shape

    /// The shape of a tier's index.
    package func shape(of tier: RuleTier) -> NameIndex.Shape { indexes[tier.rawValue] }

    /// Where the directories of the name indexes and the patterns lie in the file, ascending.
    var directoryRanges: [Range<Int>] {
        let directories = RuleTier.allCases.map { tier in
            let start = sections[tier.names].lowerBound
            let range = shape(of: tier).directory
            return (start + range.lowerBound)..<(start + range.upperBound)
        }
        return directories + [sections[.patterns]]
    }

    /// Octets of the directories of the name indexes and of the patterns, which look-ups keep in
    /// memory.
    package var directorySize: ByteCount {
        ByteCount(directoryRanges.reduce(0) { $0 + $1.count })
    }

    /// Verifies a file's octets: magic, version, size, checksum, section table, section headers.
    ///
    /// The checksum is looked at before anything it covers is believed. What passes is read with
    /// bounds checked all the same, so that a file made to lie misleads but harms nothing.
    /// - Parameter path: named in errors.
    /// - Complexity: O(octets) for the checksum.
    package init(verifying file: Span<UInt8>, path: String) throws(SnapshotError) {
        try SnapshotContents.verifySize(of: file, path: path)
        try self.init(verifying: file, checksum: SnapshotLayout.checksum(of: file), path: path)
    }

    /// Verifies a file of the right size whose checksum was computed.
    init(
        verifying file: Span<UInt8>, checksum: SHA256Digest, path: String
    ) throws(SnapshotError) {
        let stated = SnapshotLayout.checksumOffset..<SnapshotLayout.sectionCountOffset
        guard SHA256Digest(file.extracting(stated)) == checksum else {
            throw .checksumDiffers(path: path)
        }
        guard file.littleEndian32(at: SnapshotLayout.flagsOffset) == 0 else {
            throw .malformedHeader(path: path)
        }
        let sections = try SnapshotContents.sections(of: file, path: path)
        self.sections = sections
        let range = SnapshotLayout.identityOffset..<SnapshotLayout.checksumOffset
        guard let identity = SHA256Digest(file.extracting(range)) else {
            throw .malformedHeader(path: path)
        }
        self.identity = identity
        let prefilterSection = file.extracting(sections[.prefilter])
        guard let prefilter = Prefilter.Parameters(prefilterSection) else {
            throw .malformedSection(path: path, kind: .prefilter)
        }
        self.prefilter = prefilter
        guard let manifest = SnapshotManifest(file.extracting(sections[.manifest])) else {
            throw .malformedSection(path: path, kind: .manifest)
        }
        self.manifest = manifest
        let conditional = file.extracting(sections[.conditional])
        let dependence = RuleGroups.Word.dependsOnOccasion
        guard let rules = RuleGroups.header(of: conditional, allowing: dependence) else {
            throw .malformedSection(path: path, kind: .conditional)
        }
        guard let nameCode = NameCode(file.extracting(sections[.nameCode])) else {
            throw .malformedSection(path: path, kind: .nameCode)
        }
        self.nameCode = nameCode
        let patternSection = file.extracting(sections[.patterns])
        guard let patterns = PatternRules.Shape(patternSection),
            let patternWord = PatternRules(patternSection, shape: patterns).verifiedWord()
        else { throw .malformedSection(path: path, kind: .patterns) }
        self.patterns = patterns
        guard
            let rewrites = RuleGroups.header(
                of: file.extracting(sections[.rewrites]),
                allowing: dependence | RuleGroups.Word.hasExceptions)
        else { throw .malformedSection(path: path, kind: .rewrites) }
        conditionalNameCount = rules.names
        rewriteNameCount = rewrites.names
        dependsOnOccasion = (rules.word | patternWord | rewrites.word) & dependence != 0
        indexes = [
            try SnapshotContents.shape(of: .block, in: file, sections, path: path),
            try SnapshotContents.shape(of: .allow, in: file, sections, path: path),
            try SnapshotContents.shape(of: .importantBlock, in: file, sections, path: path),
            try SnapshotContents.shape(of: .importantAllow, in: file, sections, path: path),
        ]
    }

    /// Verifies magic, version and size, so that there is something to compute a checksum of.
    static func verifySize(of file: Span<UInt8>, path: String) throws(SnapshotError) {
        let magic = SnapshotLayout.magic
        let shared = file.sharedPrefix(with: magic.span)
        guard shared == min(magic.count, file.count), file.count > 0 else {
            throw .notASnapshot(path: path)
        }
        guard let version = file.littleEndian32(at: SnapshotLayout.versionOffset),
            let size = file.littleEndian64(at: SnapshotLayout.fileSizeOffset)
        else {
            throw .truncated(
                path: path, size: file.count, expected: UInt64(SnapshotLayout.firstSectionOffset))
        }
        guard version == SnapshotLayout.version else {
            throw .unsupportedVersion(
                path: path, found: version, supported: SnapshotLayout.version)
        }
        guard UInt64(file.count) >= size else {
            throw .truncated(path: path, size: file.count, expected: size)
        }
        guard UInt64(file.count) == size else {
            throw .overlong(path: path, size: file.count, expected: size)
        }
        guard file.count >= SnapshotLayout.firstSectionOffset else {
            throw .malformedHeader(path: path)
        }
    }

    /// Reads the section table: every kind once, in order, each section at the first multiple of 8
    /// after the one before, the last one ending the file.
    private static func sections(
        of file: Span<UInt8>, path: String
    ) throws(SnapshotError) -> SectionRanges {
        var sections = SectionRanges()
        let count = SectionKind.allCases.count
        guard file.littleEndian32(at: SnapshotLayout.sectionCountOffset) == UInt32(count),
            file.littleEndian32(at: SnapshotLayout.sectionCountOffset + 4) == 0
        else { throw .malformedHeader(path: path) }
        var end = SnapshotLayout.firstSectionOffset
        for kind in SectionKind.allCases {
            let entry = SnapshotLayout.tableOffset + SnapshotLayout.tableEntrySize * kind.position
            let start = (end + 7) & ~7
            guard file.littleEndian32(at: entry) == kind.rawValue,
                file.littleEndian32(at: entry + 4) == 0,
                file.littleEndian64(at: entry + 8) == UInt64(start), start <= file.count,
                let size = file.littleEndian64(at: entry + 16), size <= UInt64(file.count - start)
            else { throw .malformedHeader(path: path) }
            end = start + Int(size)
            sections[kind] = start..<end
        }
        guard end == file.count else { throw .malformedHeader(path: path) }
        return sections
    }

    private static func shape(
        of tier: RuleTier, in file: Span<UInt8>, _ sections: SectionRanges, path: String
    ) throws(SnapshotError) -> NameIndex.Shape {
        guard let shape = NameIndex.Shape(file.extracting(sections[tier.names])) else {
            throw .malformedSection(path: path, kind: tier.names)
        }
        let numbers = file.extracting(sections[tier.listNumbers])
        guard ListNumbers.isWellFormed(numbers, entryCount: shape.entryCount) else {
            throw .malformedSection(path: path, kind: tier.listNumbers)
        }
        return shape
    }
}
