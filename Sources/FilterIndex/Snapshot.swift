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
    private let contents: SnapshotContents
    /// Where the tables of a match lie.
    let tables: MatchTables
    /// The file.
    package let path: String

    /// Maps the file at `path` and verifies it.
    /// - Throws: `SnapshotError`, which names the file and the reason.
    /// - Complexity: O(octets of the file), for the checksum.
    package init(path: String) throws(SnapshotError) {
        let mapped: MappedFile
        do { mapped = try MappedFile(path: path) } catch {
            throw .unreadable(path: path, cause: error)
        }
        let contents = try SnapshotContents(verifying: mapped.bytes, path: path)
        self.contents = contents
        tables = MatchTables(contents)
        file = mapped
        self.path = path
    }

    /// The hash of the rules.
    package var snapshotID: SHA256Digest { contents.identity }

    /// The lists, in the policy's order, and their counts.
    package var manifest: SnapshotManifest { contents.manifest }

    /// The prefilter's parameters.
    package var prefilter: Prefilter.Parameters { contents.prefilter }

    /// Size of the file.
    package var size: ByteCount { ByteCount(file.count) }

    /// Size of one part.
    package func size(of kind: SectionKind) -> ByteCount {
        ByteCount(contents.sections[kind].count)
    }

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

    /// Names in the file, as the compiler counted them.
    package var nameCount: Int { contents.manifest.namesKept }

    /// The name of the list behind a rule; empty for a reference of another snapshot.
    package func listName(_ reference: RuleReference) -> String {
        let lists = contents.manifest.lists
        return Int(reference.list) < lists.count ? lists[Int(reference.list)].name : ""
    }
}
