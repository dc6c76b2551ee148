import Configuration
import Cryptography
import FilterCompiler
import FilterIndex
import LinuxSystem
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
            ? try ConfiguredCompilation.run(invocation, console: console)
            : try compileLists(invocation, console: console)
        report.duration = Clock.now() - started
        for line in report.warnings { console.message(line) }
        for line in report.errorLines { console.message(line) }
        console.output(invocation.has(.json) ? report.json + "\n" : report.text)
        return .good
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
                throw .unreadableList(name: input.name, cause: error, configuration: nil)
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
                throw .unreadableList(name: name, cause: cause, configuration: nil)
            }
            throw .compilation(policy: Settings.defaultPolicy, error)
        }
        line.end()
        return CompileReport(
            policies: [
                .init(
                    name: Settings.defaultPolicy, file: output, isChanged: true, result: result,
                    inputs: inputs)
            ])
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
