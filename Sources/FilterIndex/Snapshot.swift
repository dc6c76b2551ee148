import Cryptography
import DomainNames
import LinuxSystem
import Quantities

/// A compiled policy: a snapshot file, mapped read-only and verified.
///
/// Workers share one object and never write. Replacing a policy means a new object; the old one
/// unmaps its file when its last user lets go.
package final class Snapshot: Sendable {
    /// The file, mapped.
    let file: MappedFile
    /// What the file holds, and where.
    let contents: SnapshotContents
    /// Where the tables of a match lie.
    let tables: MatchTables
    /// The file.
    package let path: String

    /// Octets read at a time for the checksum.
    private static let chunkSize = 128 << 10

    /// Maps the file at `path` and verifies it.
    ///
    /// For the checksum the octets are read through one small buffer, not through the map, which
    /// would bring the whole file into the memory of this process.
    /// - Throws: `SnapshotError`, which names the file and the reason.
    /// - Complexity: O(octets of the file), for the checksum.
    package init(path: String) throws(SnapshotError) {
        let descriptor = try Snapshot.open(path)
        let mapped = try Snapshot.map(descriptor, path)
        try SnapshotContents.verifySize(of: mapped.bytes, path: path)
        let checksum = try Snapshot.checksum(of: descriptor, size: mapped.count, path)
        let contents = try SnapshotContents(
            verifying: mapped.bytes, checksum: checksum, path: path)
        self.contents = contents
        tables = MatchTables(contents)
        file = mapped
        self.path = path
    }

    private static func open(_ path: String) throws(SnapshotError) -> FileDescriptor {
        do { return try FileIO.open(path: path) } catch {
            throw .unreadable(path: path, cause: error)
        }
    }

    private static func map(
        _ file: borrowing FileDescriptor, _ path: String
    ) throws(SnapshotError) -> MappedFile {
        do { return try MappedFile(file, path: path) } catch {
            throw .unreadable(path: path, cause: error)
        }
    }

    private static func checksum(
        of file: borrowing FileDescriptor, size: Int, _ path: String
    ) throws(SnapshotError) -> SHA256Digest {
        do {
            return try SnapshotLayout.checksum(size: size) { range, body throws(SystemError) in
                try read(range, of: file, path: path, body)
            }
        } catch {
            throw .unreadable(path: path, cause: error)
        }
    }

    private static func read(
        _ range: Range<Int>, of file: borrowing FileDescriptor, path: String,
        _ body: (Span<UInt8>) -> Void
    ) throws(SystemError) {
        var chunk = [UInt8](repeating: 0, count: min(chunkSize, range.count))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let room = 0..<min(chunk.count, range.upperBound - offset)
            var span = chunk.mutableSpan
            let count = try file.read(into: &span, room, at: offset)
            guard count > 0 else {
                throw SystemError("read", code: SystemError.Code.inputOutput, subject: path)
            }
            body(chunk.span.extracting(0..<count))
            offset += count
        }
    }

    /// The hash of the rules.
    package var snapshotID: SHA256Digest { contents.identity }

    /// The lists, in the order of their names, and their counts.
    package var manifest: SnapshotManifest { contents.manifest }

    /// The prefilter's parameters.
    package var prefilter: Prefilter.Parameters { contents.prefilter }

    /// Size of the file.
    package var size: ByteCount { ByteCount(file.count) }

    /// Size of one part.
    package func size(of kind: SectionKind) -> ByteCount {
        ByteCount(contents.sections[kind].count)
    }

    /// Where the prefilter lies.
    var prefilterRange: Range<Int> { contents.sections[.prefilter] }

    /// Where the directories of the name indexes and the patterns lie, ascending.
    var directoryRanges: [Range<Int>] { contents.directoryRanges }

    /// Names of unconditional rules in a tier.
    package func nameCount(of tier: RuleTier) -> Int { contents.shape(of: tier).entryCount }

    /// Names with conditional rules.
    package var conditionalNameCount: Int {
        contents.conditionalNameCount
    }

    /// Names with rewrites, or exceptions to them.
    package var rewriteNameCount: Int { contents.rewriteNameCount }

    /// Whether a rule is for single clients or ends some day: then a verdict for one client and
    /// moment says nothing of another.
    package var dependsOnOccasion: Bool { contents.dependsOnOccasion }

    /// Patterns with rules.
    package var patternCount: Int { contents.patterns.patternCount }

    /// Names in the file, as the compiler counted them.
    package var nameCount: Int { contents.manifest.namesKept }

    /// The name of the list behind a rule; empty for a reference of another snapshot.
    package func listName(_ reference: RuleReference) -> String {
        let lists = contents.manifest.lists
        return Int(reference.list) < lists.count ? lists[Int(reference.list)].name : ""
    }
}
