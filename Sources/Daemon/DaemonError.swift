import Configuration
import FilterIndex
import LinuxSystem

/// Why the daemon cannot start or reload.
package enum DaemonError: Error, Sendable {
    /// The arguments are not `--config FILE`.
    case usage
    /// The configuration has problems; each is a line for a person.
    case configuration([String])
    /// An address is taken; `holder` says by whom when that can be told.
    case addressInUse(NetworkAddress, holder: String?)
    /// A system call failed.
    case system(SystemError)
    /// A snapshot cannot be used.
    case snapshot(SnapshotError)
    /// The own rules of a policy cannot be used.
    case ownRules(SnapshotError)
    /// What the configuration asks for does not fit the memory limit.
    case memory(MemoryPlan)
    /// The control socket is served by a daemon that runs.
    case alreadyRunning(socket: String)
}

extension DaemonError: CustomStringConvertible {
    /// What is wrong and how to mend it.
    package var description: String {
        switch self {
        case .usage:
            return "usage: sluiced --config FILE"
        case .configuration(let problems):
            return problems.joined(separator: "\n")
        case .addressInUse(let address, let holder):
            let who = holder.map { "is held by \($0)" } ?? "is in use"
            return "\(address) \(who); stop it, or set another address in 'listen'"
        case .system(let error):
            let isPort = error.code == SystemError.Code.access && error.call.description != "open"
            return isPort
                ? "\(error); ports below 1024 need root or CAP_NET_BIND_SERVICE" : "\(error)"
        case .snapshot(let error):
            return "\(error)"
        case .ownRules(let error):
            return "\(error); to make it again from the own rules, run: sluice rules"
        case .memory(let plan):
            return plan.refusal
        case .alreadyRunning(let socket):
            return "another sluiced answers at \(socket); stop it, or set another 'control-socket'"
        }
    }
}
