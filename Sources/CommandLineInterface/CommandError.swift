import Configuration
import Control
import FilterCompiler
import FilterIndex
import LinuxSystem
import ListUpdates
import Quantities

/// Why a command could not do its work.
package enum CommandError: Error, Equatable, Sendable {
    /// A system call failed.
    case system(SystemError)
    /// The configuration cannot be read.
    case unreadableConfiguration(SystemError)
    /// The configuration has these problems, a line each.
    case badConfiguration([String])
    /// The text of a `--list` cannot be read.
    case unreadableList(name: String, cause: SystemError)
    /// No snapshot of `--list` could be made.
    case compilation(CompilationError)
    /// Nothing could be compiled, put in force or rolled back.
    case update(UpdateError)
    /// A file is no good snapshot.
    case snapshot(SnapshotError)
    /// A policy was never compiled.
    case notCompiled(policy: String, configuration: String)
    /// An argument is no domain name.
    case badName(String)
    /// An argument is a URL, which `explain` does not take yet.
    case urlNotTaken(String)
    /// An argument is an IP address, which no rule is about.
    case addressGiven(String)
    /// `rules remove` without a name.
    case nameMissing
    /// There is no own rule on a name.
    case noOwnRule(name: String, policy: String)
    /// There is no room for another own rule.
    case ownRulesFull(limit: Int)
    /// The file of the own rules would grow beyond its limit.
    case ownRulesTooLong(limit: ByteCount)
    /// A list to try did not come.
    case unfetched(String, ListFault)
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
        case .badName, .urlNotTaken, .unknownType, .addressGiven, .nameMissing: .usage
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
        case .unreadableList(let name, let cause):
            "list \(name): \(cause); correct --list; nothing was written"
        case .compilation(let cause): "policy \(Settings.defaultPolicy): \(cause)"
        case .update(let cause): "\(cause)"
        case .snapshot(let cause): "\(cause)"
        case .notCompiled(let policy, let configuration):
            "policy \(policy) was never compiled; run: sluice compile --config \(configuration)"
        case .addressGiven(let text):
            "'\(Console.printable(text))' is an address; rules are about names"
        case .nameMissing: "rules remove: NAME is missing"
        case .noOwnRule(let name, let policy):
            "there is no own rule on \(Console.printable(name)) in policy \(policy); "
                + "sluice rules shows those that there are"
        case .ownRulesFull(let limit):
            "there are \(limit) own rules already; remove some by sluice rules remove NAME, or put "
                + "them into a list of the configuration"
        case .ownRulesTooLong(let limit): "the file of the own rules may have \(limit) at most"
        default: daemonText
        }
    }

    private var daemonText: String {
        switch self {
        case .badName(let text): "'\(Console.printable(text))' is no domain name"
        case .urlNotTaken(let url):
            "'\(Console.printable(url))' is a URL, which explain does not take in this version; "
                + "give the host's name alone"
        case .unfetched(let place, let cause): "\(Console.printable(place)): \(cause)"
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
