import Configuration
import Control
import FilterCompiler
import FilterIndex
import LinuxSystem
import Quantities

/// Why a command could not do its work.
package enum CommandError: Error, Equatable, Sendable {
    /// A system call failed.
    case system(SystemError)
    /// The configuration cannot be read.
    case unreadableConfiguration(SystemError)
    /// The configuration has these problems, a line each.
    case badConfiguration([String])
    /// The text of a list cannot be read; the list stands in `configuration`, or on the command
    /// line.
    case unreadableList(name: String, cause: SystemError, configuration: String?)
    /// The text of a list changed while it was read.
    case listChanged(name: String, path: String)
    /// The text kept of a list was not what its name says; it is removed.
    case damagedText(path: String)
    /// No snapshot could be made.
    case compilation(policy: String, CompilationError)
    /// The policies would need more memory than the daemon may use.
    case aboveMemoryLimit(MemoryPlan)
    /// The state directory cannot be written.
    case stateDirectory(SystemError)
    /// A file is no good snapshot.
    case snapshot(SnapshotError)
    /// A policy was never compiled.
    case notCompiled(policy: String, configuration: String)
    /// An argument is no domain name.
    case badName(String)
    /// An argument is a URL, which `explain` does not take yet.
    case urlNotTaken(String)
    /// A list that would have to be fetched, which `try` does not do yet.
    case remoteListNotTaken(String)
    /// A policy that the configuration does not have.
    case unknownPolicy(String, nearest: String?)
    /// A query type that there is not.
    case unknownType(String)
    /// A name with more octets than a request has room for.
    case unsendableName
    /// Nobody listens on the control socket.
    case noDaemon(SystemError, configuration: String)
    /// The daemon ended the connection before its reply was whole, or said nothing in time.
    case noReply(socket: String, cause: SystemError?)
    /// The daemon's reply is none.
    case badReply(ControlError)
    /// The daemon refused, and why.
    case refused(String)
    /// No `sluiced` in the places looked at.
    case noDaemonProgram([String])

    /// The exit status that it means.
    var outcome: CommandOutcome {
        switch self {
        case .badName, .urlNotTaken, .unknownType, .remoteListNotTaken, .unknownPolicy: .usage
        default: .failure
        }
    }
}

extension CommandError: CustomStringConvertible {
    /// What is wrong, and the fix.
    package var description: String {
        switch self {
        case .system(let cause): "\(cause)"
        case .unreadableConfiguration(let cause):
            "\(cause); name the configuration by --config FILE"
        case .badConfiguration(let problems): problems.joined(separator: "\n")
        case .unreadableList(let name, let cause, let configuration):
            "list \(name): \(cause); "
                + (configuration.map { "correct 'lists.\(name).file' in \($0)" }
                    ?? "correct --list") + "; nothing was written"
        case .listChanged(let name, let path):
            "list \(name): \(path) changed while it was read; run the command again"
        case .damagedText(let path):
            "\(path) was damaged and is removed; run the command again to write it anew"
        case .compilation(let policy, let cause): "policy \(policy): \(cause)"
        case .aboveMemoryLimit(let memory): memory.refusal
        case .stateDirectory(let cause):
            "\(cause); 'state-directory' has to be writable for who runs this command"
        case .snapshot(let cause): "\(cause)"
        case .notCompiled(let policy, let configuration):
            "policy \(policy) was never compiled; run: sluice compile --config \(configuration)"
        default: daemonText
        }
    }

    private var daemonText: String {
        switch self {
        case .badName(let text): "'\(Console.printable(text))' is no domain name"
        case .urlNotTaken(let url):
            "'\(Console.printable(url))' is a URL, which explain does not take in this version; "
                + "give the host's name alone"
        case .remoteListNotTaken(let place):
            "'\(Console.printable(place))' is not on this machine, and try fetches nothing in this "
                + "version; download it and name the file"
        case .unknownPolicy(let name, let nearest):
            "no policy is called '\(Console.printable(name))'"
                + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        case .unknownType(let text):
            "'\(Console.printable(text))' is no query type; expected A, AAAA, HTTPS …, or TYPE65"
        case .unsendableName: "the name is too long for a request"
        case .noDaemon(let cause, let configuration):
            switch cause.code {
            case SystemError.Code.noEntry, SystemError.Code.connectionRefused:
                "no daemon at \(cause.subject); is sluiced running? That is 'control-socket' of "
                    + configuration
            case SystemError.Code.access:
                "\(cause); run this as root or as a member of the socket's group"
            default: "\(cause)"
            }
        case .noReply(let socket, let cause):
            "\(socket): no whole reply from the daemon" + (cause.map { " (\($0))" } ?? "")
        case .badReply(let cause): "the daemon's reply is not understood: \(cause)"
        case .refused(let reason): "the daemon says: \(Console.printable(reason))"
        case .noDaemonProgram(let places):
            "no sluiced to start; looked at \(places.joined(separator: ", "))"
        default: preconditionFailure("every other case has its text above")
        }
    }
}
