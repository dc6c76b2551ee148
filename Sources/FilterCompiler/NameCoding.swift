import DomainNames
import FilterIndex

/// The code of all names of a snapshot, and what the writers of its indexes must know beforehand.
struct NameCoding {
    /// The name-code section.
    let section: [UInt8]
    /// The code that the section says.
    let code: NameCode
    /// How often each size occurs.
    let sizes: EntrySizeCounts
    /// What the second pass found, by tier.
    let measures: [NameIndexMeasure]

    /// Reads the names of all tiers twice: for their symbols, then for what entries share.
    init(_ tables: [CoveredTable]) {
        var builder = NameCodeBuilder()
        for tier in tables {
            var pass = NameSymbolPass()
            tier.table.forEachKey { key, _ in pass.add(key, to: &builder) }
        }
        let choice = builder.code()
        var sizes = EntrySizeCounts()
        let words = NameCoding.code(choice.section(sizes))
        measures = tables.map { tier in
            var measure = NameIndexMeasure()
            tier.table.forEachKey { key, scope in
                measure.add(key, scope, code: words, to: &sizes)
            }
            return measure
        }
        self.sizes = sizes
        section = choice.section(sizes)
        code = NameCoding.code(section)
    }

    private static func code(_ section: [UInt8]) -> NameCode {
        guard let code = NameCode(section.span) else {
            preconditionFailure("the builder writes what the reader takes")
        }
        return code
    }

    /// Appends the index of a tier.
    /// - Throws: `.tooMuchText` when its stream outgrows the 32-bit offsets of its blocks.
    func append(
        _ tier: RuleTier, of tables: [CoveredTable], to image: inout [UInt8]
    ) throws(CompilationError) {
        var builder = NameIndexBuilder(
            measures[tier.rawValue], code: code, sizes: sizes, to: &image)
        var fits = true
        tables[tier.rawValue].table.forEachKey { key, scope in
            if fits { fits = builder.add(key, scope, to: &image) }
        }
        guard fits else { throw .tooMuchText }
        builder.finish(&image)
    }
}

extension NameTable {
    /// Calls `body` with each key and scope in the order of the entries.
    func forEachKey(_ body: (Span<UInt8>, NameScope) -> Void) {
        let octets = keys.span
        for entry in entries { body(octets.extracting(entry.range), entry.scope) }
    }
}
