import Configuration
import Control
import FilterIndex
import LinuxSystem
import ListUpdates

/// `sluice export FORMAT [--policy P | --snapshot F] [-o FILE] [--json]`
enum ExportCommand {
    /// Writes the text, and what could not be written as messages.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        guard let format = invocation.argumentText.flatMap(ExportFormat.init(rawValue:)) else {
            preconditionFailure("the table says that export needs a format")
        }
        if invocation.has(.json), !invocation.has(.output) {
            console.message("'--json' needs '--output'; see `sluice help export`")
            return .usage
        }
        let path = try snapshotPath(invocation, console: console)
        let snapshot: Snapshot
        do { snapshot = try Snapshot(path: path) } catch { throw .snapshot(error) }
        let outcome: SnapshotExport.Outcome
        do throws(SystemError) {
            outcome = try write(snapshot, format, invocation.text(.output), console)
        } catch {
            throw .system(error)
        }
        for line in messages(outcome, format) { console.message(line) }
        if invocation.has(.json) { console.output(json(outcome) + "\n") }
        return outcome.isWhole ? .good : .found
    }

    private static func snapshotPath(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> String {
        if let path = invocation.text(.snapshot) { return path }
        let settings = try SettingsSource.load(invocation, console: console)
        let policy = invocation.text(.policy) ?? Settings.defaultPolicy
        let names = settings.policies.map(\.name)
        guard names.contains(policy) else {
            throw .update(.unknownPolicy(policy, known: names))
        }
        let store = PolicyStore(policy: policy, stateDirectory: settings.stateDirectory)
        guard FileIO.kind(path: store.current) != nil else {
            throw .notCompiled(policy: policy, configuration: invocation.configurationFile)
        }
        return store.current
    }

    private static func write(
        _ snapshot: Snapshot, _ format: ExportFormat, _ output: String?, _ console: Console
    ) throws(SystemError) -> SnapshotExport.Outcome {
        guard let output else {
            return try SnapshotExport.write(snapshot, as: format) { octets throws(SystemError) in
                console.output(octets)
            }
        }
        var outcome = SnapshotExport.Outcome()
        try FileIO.replace(path: output, mode: 0o644) { file throws(SystemError) in
            outcome = try SnapshotExport.write(snapshot, as: format) {
                octets throws(SystemError) in
                try file.writeAll(octets)
            }
        }
        return outcome
    }

    /// What the format could not say.
    private static func messages(
        _ outcome: SnapshotExport.Outcome, _ format: ExportFormat
    ) -> [String] {
        let kinds = [
            (outcome.withoutBelow, "names are written alone, though what is below is blocked too"),
            (outcome.onlyBelow, "names are left out, of which only what is below is blocked"),
            (outcome.exceptions, "exceptions are left out"),
            (outcome.unwritable, "names are left out, which the format cannot write"),
            (outcome.conditional, "names with conditions are left out"),
            (outcome.patterns, "patterns are left out"),
            (outcome.rewrites, "names with rewrites are left out"),
        ]
        return kinds.compactMap { count, text in
            count == 0 ? nil : "\(format.rawValue): \(AlignedText.count(count)) \(text)"
        }
    }

    private static func json(_ outcome: SnapshotExport.Outcome) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("blocked", outcome.blocked)
            object.member("allowed", outcome.allowed)
            object.member("withoutBelow", outcome.withoutBelow)
            object.member("onlyBelow", outcome.onlyBelow)
            object.member("exceptions", outcome.exceptions)
            object.member("unwritable", outcome.unwritable)
            object.member("conditional", outcome.conditional)
            object.member("patterns", outcome.patterns)
            object.member("rewrites", outcome.rewrites)
        }
        return writer.text
    }
}
