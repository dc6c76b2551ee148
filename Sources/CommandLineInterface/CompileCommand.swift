import Configuration
import Cryptography
import FilterCompiler
import FilterIndex
import LinuxSystem
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
            result = try Compilation(lists: sources, prefilter: prefilter).write(to: output) {
                let name = inputs[$0.list].name
                line.show(
                    "reading \(name) (\($0.list + 1) of \($0.listCount))", done: $0.octetsRead,
                    of: nil)
            }
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

extension Settings {
    /// The policy of clients not named.
    static let defaultPolicy = "default"
}
