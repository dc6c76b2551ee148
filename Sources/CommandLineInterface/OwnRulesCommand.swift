import Configuration
import Control
import DomainNames
import FilterCompiler
import LinuxSystem
import ListUpdates
import Quantities

/// `sluice allow`, `block` and `rules`: the user's own rules, which decide before all lists.
enum OwnRulesCommand {
    /// `sluice allow|block NAME [--subtree] [--for DURATION] [--policy P]`
    static func put(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let name = try name(invocation.argumentText ?? "")
        let settings = try SettingsSource.load(invocation, console: console)
        let seconds = invocation.duration(.duration).map { duration in
            // A part of a second counts as one: a rule never ends early.
            max(1, (duration.wholeMillisecondsRoundedUp + 999) / 1000)
        }
        let rule = OwnRule(
            isAllow: invocation.command == .allow, name: name,
            includesSubtree: invocation.has(.subtree), policy: try policy(invocation, settings),
            until: seconds.map { Clock.wallSeconds() + Int64($0) })
        let store = OwnRulesStore(settings)
        var malformed: [OwnRulesReport.Malformed] = []
        let former = try store.change { rules throws(CommandError) in
            malformed = rules.malformed
            do { return try rules.put(rule) } catch {
                throw .ownRulesFull(limit: OwnRules.ruleLimit)
            }
        }
        let report = OwnRulesReport(now: Clock.wallSeconds(), malformed: malformed)
        let notice = store.tellDaemon()
        if invocation.has(.json) {
            console.output(report.json(of: rule, in: "rule", replacing: former, notice) + "\n")
        } else {
            console.output(report.text(of: rule, replacing: former, notice))
            report.warn(console, settings)
        }
        return outcome(notice)
    }

    /// `sluice rules [remove NAME]`
    static func rules(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let texts = invocation.argumentTexts
        let settings = try SettingsSource.load(invocation, console: console)
        let store = OwnRulesStore(settings)
        if let text = texts.dropFirst().first {
            return try remove(try name(text), invocation, settings, store, console)
        }
        guard texts.isEmpty else { throw .nameMissing }
        // What the file says is put in force: it may have been edited.
        let rules = try store.change { rules throws(CommandError) in rules }
        let report = OwnRulesReport(now: Clock.wallSeconds(), malformed: rules.malformed)
        let notice = store.tellDaemon()
        let wanted = try invocation.has(.policy) ? policy(invocation, settings) : nil
        let shown = rules.rules.filter { entry in
            (wanted.map { $0 == entry.rule.policy } ?? true)
                && !entry.rule.hasEnded(at: report.now)
        }
        if invocation.has(.json) {
            console.output(report.json(shown, notice) + "\n")
        } else {
            console.output(report.text(shown))
            report.warn(console, settings)
            if notice != .told, !shown.isEmpty { console.message(notice.text) }
        }
        return outcome(notice)
    }

    private static func remove(
        _ name: DomainName, _ invocation: Invocation, _ settings: Settings,
        _ store: OwnRulesStore, _ console: Console
    ) throws(CommandError) -> CommandOutcome {
        let policy = try policy(invocation, settings)
        var malformed: [OwnRulesReport.Malformed] = []
        let former = try store.change { rules throws(CommandError) in
            malformed = rules.malformed
            guard let former = rules.remove(name, policy: policy) else {
                throw .noOwnRule(name: "\(name)", policy: policy)
            }
            return former
        }
        let report = OwnRulesReport(now: Clock.wallSeconds(), malformed: malformed)
        let notice = store.tellDaemon()
        if invocation.has(.json) {
            console.output(report.json(of: former, in: "removed", replacing: nil, notice) + "\n")
        } else {
            console.output(
                "removed: \(report.phrase(former)); \(Console.printable(notice.text))\n")
            report.warn(console, settings)
        }
        return outcome(notice)
    }

    private static func outcome(_ notice: OwnRulesStore.Notice) -> CommandOutcome {
        if case .failed = notice { return .failure }
        return .good
    }

    private static func name(_ text: String) throws(CommandError) -> DomainName {
        let name = try NameArgument.name(of: text)
        // The root is no name that anybody asks for, and with its subtree it is everything.
        guard name.wire.count > 1 else { throw .badName(text) }
        return name
    }

    private static func policy(
        _ invocation: Invocation, _ settings: Settings
    ) throws(CommandError) -> String {
        let policy = invocation.text(.policy) ?? Settings.defaultPolicy
        guard settings.policies.contains(where: { $0.name == policy }) else {
            throw .update(.unknownPolicy(policy, known: settings.policies.map(\.name)))
        }
        return policy
    }
}
