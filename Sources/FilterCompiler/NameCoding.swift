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
    init(_ tables: [CoveredNames]) throws(CompilationError) {
        var builder = NameCodeBuilder()
        for tier in tables {
            var pass = NameSymbolPass()
            try tier.forEach { key, _, _ throws(CompilationError) in pass.add(key, to: &builder) }
        }
        let choice = builder.code()
        var sizes = EntrySizeCounts()
        let words = NameCoding.code(choice.section(sizes))
        var measures: [NameIndexMeasure] = []
        for tier in tables {
            var measure = NameIndexMeasure()
            try tier.forEach { key, scope, _ throws(CompilationError) in
                measure.add(key, scope, code: words, to: &sizes)
            }
            measures.append(measure)
        }
        self.measures = measures
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
    /// - Throws: `.tooMuchText` when its stream outgrows the 32-bit offsets of its blocks; those of
    ///   the output.
    func append(
        _ tier: RuleTier, of tables: [CoveredNames], to output: inout SnapshotOutput
    ) throws(CompilationError) {
        var builder = try NameIndexBuilder(
            measures[tier.rawValue], code: code, sizes: sizes, to: &output)
        try tables[tier.rawValue].forEach { key, scope, _ throws(CompilationError) in
            try builder.add(key, scope, to: &output)
        }
        try builder.finish(&output)
    }
}
