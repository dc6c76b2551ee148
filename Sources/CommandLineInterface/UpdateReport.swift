import Configuration
import Control
import FilterIndex
import ListUpdates
import Quantities

/// What `sluice update` prints, for people and for machines.
struct UpdateReport {
    private let outcome: UpdateOutcome
    private var differences: [String: SnapshotDifference] = [:]
    private var changes: [(policy: String, change: SnapshotDifference.Change)] = []
    private let namesChanges: Bool

    /// A report on `outcome`.
    /// - Parameter namesChanges: whether every name that changed is shown.
    init(_ outcome: UpdateOutcome, settings: Settings, namesChanges: Bool) {
        self.outcome = outcome
        self.namesChanges = namesChanges
        for policy in outcome.compilation.policies {
            let store = PolicyStore(policy: policy.name, stateDirectory: settings.stateDirectory)
            guard case .published(let identity?) = policy.state,
                let before = try? Snapshot(path: store.path(of: identity)),
                let after = try? Snapshot(path: policy.file)
            else { continue }
            differences[policy.name] = SnapshotDifference(from: before, to: after) { change in
                if namesChanges { changes.append((policy.name, change)) }
            }
        }
    }

    /// What people should know beside the table.
    var messages: [String] {
        var lines: [String] = []
        for list in outcome.lists {
            guard case .fault(let fault) = list.state else { continue }
            let rest =
                list.text == nil ? "there is no text from before" : "the text from before stays"
            lines.append("list \(list.name): \(fault); \(rest)")
        }
        return lines + outcome.compilation.messages
    }

    // MARK: For people

    /// A row for each list and each policy.
    var text: String {
        var text = ""
        if namesChanges {
            for (policy, change) in changes {
                let sign = change.isAdded ? "+" : "-"
                text += "\(sign)\(change.name) \(change.list)"
                text += differences.count > 1 ? " (\(policy))\n" : "\n"
            }
        }
        let lists = outcome.lists.map { list in
            ["list \(list.name)", Self.state(of: list), Self.size(of: list)]
        }
        let policies = outcome.compilation.policies.map { policy in
            [
                "policy \(policy.name)", Self.state(of: policy),
                differences[policy.name].map(Self.counts) ?? "",
            ]
        }
        text += AlignedText.columns(lists + policies, indent: 0)
        for policy in outcome.compilation.policies {
            guard let difference = differences[policy.name] else { continue }
            let rows = difference.lists.map { list in
                ["  \(list.name)", Self.counts(list.added, list.removed)]
            }
            text += AlignedText.columns(rows, indent: 2)
        }
        return Self.printableLines(text) + outcome.daemon.text + "\n"
    }

    private static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Console.printable(String($0)) }.joined(separator: "\n")
    }

    private static func state(of list: ListOutcome) -> String {
        switch list.state {
        case .unchanged: "unchanged"
        case .new: "new"
        case .fault(let fault): fault.isHeldBack ? "held back" : "not fetched"
        }
    }

    private static func size(of list: ListOutcome) -> String {
        guard let text = list.text else { return "" }
        let before = list.rulesBefore.map { " (\(AlignedText.count($0)) before)" } ?? ""
        return "\(AlignedText.count(text.rules)) rules\(before), \(text.size)"
    }

    private static func state(of policy: PolicyOutcome) -> String {
        switch policy.state {
        case .published: "new snapshot \(ConfiguredOutcome.short(policy.identity))"
        case .unchanged: "unchanged"
        case .rolledBack(let inForce): "rolled back, \(ConfiguredOutcome.short(inForce)) in force"
        case .kept: "kept, \(ConfiguredOutcome.short(policy.identity)) in force"
        }
    }

    private static func counts(_ difference: SnapshotDifference) -> String {
        counts(difference.counts.added, difference.counts.removed)
    }

    private static func counts(_ added: Int, _ removed: Int) -> String {
        "+\(AlignedText.count(added)) -\(AlignedText.count(removed)) names"
    }

    // MARK: For machines

    /// One object: lists, policies, and what the daemon did.
    var json: String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("lists") { $0.array { lists(&$0) } }
            object.member("policies") { $0.array { policies(&$0) } }
            object.member("daemon", outcome.daemon.key)
            object.member("servingMemoryBytes", outcome.compilation.memory.total.octets)
            object.member("memoryLimitBytes", outcome.compilation.memory.limit.octets)
        }
        return writer.text
    }

    private func lists(_ array: inout JSONWriter) {
        for list in outcome.lists {
            array.object { object in
                object.member("name", list.name)
                object.member("url", list.url)
                switch list.state {
                case .unchanged: object.member("state", "unchanged")
                case .new: object.member("state", "new")
                case .fault(let fault):
                    object.member("state", fault.isHeldBack ? "held-back" : "failed")
                    object.member("fault", fault.key)
                    object.member("reason", "\(fault)")
                }
                if let text = list.text {
                    object.member("rules", text.rules)
                    object.member("bytes", text.size.octets)
                }
                if let before = list.rulesBefore { object.member("rulesBefore", before) }
            }
        }
    }

    private func policies(_ array: inout JSONWriter) {
        for policy in outcome.compilation.policies {
            array.object { object in
                object.member("name", policy.name)
                object.member("state", policy.state.key)
                object.member("snapshotID", "\(policy.identity)")
                object.member("missing") {
                    $0.array { for name in policy.missing { $0.string(name) } }
                }
                guard let difference = differences[policy.name] else { return }
                object.member("added", difference.counts.added)
                object.member("removed", difference.counts.removed)
                object.member("changedLists") { $0.array { Self.write(difference.lists, &$0) } }
                guard namesChanges else { return }
                object.member("changes") { value in
                    value.array { array in
                        for (name, change) in changes where name == policy.name {
                            array.object { object in
                                object.member("name", change.name)
                                object.member("list", change.list)
                                object.member("added", change.isAdded)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func write(_ lists: [SnapshotDifference.List], _ array: inout JSONWriter) {
        for list in lists {
            array.object { object in
                object.member("name", list.name)
                object.member("added", list.added)
                object.member("removed", list.removed)
            }
        }
    }
}
