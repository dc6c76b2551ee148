import Configuration
import Cryptography
import FilterCompiler
import FilterIndex
import LinuxSystem
import ListUpdates
import Quantities

/// `sluice compile [--config F | --list … [-o OUT]] [--prefilter-false-positive-rate P]
/// [--build-memory SIZE] [--json]`
enum CompileCommand {
    /// Compiles, publishes and reports. When anything fails, what is in force stays.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let started = Clock.now()
        Process.returnLargeBlocks()
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
                    skipsUnchanged: false, version: ProgramVersion.text,
                    buildMemory: invocation.buildMemory)
            ) {
                line.show($0)
            } forecast: {
                line.end()
                console.message(Self.text(of: $0))
            }
            return CompileReport(outcome)
        } catch {
            throw .update(error)
        }
    }

    /// What the daemon will need, for people.
    static func text(of memory: MemoryPlan) -> String {
        "serving memory: \(memory.total) of \(memory.limit) (\(memory.figures))"
    }

    /// Compiles the lists of `--list` into one file.
    private static func compileLists(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CompileReport {
        let output = invocation.text(.output) ?? "default.sluice"
        let inputs = Compilation.ordered(ListInput.inputs(invocation.lists), by: \.name)
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
            let compilation = Compilation(
                lists: sources, prefilter: prefilter,
                memory: BuildMemory(bound: invocation.buildMemory),
                scratchDirectory: FileIO.parent(of: output) ?? ".")
            result = try compilation.write(to: output) { line.show($0) }
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

extension Invocation {
    /// The memory that compiling may take.
    var buildMemory: ByteCount { size(.buildMemory) ?? BuildMemory.standard }
}

extension Settings {
    /// The policy of clients not named.
    static let defaultPolicy = "default"
}
