import Cryptography
import FilterIndex
import FilterLists
import Quantities

/// A line that a list should not have.
package struct Diagnostic: Hashable, Sendable {
    /// The list, by its place in `lists`.
    package let list: Int
    /// The line, from 1.
    package let line: Int
    /// The column, from 1; 0 for the whole line.
    package let column: Int
    /// What is wrong.
    package let reason: LineReason
}

/// What a compilation made: everything that `sluice compile` reports of it.
package struct CompilationResult: Sendable {
    /// Names of rules, as read.
    package let names: Int
    /// Names in the file, after duplicates and covered names were dropped.
    package let namesAfterCovering: Int
    /// Patterns with rules.
    package let patterns: Int
    /// Size of the file.
    package let size: ByteCount
    /// Size of the prefilter.
    package let prefilterSize: ByteCount
    /// Size of each section.
    package let sizes: [(kind: SectionKind, size: ByteCount)]
    /// The hash of the rules.
    package let snapshotID: SHA256Digest
    /// Rules that block, allow or rewrite.
    package let rules: Int
    /// Lines that made no rule, over all lists, by kind, ascending by kind.
    package let skipped: [SnapshotManifest.Skipped]
    /// The lists with their counts, in the order of their names.
    package let lists: [SnapshotManifest.List]
    /// The first wrong lines.
    package let diagnostics: [Diagnostic]
    /// All wrong lines.
    package let diagnosticCount: Int

    /// What was written, and what was wrong with the lists.
    init(_ facts: SnapshotFacts, diagnostics: [Diagnostic], diagnosticCount: Int) {
        let manifest = facts.manifest
        names = manifest.namesRead
        namesAfterCovering = manifest.namesKept
        patterns = facts.patternCount
        size = facts.size
        prefilterSize = ByteCount(facts.sections[.prefilter].count)
        sizes = SectionKind.allCases.map { ($0, ByteCount(facts.sections[$0].count)) }
        snapshotID = facts.identity
        rules = manifest.lists.reduce(0) { $0 + $1.ruleCount }
        var counts: [String: Int] = [:]
        for list in manifest.lists {
            for skipped in list.skipped { counts[skipped.kind, default: 0] += skipped.count }
        }
        skipped = counts.sorted { $0.key < $1.key }.map { .init(kind: $0.key, count: $0.value) }
        lists = manifest.lists
        self.diagnostics = diagnostics
        self.diagnosticCount = diagnosticCount
    }

    /// Size of the file over the names in it; 0 without names.
    package var bytesPerName: Double {
        namesAfterCovering == 0 ? 0 : Double(size.octets) / Double(namesAfterCovering)
    }
}
