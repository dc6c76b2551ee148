import DomainNames
import FilterIndex

/// The names of one tier as they are written: ascending, each once, none below one that covers it.
///
/// The list of each record is the number that the file writes: of a list, or, from the count of
/// lists on, of a pair.
package struct CoveredNames: Sendable {
    /// The names.
    let run: NameRun
    /// Lists for the name itself and for names below it, where the two differ.
    let pairs: [ListPair]

    /// Who speaks of a name, and who of the names below it.
    struct ListPair: Hashable, Sendable {
        /// The list for the name itself.
        let own: UInt16
        /// The list for the names below.
        let below: UInt16
    }

    /// Octets read at a time from a file.
    private static let bufferSize = 64 << 10

    /// Names.
    package var count: Int { run.count }

    /// Calls `body` with each name in ascending order: its key, its scope, its list number. Can be
    /// called as often as wanted.
    /// - Throws: `.scratch`; what `body` throws.
    /// - Complexity: O(octets of the names).
    package func forEach(
        _ body: (Span<UInt8>, NameScope, UInt16) throws(CompilationError) -> Void
    ) throws(CompilationError) {
        var reader = NameRunReader(run, bufferSize: CoveredNames.bufferSize)
        while try reader.advance() {
            try body(reader.key, reader.record.scope, reader.record.list)
        }
    }
}
