import Configuration
import Control
import FilterIndex
import LinuxSystem
import ListUpdates
import Quantities

/// `sluice update [--config F] [--force] [--diff] [--json]`
enum UpdateCommand {
    /// Updates and reports. When anything fails, what is in force stays.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let settings = try SettingsSource.load(invocation, console: console, warns: true)
        Process.returnLargeBlocks()
        let outcome: UpdateOutcome
        let line = ProgressDisplay(console: console)
        do throws(UpdateError) {
            outcome = try ListUpdate.run(
                settings,
                ListUpdate.Options(
                    compilation: ConfiguredCompilation.Options(
                        configuration: invocation.configurationFile, skipsUnchanged: true,
                        version: ProgramVersion.text, buildMemory: invocation.buildMemory),
                    takesDoubtful: invocation.has(.force))
            ) {
                line.show($0)
            } forecast: {
                line.end()
                console.message(CompileCommand.text(of: $0))
            }
            line.end()
        } catch {
            line.end()
            throw .update(error)
        }
        let report = UpdateReport(outcome, settings: settings, namesChanges: invocation.has(.diff))
        for line in report.messages { console.message(Console.printable(line)) }
        console.output(invocation.has(.json) ? report.json + "\n" : report.text)
        if case .failed = outcome.daemon { return .failure }
        return outcome.isGood ? .good : .found
    }
}
