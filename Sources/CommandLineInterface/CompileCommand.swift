import Configuration
import Cryptography
import FilterCompiler
import FilterIndex
import LinuxSystem
import ListUpdates
import Quantities

/// `sluice compile [--config F | --list … [-o OUT]] [--prefilter-false-positive-rate P] [--json]`
enum CompileCommand {
    /// Compiles, publishes and reports. When anything fails, what is in force stays.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let started = Clock.now()
        if invocation.has(.output), invocation.lists.isEmpty {
            console.message(
                "'--output' needs '--list'; see `sluice help compile`")
            return .usage
        }
        var report =
            invocation.lists.isEmpty
            ? try compileConfigured(invocation, console: console)
            : try compileLists(invocation, console: console)
        report.duration = Clock.now() - started
        for line in report.warnings { console.message(line) }
        for line in report.errorLines { console.message(line) }
        for line in report.messages { console.message(line) }
        console.output(invocation.has(.json) ? report.json + "\n" : report.text)
        return report.isWhole ? .good : .found
    }

    /// Compiles the policies of the configuration into the state directory.
    private static func compileConfigured(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CompileReport {
        let settings = try SettingsSource.load(invocation, console: console, warns: true)
        let line = ProgressDisplay(console: console)
        defer { line.end() }
        do throws(UpdateError) {
            let outcome = try ConfiguredCompilation.run(
                settings,
                ConfiguredCompilation.Options(
                    configuration: invocation.configurationFile,
                    falsePositiveRate: invocation.rate(.prefilterFalsePositiveRate),
                    skipsUnchanged: false, version: ProgramVersion.text)
            ) { line.show($0) }
            return CompileReport(outcome)
        } catch {
            throw .update(error)
        }
    }

    /// Compiles the lists of `--list` into one file.
    private static func compileLists(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CompileReport {
        let output = invocation.text(.output) ?? "default.sluice"
        let inputs = ListInput.inputs(invocation.lists)
        var sources: [ListSource] = []
        for input in inputs {
            do throws(SystemError) {
                let format = try input.guessedFormat()
                sources.append(
                    ListSource(
                        name: input.name, text: .file(path: input.path),
                        origin: FileIO.absolute(path: input.path),
                        options: input.options(format)))
            } catch {
                throw .unreadableList(name: input.name, cause: error)
            }
        }
        var prefilter = PrefilterOptions()
        if let rate = invocation.rate(.prefilterFalsePositiveRate) {
            prefilter.falsePositiveRate = rate
        }
        var line = ProgressLine(console: console)
        let result: CompilationResult
        do throws(CompilationError) {
            result = try Compilation(lists: sources, prefilter: prefilter).write(to: output) {
                let name = inputs[$0.list].name
                line.show(
                    "reading \(name) (\($0.list + 1) of \($0.listCount))", done: $0.octetsRead,
                    of: nil)
            }
        } catch {
            line.end()
            if case .unreadableList(let name, let cause) = error {
                throw .unreadableList(name: name, cause: cause)
            }
            throw .compilation(error)
        }
        line.end()
        return CompileReport(
            CompileReport.Policy(
                name: Settings.defaultPolicy, file: output, isChanged: true, result: result,
                inputs: inputs))
    }
}

extension Settings {
    /// The policy of clients not named.
    static let defaultPolicy = "default"
}
