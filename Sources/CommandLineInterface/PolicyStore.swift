import Cryptography
import FilterCompiler
import FilterIndex
import LinuxSystem
import Quantities

/// The snapshots of one policy.
///
/// ```
/// STATE-DIRECTORY/policies/POLICY/SNAPSHOT-ID.sluice
///                                 current → SNAPSHOT-ID.sluice
/// ```
struct PolicyStore {
    /// Where the snapshots are.
    let directory: String

    /// Snapshots kept beside the current one.
    static let keptSnapshots = 3
    private static let ending = ".sluice"

    /// The snapshots of `policy` in a state directory.
    init(policy: String, stateDirectory: String) {
        directory = "\(stateDirectory)/policies/\(policy)"
    }

    /// The link to the snapshot in force.
    var current: String { "\(directory)/current" }

    /// The file of a snapshot.
    func path(of identity: SHA256Digest) -> String { "\(directory)/\(identity)\(Self.ending)" }

    /// Whether the snapshot is the one in force.
    func isCurrent(_ identity: SHA256Digest) -> Bool {
        FileIO.linkTarget(path: current) == "\(identity)\(Self.ending)"
    }

    /// A new file for a snapshot whose id is not known yet.
    func newFile() throws(CommandError) -> PendingFile {
        do throws(SystemError) {
            try FileIO.makeDirectories(path: directory)
            return try PendingFile(directory: directory, mode: Compilation.fileMode)
        } catch {
            throw .stateDirectory(error)
        }
    }

    /// Whether a snapshot is there already, whole.
    /// - Complexity: O(octets of the file), read in pieces.
    func holds(_ identity: SHA256Digest, size: ByteCount) -> Bool {
        do throws(SnapshotError) {
            let file = try SnapshotFile(path: path(of: identity))
            try file.verify()
            return file.identity == identity && file.size == size
        } catch {
            return false
        }
    }

    /// Gives a written snapshot its name.
    func keep(_ file: PendingFile, identity: SHA256Digest) throws(CommandError) {
        do { try file.publish(as: path(of: identity)) } catch { throw .stateDirectory(error) }
    }

    /// Puts a snapshot in force and removes all but it and the newest others.
    func publish(_ identity: SHA256Digest) throws(CommandError) {
        let name = "\(identity)\(Self.ending)"
        do throws(SystemError) {
            try FileIO.replaceLink(path: current, target: name)
            var others = try snapshots().filter { $0 != name }.map { other in
                (name: other, time: FileIO.modified(path: "\(directory)/\(other)"))
            }
            others.sort { ($0.time, $0.name) > ($1.time, $1.name) }
            for other in others.dropFirst(Self.keptSnapshots) {
                try FileIO.remove(path: "\(directory)/\(other.name)")
            }
        } catch {
            throw .stateDirectory(error)
        }
    }

    private func snapshots() throws(SystemError) -> [String] {
        let size = 2 * SHA256Digest.size + Self.ending.utf8.count
        return try FileIO.list(directory: directory).filter {
            $0.hasSuffix(Self.ending) && $0.utf8.count == size
        }
    }

    /// The digests of the lists of all snapshots kept, of all policies of a state directory.
    static func listDigests(stateDirectory: String) -> Set<SHA256Digest> {
        var digests: Set<SHA256Digest> = []
        let policies = (try? FileIO.list(directory: "\(stateDirectory)/policies")) ?? []
        for policy in policies {
            let store = PolicyStore(policy: policy, stateDirectory: stateDirectory)
            for name in (try? store.snapshots()) ?? [] {
                guard let manifest = store.manifest(ofFile: name) else { continue }
                for list in manifest.lists { digests.insert(list.digest) }
            }
        }
        return digests
    }

    /// What a snapshot was made from; `nil` when it is damaged.
    private func manifest(ofFile name: String) -> SnapshotManifest? {
        do throws(SnapshotError) {
            let file = try SnapshotFile(path: "\(directory)/\(name)")
            try file.verify()
            return try file.manifest()
        } catch {
            return nil
        }
    }
}
