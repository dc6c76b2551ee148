import Configuration
import Control
import ListUpdates

/// `sluice rollback [SNAPSHOT] [--policy P] [--json]`
enum RollbackCommand {
    /// Turns the link and tells the daemon. When anything fails, what is in force stays.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let settings = try SettingsSource.load(invocation, console: console)
        let policy = invocation.text(.policy) ?? Settings.defaultPolicy
        let outcome: Rollback.Outcome
        do throws(UpdateError) {
            outcome = try Rollback.run(
                settings, policy: policy, prefix: invocation.argumentText)
        } catch {
            throw .update(error)
        }
        let daemon = DaemonNotice.give(settings)
        if invocation.has(.json) {
            var writer = JSONWriter()
            writer.object { object in
                object.member("policy", policy)
                object.member("from", "\(outcome.from)")
                object.member("to", "\(outcome.to)")
                object.member("daemon", daemon.key)
            }
            console.output(writer.text + "\n")
        } else {
            let (from, to) = (
                ConfiguredOutcome.short(outcome.from), ConfiguredOutcome.short(outcome.to)
            )
            console.output(
                (outcome.from == outcome.to
                    ? "policy \(policy): \(to) is in force"
                    : "policy \(policy): \(to) is in force in place of \(from)")
                    + "; \(daemon.text)\n")
        }
        if case .failed = daemon { return .failure }
        return .good
    }
}
