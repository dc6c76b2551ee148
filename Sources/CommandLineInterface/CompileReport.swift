import Configuration
import Control
import Cryptography
import FilterCompiler
import FilterIndex
import LinuxSystem
import ListUpdates
import Quantities

/// What `sluice compile` prints, for people and for machines.
struct CompileReport {
    /// One policy and its snapshot.
    struct Policy {
        /// Its name.
        let name: String
        /// The snapshot.
        let file: String
        /// Whether it was not in force before.
        let isChanged: Bool
        /// What was compiled.
        let result: CompilationResult
        /// The lists, in the order of the result.
        let inputs: [ListInput]
    }

    /// The policies, in the order of the configuration.
    let policies: [Policy]
    /// What the daemon will need; `nil` without a configuration.
    var memory: MemoryPlan?
    /// The configuration; `nil` without one.
    var configuration: String?
    /// How long it took.
    var duration = Duration.zero

    /// What there is to say about policies as a whole.
    var messages: [String] = []
    /// Whether every policy has all its lists.
    var isWhole = true

    /// A report on one snapshot.
    init(_ policy: Policy) { policies = [policy] }

    /// A report on the policies of a configuration.
    init(_ outcome: ConfiguredOutcome) {
        policies = outcome.policies.compactMap { policy in
            guard let result = policy.result else { return nil }
            return Policy(
                name: policy.name, file: policy.file, isChanged: policy.state.isPublished,
                result: result, inputs: policy.inputs)
        }
        memory = outcome.memory
        configuration = outcome.configuration
        messages = outcome.messages
        isWhole = outcome.isWhole
    }

    /// Wrong lines that are shown.
    private static let errorLimit = 10

    /// The first wrong lines of all lists, and how many more there are.
    var errorLines: [String] {
        var lines: [String] = []
        var seen: Set<String> = []
        var total = 0
        var rest: String?
        for policy in policies {
            let result = policy.result
            let fresh = Set(result.lists.indices.filter { !seen.contains(result.lists[$0].name) })
            seen.formUnion(result.lists.map(\.name))
            guard !fresh.isEmpty else { continue }
            for diagnostic in result.diagnostics where fresh.contains(diagnostic.list) {
                let list = result.lists[diagnostic.list]
                total += 1
                if lines.count < Self.errorLimit {
                    lines.append("\(list.name):\(diagnostic.line): \(diagnostic.reason)")
                } else if rest == nil {
                    rest = "\(policy.inputs[diagnostic.list].path):\(list.format)"
                }
            }
            // Beyond the diagnostics that are kept, lists seen before cannot be told apart.
            total += result.diagnosticCount - result.diagnostics.count
        }
        if let rest {
            let more = AlignedText.count(total - lines.count)
            lines.append("and \(more) more wrong lines; see: sluice lint \(rest)")
        }
        return lines
    }

    /// What is odd about whole lists, each said once.
    var warnings: [String] {
        var lines: [String] = []
        for policy in policies {
            for (list, input) in zip(policy.result.lists, policy.inputs) {
                guard let suspicion = ListSuspicion(list) else { continue }
                let line = "list \(list.name): \(suspicion.text(list, path: input.path))"
                if !lines.contains(line) { lines.append(line) }
            }
        }
        return lines
    }

    // MARK: For people

    /// Aligned figures, policy by policy.
    var text: String {
        var text = ""
        for policy in policies { text += Self.text(of: policy) }
        var rows: [[String]] = []
        if let memory {
            rows.append([
                "serving memory", "\(memory.total) of \(memory.limit) (\(memory.figures))",
            ])
        }
        let peak = ByteCount(Process.peakResidentOctets)
        rows.append(["time", "\(AlignedText.seconds(duration)), peak memory \(peak)"])
        text += AlignedText.columns(rows, indent: 0)
        if let configuration, policies.contains(where: \.isChanged) {
            text += "to put it in force: sluice reload --config \(configuration)\n"
        }
        return text
    }

    private static func text(of policy: Policy) -> String {
        let result = policy.result
        let state = policy.isChanged ? "" : " (unchanged)"
        var rows = [
            ["names", AlignedText.count(result.names)],
            ["after covering", AlignedText.count(result.namesAfterCovering)],
            [
                "size",
                "\(result.size), "
                    + "\(AlignedText.decimal(result.bytesPerName, places: 2)) bytes a name",
            ],
            ["prefilter", "\(result.prefilterSize)"],
            ["snapshot id", "\(result.snapshotID)"],
        ]
        if result.patterns > 0 {
            let size = result.sizes.first { $0.kind == .patterns }?.size ?? ByteCount(0)
            rows.append(["patterns", "\(AlignedText.count(result.patterns)), \(size)"])
        }
        for list in result.lists {
            rows.append([
                "list \(list.name)",
                "\(list.format), \(AlignedText.count(list.lineCount)) lines, "
                    + "\(AlignedText.count(list.blockRules)) block, "
                    + "\(AlignedText.count(list.allowRules)) allow, "
                    + "\(AlignedText.count(list.rewriteRules)) rewrite",
            ])
        }
        let skipped = result.skipped.sorted { ($1.count, $0.kind) < ($0.count, $1.kind) }
        for (index, kind) in skipped.enumerated() {
            rows.append([
                index == 0 ? "skipped" : "", "\(AlignedText.count(kind.count)) \(kind.kind)",
            ])
        }
        return Console.printable("policy \(policy.name): \(policy.file)\(state)") + "\n"
            + AlignedText.columns(rows)
    }

    // MARK: For machines

    /// One object: the policy's members, or `policies` when there are several.
    var json: String {
        var writer = JSONWriter()
        writer.object { object in
            if let only = policies.first, policies.count == 1 {
                Self.write(only, to: &object)
            } else {
                object.member("policies") { value in
                    value.array { array in
                        for policy in policies {
                            array.object { Self.write(policy, to: &$0) }
                        }
                    }
                }
            }
            object.member("seconds", Double(duration.wholeNanoseconds) / 1e9)
            object.member("peakRSSBytes", Process.peakResidentOctets)
            if let memory {
                object.member("servingMemoryBytes", memory.total.octets)
                object.member("memoryLimitBytes", memory.limit.octets)
            }
        }
        return writer.text
    }

    private static func write(_ policy: Policy, to object: inout JSONWriter) {
        let result = policy.result
        object.member("policy", policy.name)
        object.member("file", policy.file)
        object.member("changed", policy.isChanged)
        object.member("names", result.names)
        object.member("namesAfterCovering", result.namesAfterCovering)
        object.member("patterns", result.patterns)
        object.member("bytes", result.size.octets)
        object.member("bytesPerName", result.bytesPerName)
        object.member("prefilterBytes", result.prefilterSize.octets)
        object.member("snapshotID", "\(result.snapshotID)")
        object.member("rules", result.rules)
        object.member("skipped") { $0.skipped(result.skipped) }
        object.member("errors", result.diagnosticCount)
        object.member("lists") { $0.lists(result.lists) }
    }
}

extension JSONWriter {
    /// Writes counts of lines by kind as one object.
    mutating func skipped(_ kinds: [SnapshotManifest.Skipped]) {
        object { for kind in kinds { $0.member(kind.kind, kind.count) } }
    }

    /// Writes the lists of a snapshot as an array of objects.
    mutating func lists(_ lists: [SnapshotManifest.List]) {
        array { array in
            for list in lists {
                array.object { object in
                    object.member("name", list.name)
                    object.member("source", list.source)
                    object.member("format", list.format)
                    object.member("action", list.isAllowList ? "allow" : "block")
                    object.member("digest", "\(list.digest)")
                    object.member("bytes", list.textSize)
                    object.member("lines", list.lineCount)
                    object.member("blockRules", list.blockRules)
                    object.member("allowRules", list.allowRules)
                    object.member("rewriteRules", list.rewriteRules)
                    object.member("skipped") { $0.skipped(list.skipped) }
                }
            }
        }
    }
}
