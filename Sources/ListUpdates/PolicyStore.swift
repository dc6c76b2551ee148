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
///                                 inputs          what the last one was compiled from
///                                 rolled-back     ids that a rollback took out of force
/// ```
/// A snapshot was last written when it came into force: that is the order of their history.
package struct PolicyStore {
    /// Where the snapshots are.
    package let directory: String

    /// Snapshots kept beside the current one.
    static let keptSnapshots = 3
    private static let ending = ".sluice"

    /// The snapshots of `policy` in a state directory.
    package init(policy: String, stateDirectory: String) {
        directory = "\(stateDirectory)/policies/\(policy)"
    }

    /// The link to the snapshot in force.
    package var current: String { "\(directory)/current" }

    /// The file of a snapshot.
    package func path(of identity: SHA256Digest) -> String {
        "\(directory)/\(identity)\(Self.ending)"
    }

    /// The snapshot in force, by the link; `nil` when there is none.
    package var currentID: SHA256Digest? {
        FileIO.linkTarget(path: current).flatMap(Self.identity)
    }

    /// Whether the snapshot is the one in force.
    func isCurrent(_ identity: SHA256Digest) -> Bool { currentID == identity }

    /// The id in a file's name; `nil` for another file.
    private static func identity(_ name: String) -> SHA256Digest? {
        name.hasSuffix(ending) ? SHA256Digest(text: String(name.dropLast(ending.utf8.count))) : nil
    }

    /// The snapshots that are there, the newest first.
    package func history() -> [SHA256Digest] {
        let names = (try? FileIO.list(directory: directory)) ?? []
        let found = names.compactMap { name in
            Self.identity(name).map {
                (identity: $0, time: FileIO.modified(path: "\(directory)/\(name)"), name: name)
            }
        }
        return found.sorted { ($0.time, $0.name) > ($1.time, $1.name) }.map(\.identity)
    }

    /// A new file for a snapshot whose id is not known yet.
    func newFile() throws(UpdateError) -> PendingFile {
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
        guard let there = try? Snapshot(path: path(of: identity)) else { return false }
        return there.snapshotID == identity && there.size == size
    }

    /// Gives a written snapshot its name.
    func keep(_ file: PendingFile, identity: SHA256Digest) throws(UpdateError) {
        do { try file.publish(as: path(of: identity)) } catch { throw .stateDirectory(error) }
    }

    /// Puts a snapshot in force and removes all but it and the newest others.
    /// - Parameter isNew: whether it was written just now; else it becomes the newest here.
    func publish(_ identity: SHA256Digest, isNew: Bool) throws(UpdateError) {
        do throws(SystemError) {
            if !isNew { try FileIO.touch(path: path(of: identity)) }
            try FileIO.replaceLink(path: current, target: "\(identity)\(Self.ending)")
            let others = history().filter { $0 != identity }
            for other in others.dropFirst(Self.keptSnapshots) {
                try FileIO.remove(path: path(of: other))
            }
        } catch {
            throw .stateDirectory(error)
        }
    }

    /// The digests of the lists of all snapshots kept, of all policies of a state directory.
    static func listDigests(stateDirectory: String) -> Set<SHA256Digest> {
        var digests: Set<SHA256Digest> = []
        let policies = (try? FileIO.list(directory: "\(stateDirectory)/policies")) ?? []
        for policy in policies {
            let store = PolicyStore(policy: policy, stateDirectory: stateDirectory)
            for identity in store.history() {
                guard let snapshot = try? Snapshot(path: store.path(of: identity)) else {
                    continue
                }
                for list in snapshot.manifest.lists { digests.insert(list.digest) }
            }
        }
        return digests
    }
}
