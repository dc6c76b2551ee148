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
    /// The list that is being read, from 0.
    package let list: Int
    /// Lists of the policy.
    package let listCount: Int
    /// Octets of its text read so far, unpacked.
    package let octetsRead: ByteCount
    /// Octets of its file; of a packed file, as packed.
    package let fileSize: ByteCount
}

/// Lists in, a snapshot out.
package struct Compilation: Sendable {
    /// The lists, in the policy's order.
    package var lists: [ListSource]
    /// How the prefilter is made.
    package var prefilter: PrefilterOptions
    /// Diagnostics that are kept; all are counted.
    package static let diagnosticLimit = 200
    /// Permissions of a snapshot: nobody writes into one.
    package static let fileMode: UInt32 = 0o444

    /// A compilation of these lists.
    package init(lists: [ListSource], prefilter: PrefilterOptions = PrefilterOptions()) {
        self.lists = lists
        self.prefilter = prefilter
    }

    /// Reads the lists and writes the snapshot, replacing the file at `path` whole.
    /// - Parameter progress: called after every chunk of text.
    /// - Throws: `CompilationError`; a bad line is a diagnostic and never an error.
    package func write(
        to path: String, progress: (CompilationProgress) -> Void = { _ in }
    ) throws(CompilationError) -> CompilationResult {
        let (image, result) = try build(progress: progress)
        do {
            try FileIO.replace(path: path, with: image.span, mode: Compilation.fileMode)
        } catch {
            throw .unwritable(path: path, cause: error)
        }
        return result
    }

    /// Reads the lists and makes the octets of the snapshot.
    package func build(
        progress: (CompilationProgress) -> Void = { _ in }
    ) throws(CompilationError) -> (image: [UInt8], result: CompilationResult) {
        guard lists.count <= SnapshotLayout.listLimit else {
            throw .tooManyLists(count: lists.count, limit: SnapshotLayout.listLimit)
        }
        var intake = ListIntake()
        for (number, list) in lists.enumerated() {
            let listCount = lists.count
            try intake.read(list, number: UInt16(number)) { octets, size in
                progress(
                    CompilationProgress(
                        list: number, listCount: listCount, octetsRead: octets, fileSize: size))
            }
        }
        let patterns = intake.rules.makePatterns()
        intake.leaveOut(patterns.refusals)
        let manifest = SnapshotManifest(
            namesRead: intake.rules.nameCount, namesKept: 0, lists: intake.lists)
        let diagnostics = intake.diagnostics
        let diagnosticCount = intake.diagnosticCount
        // Moved out, not copied: the tables are sorted where they are.
        var rules = PolicyRules()
        swap(&rules, &intake.rules)
        let image = try SnapshotBuilder(prefilter: prefilter).image(
            of: rules, patterns: patterns, manifest: manifest)
        let contents: SnapshotContents
        do { contents = try SnapshotContents(verifying: image.span, path: "") } catch {
            preconditionFailure("the builder writes what the reader takes: \(error)")
        }
        let result = CompilationResult(
            contents, size: image.count, diagnostics: diagnostics,
            diagnosticCount: diagnosticCount)
        return (image, result)
    }
}
