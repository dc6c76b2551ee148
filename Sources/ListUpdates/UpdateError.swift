import Configuration
import Cryptography
import FilterCompiler
import FilterIndex
import LinuxSystem

/// Why nothing could be compiled, put in force or rolled back.
///
/// What is wrong with one list that is fetched is no such reason: it is a `ListFault`.
package enum UpdateError: Error, Equatable, Sendable {
    /// Another process works on the state directory.
    case busy(process: Int32, stateDirectory: String)
    /// The state directory cannot be written.
    case stateDirectory(SystemError)
    /// The text of a list of the configuration cannot be read.
    case unreadableList(name: String, cause: SystemError, configuration: String)
    /// The text of a list changed while it was read.
    case listChanged(name: String, path: String)
    /// The text kept of a list was not what its name says; it is removed.
    case damagedText(path: String)
    /// No snapshot could be made.
    case compilation(policy: String, CompilationError)
    /// The policies would need more memory than the daemon may use.
    case aboveMemoryLimit(MemoryPlan)
    /// An upstream is reached through an interface that there is not.
    case noInterface(zone: String, endpoint: EndpointSetting)
    /// There is no policy of this name.
    case unknownPolicy(String, known: [String])
    /// A policy has no snapshot whose id begins like this.
    case unknownSnapshot(String, policy: String, known: [SHA256Digest])
    /// Several snapshots of a policy have an id that begins like this.
    case ambiguousSnapshot(String, policy: String)
    /// A policy has no snapshot from before the one in force.
    case noEarlierSnapshot(policy: String)
    /// A snapshot cannot be used.
    case snapshot(SnapshotError)
}

extension UpdateError: CustomStringConvertible {
    /// What is wrong, and the fix.
    package var description: String {
        switch self {
        case .busy(let process, let directory):
            "process \(process) is at work on \(directory); wait for its end"
        case .stateDirectory(let cause):
            "\(cause); 'state-directory' has to be writable for who runs this command"
        case .unreadableList(let name, let cause, let configuration):
            "list \(name): \(cause); correct 'lists.\(name).file' in \(configuration); "
                + "nothing was written"
        case .listChanged(let name, let path):
            "list \(name): \(path) changed while it was read; run the command again"
        case .damagedText(let path):
            "\(path) was damaged and is removed; run the command again to write it anew"
        case .compilation(let policy, let cause): "policy \(policy): \(cause)"
        case .aboveMemoryLimit(let memory): memory.refusal
        case .noInterface(let zone, let endpoint):
            "no interface is called '\(zone)' (in \(endpoint))"
        case .unknownPolicy(let name, let known):
            "there is no policy '\(name)'; there are: \(known.joined(separator: ", "))"
        case .unknownSnapshot(let prefix, let policy, let known):
            "policy \(policy) has no snapshot '\(prefix)'; there are: "
                + known.map { String("\($0)".prefix(16)) }.joined(separator: ", ")
        case .ambiguousSnapshot(let prefix, let policy):
            "policy \(policy) has several snapshots '\(prefix)'; give more of the id"
        case .noEarlierSnapshot(let policy):
            "policy \(policy) has no snapshot from before the one in force"
        case .snapshot(let cause): "\(cause)"
        }
    }
}
