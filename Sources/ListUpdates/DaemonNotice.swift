import Configuration
import Control
import LinuxSystem

/// Tells the daemon that snapshots have changed, when it does not know.
package enum DaemonNotice {
    /// Compares what the daemon filters by with what is in force, and has it reload where the two
    /// differ: also when an earlier update was ended before it could tell.
    package static func give(_ settings: Settings) -> UpdateOutcome.Daemon {
        do throws(ControlError) {
            let status = try ask(.status, settings)
            guard case .ok(let value) = status else { return failure(status) }
            if isUpToDate(value, settings) { return .upToDate }
            let reply = try ask(.reload, settings)
            guard case .ok = reply else { return failure(reply) }
            return .reloaded
        } catch {
            guard case .unreachable(let cause) = error,
                cause.code == SystemError.Code.noEntry
                    || cause.code == SystemError.Code.connectionRefused
            else { return .failed("\(error)") }
            return .notRunning
        }
    }

    private static func ask(
        _ request: ControlRequest, _ settings: Settings
    ) throws(ControlError) -> ControlReply {
        let line = try ControlClient.exchange(request, socket: settings.controlSocket)
        return try ControlReply(line: line.span)
    }

    private static func failure(_ reply: ControlReply) -> UpdateOutcome.Daemon {
        guard case .error(let reason) = reply else { return .failed("no reply") }
        return .failed(reason)
    }

    private static func isUpToDate(_ status: JSONValue, _ settings: Settings) -> Bool {
        let served = status["policies"]?.items ?? []
        return settings.policies.allSatisfy { policy in
            let store = PolicyStore(policy: policy.name, stateDirectory: settings.stateDirectory)
            guard let inForce = store.currentID else { return true }
            return served.contains {
                $0["name"]?.string == policy.name && $0["snapshotID"]?.string == "\(inForce)"
            }
        }
    }
}
