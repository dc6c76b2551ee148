import Configuration
import Control
import DNSResolver
import FilterIndex
import LinuxSystem
import Quantities

/// Puts filters in force: at a reload, and in place of a snapshot that was lost.
///
/// All of it runs in the control thread. Workers see a new state when it is whole, and go on with
/// the old one until then.
struct Reloader {
    private let context: ServerContext
    private var epoch: UInt32 = 1
    /// What went wrong last; `nil` when the last reload went well.
    private(set) var lastError: String?

    /// A reloader that follows the state in force.
    init(context: ServerContext) { self.context = context }

    /// Reads configuration and snapshots again; what is bad leaves the old state in force.
    /// - Returns: the reply to who asked for it.
    mutating func reload() -> [UInt8] {
        do throws(DaemonError) {
            let file = context.configurationFile
            let (settings, warnings) = try StateLoader.settings(file: file)
            let inForce = context.state.load().filters.policies
            let filtered = Set(inForce.filter { $0.snapshot != nil }.map(\.name))
            let (state, snapshots) = try StateLoader.state(
                settings, epoch: epoch &+ 1, filtered: filtered)
            let plan = StateLoader.plan(
                context.settings, snapshots, workerCount: context.workers.count)
            guard plan.isWithinLimit else { throw .memory(plan) }
            publish(state)
            lastError = nil
            let restart = Reloader.keysThatNeedRestart(context.settings, settings)
            for warning in warnings { context.log.warning(warning) }
            if !restart.isEmpty {
                context.log.warning(
                    "\(restart.joined(separator: ", ")) changed: in force after a restart")
            }
            let names = state.nameCount
            context.log.info("reloaded: \(state.filters.policies.count) policies, \(names) names")
            return ControlReply.okLine { json in
                json.member("names", names)
                json.member("needRestart") { value in
                    value.array { array in restart.forEach { array.string($0) } }
                }
            }
        } catch {
            lastError = "reload: \(error)"
            context.log.error("reload failed, the old state stays in force: \(error)")
            return ControlReply.errorLine("the old state stays in force: \(error)")
        }
    }

    /// Reads the user's own rules again, and nothing else; bad ones leave the old in force.
    /// - Returns: the reply to who asked for it.
    mutating func reloadOwnRules() -> [UInt8] {
        let old = context.state.load()
        var policies: [FilterSet.Policy] = []
        do throws(DaemonError) {
            for policy in old.filters.policies {
                policies.append(
                    FilterSet.Policy(
                        name: policy.name, snapshot: policy.snapshot,
                        ownRules: try StateLoader.ownRules(
                            of: policy.name, in: context.settings.stateDirectory)))
            }
        } catch {
            lastError = "own rules: \(error)"
            context.log.error("own rules could not be read, the old ones stay in force: \(error)")
            return ControlReply.errorLine("the old own rules stay in force: \(error)")
        }
        publish(old.with(policies, epoch: epoch &+ 1, unfiltered: old.unfiltered))
        let count = policies.reduce(0) { $0 + $1.ownRuleCount }
        context.log.info("own rules read: \(count)")
        return ControlReply.okLine { $0.member("ownRules", count) }
    }

    /// Replaces each snapshot in force whose pages were lost by the newest one of its policy that
    /// is whole. With none the policy filters nothing, and `status` says so.
    mutating func replaceLost() {
        let old = context.state.load()
        guard old.filters.policies.contains(where: \.isDamaged) else { return }
        var unfiltered = old.unfiltered
        var faults: [String] = []
        let policies = old.filters.policies.map { policy in
            guard policy.isDamaged else { return policy }
            var ownRules = policy.ownRules
            if ownRules?.isDamaged == true {
                ownRules = nil
                faults.append(
                    "policy \(policy.name): the own rules in force were cut or cannot be read any "
                        + "more; run: sluice rules")
            }
            guard policy.snapshot?.isDamaged == true else {
                return FilterSet.Policy(
                    name: policy.name, snapshot: policy.snapshot, ownRules: ownRules)
            }
            let other = StateLoader.newestWholeSnapshot(
                of: policy.name, in: context.settings.stateDirectory)
            let outcome = other.map { "snapshot \($0.snapshotID) is in force" }
            if other == nil, !unfiltered.contains(policy.name) { unfiltered.append(policy.name) }
            faults.append(
                "policy \(policy.name): the snapshot in force was cut or cannot be read any more; "
                    + (outcome ?? "there is no other one, nothing is filtered"))
            return FilterSet.Policy(name: policy.name, snapshot: other, ownRules: ownRules)
        }
        publish(old.with(policies, epoch: epoch &+ 1, unfiltered: unfiltered))
        lastError = faults.joined(separator: "; ")
        for fault in faults { context.log.error(fault) }
    }

    private mutating func publish(_ state: ActiveState) {
        epoch &+= 1
        context.state.publish(state)
        context.wakeWorkers()
    }

    /// Keys whose change a reload does not put in force.
    private static func keysThatNeedRestart(_ old: Settings, _ new: Settings) -> [String] {
        var keys: [String] = []
        if old.listen != new.listen { keys.append("listen") }
        if old.upstreams != new.upstreams { keys.append("upstreams") }
        if old.blockAnswer != new.blockAnswer { keys.append("block-answer") }
        if old.blockTTL != new.blockTTL { keys.append("block-ttl") }
        if old.ttl != new.ttl { keys.append("ttl") }
        if old.serveStale != new.serveStale { keys.append("serve-stale") }
        if old.tcp != new.tcp { keys.append("tcp") }
        if old.cacheSize != new.cacheSize { keys.append("cache-size") }
        if old.memoryLimit != new.memoryLimit { keys.append("memory-limit") }
        if old.workers != new.workers { keys.append("workers") }
        if old.log != new.log { keys.append("log") }
        if old.stateDirectory != new.stateDirectory { keys.append("state-directory") }
        if old.controlSocket != new.controlSocket { keys.append("control-socket") }
        return keys
    }
}

extension FilterSet.Policy {
    /// Whether pages of its files were lost.
    fileprivate var isDamaged: Bool {
        snapshot?.isDamaged == true || ownRules?.isDamaged == true
    }

    /// Names with own rules.
    var ownRuleCount: Int { ownRules?.conditionalNameCount ?? 0 }
}
