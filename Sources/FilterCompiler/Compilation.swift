import Cryptography
import DomainNames
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// One list of a policy.
package struct ListSource: Sendable {
    /// Where its text is.
    package enum Text: Sendable {
        /// A file, plain or packed by xz, gzip or zstd.
        case file(path: String)
        /// These octets.
        case octets([UInt8])
    }

    /// Its name in the configuration.
    package var name: String
    /// Where its text is.
    package var text: Text
    /// Where it came from, for people: an address or a path.
    package var origin: String
    /// How it is read.
    package var options: ListOptions

    /// A list. The origin is the path where it is not given.
    package init(name: String, text: Text, origin: String? = nil, options: ListOptions) {
        self.name = name
        self.text = text
        self.options = options
        switch text {
        case .file(let path): self.origin = origin ?? path
        case .octets: self.origin = origin ?? ""
        }
    }
}

/// How far a compilation has come.
package struct CompilationProgress: Sendable {
    /// What is done now.
    package enum Stage: Equatable, Sendable {
        /// The text of this list is read; counted in octets of its file.
        case reading(list: String)
        /// The names are brought together; counted in names.
        case sorting
        /// The snapshot is written; counted in names, those of every pass.
        case writing
    }

    /// What is done now.
    package let stage: Stage
    /// What is done of it.
    package let done: Int
    /// What it is in all.
    package let total: Int

    /// What is done now, for people.
    package var work: String {
        switch stage {
        case .reading(let list): "reading \(list)"
        case .sorting: "sorting names"
        case .writing: "writing"
        }
    }
}

/// Lists in, a snapshot out.
package struct Compilation: Sendable {
    /// The lists, in the order of their names, by octets: the policy's own order changes nothing.
    package let lists: [ListSource]
    /// How the prefilter is made.
    package var prefilter: PrefilterOptions
    /// How much memory it may take.
    package var memory: BuildMemory
    /// Where temporary files go when that is not enough.
    package var scratchDirectory: String
    /// Diagnostics that are kept; all are counted.
    package static let diagnosticLimit = 200
    /// Permissions of a snapshot: nobody writes into one.
    package static let fileMode: UInt32 = 0o444

    /// A compilation of these lists, whose names are unlike each other.
    package init(
        lists: [ListSource], prefilter: PrefilterOptions = PrefilterOptions(),
        memory: BuildMemory = .unbounded, scratchDirectory: String = "."
    ) {
        self.lists = Compilation.ordered(lists, by: \.name)
        self.prefilter = prefilter
        self.memory = memory
        self.scratchDirectory = scratchDirectory
    }

    /// The order in which lists are numbered: by the octets of their names.
    package static func ordered<List>(
        _ lists: [List], by name: (List) -> String
    ) -> [List] {
        lists.sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
    }

    /// Reads the lists, sorts and covers their names: after that all counts are known.
    /// - Parameter progress: called after every chunk of text or some thousand names.
    /// - Throws: `CompilationError`; a bad line is a diagnostic and never an error.
    package func prepare(
        progress: (CompilationProgress) -> Void = { _ in }
    ) throws(CompilationError) -> PreparedCompilation {
        guard lists.count <= SnapshotLayout.listLimit else {
            throw .tooManyLists(count: lists.count, limit: SnapshotLayout.listLimit)
        }
        var intake = ListIntake(memory: memory, scratchDirectory: scratchDirectory)
        for (number, list) in lists.enumerated() {
            try intake.read(list, number: UInt16(number)) { done, total in
                progress(
                    CompilationProgress(
                        stage: .reading(list: list.name), done: done, total: total))
            }
        }
        let manifest = SnapshotManifest(
            namesRead: intake.rules.nameCount, namesKept: 0, lists: intake.lists)
        // Moved out, not copied: the tables are sorted where they are.
        var rules = PolicyRules()
        swap(&rules, &intake.rules)
        let snapshot = try SnapshotBuilder(prefilter: prefilter).prepare(
            rules, manifest: manifest
        ) { done, total in
            progress(CompilationProgress(stage: .sorting, done: done, total: total))
        }
        return PreparedCompilation(
            snapshot: snapshot, diagnostics: intake.diagnostics,
            diagnosticCount: intake.diagnosticCount)
    }

    /// Reads the lists and writes the snapshot, replacing the file at `path` whole.
    /// - Throws: `CompilationError`; the file is then as it was.
    package func write(
        to path: String, progress: (CompilationProgress) -> Void = { _ in }
    ) throws(CompilationError) -> CompilationResult {
        let prepared = try prepare(progress: progress)
        let file: PendingFile
        do {
            file = try PendingFile(
                directory: FileIO.parent(of: path) ?? ".", mode: Compilation.fileMode)
        } catch {
            throw .unwritable(path: path, cause: error)
        }
        let result = try prepared.write(to: file, progress: progress)
        do { try file.publish(as: path) } catch { throw .unwritable(path: path, cause: error) }
        return result
    }

    /// Reads the lists and makes the octets of the snapshot in memory.
    package func build() throws(CompilationError) -> (image: [UInt8], result: CompilationResult) {
        let prepared = try prepare()
        let (image, facts) = try prepared.snapshot.image()
        return (image, prepared.result(facts))
    }
}

/// Lists that were read, sorted and counted: what is left is to write the snapshot.
package struct PreparedCompilation: Sendable {
    /// The names.
    package let snapshot: PreparedSnapshot
    private let diagnostics: [Diagnostic]
    private let diagnosticCount: Int

    /// What was read.
    init(snapshot: PreparedSnapshot, diagnostics: [Diagnostic], diagnosticCount: Int) {
        self.snapshot = snapshot
        self.diagnostics = diagnostics
        self.diagnosticCount = diagnosticCount
    }

    /// The lists with their counts, in the order of their names.
    package var lists: [SnapshotManifest.List] { snapshot.manifest.lists }

    /// Writes the snapshot into a file that has no name yet.
    package func write(
        to file: PendingFile, progress: (CompilationProgress) -> Void = { _ in }
    ) throws(CompilationError) -> CompilationResult {
        let facts = try snapshot.write(to: file) { done, total in
            progress(CompilationProgress(stage: .writing, done: done, total: total))
        }
        return result(facts)
    }

    /// The report of a snapshot of these lists.
    func result(_ facts: SnapshotFacts) -> CompilationResult {
        CompilationResult(facts, diagnostics: diagnostics, diagnosticCount: diagnosticCount)
    }
}
