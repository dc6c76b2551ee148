import Configuration
import Control
import LinuxSystem
import Quantities

/// `sluice check-config [FILE] [--json]`
enum CheckConfigCommand {
    /// Writes every problem of the configuration, a line each, or that there is none.
    static func run(_ invocation: Invocation, console: Console) -> CommandOutcome {
        let file = invocation.argumentText ?? Settings.defaultFile
        let text: [UInt8]
        do throws(SystemError) {
            text = try FileIO.readWhole(
                path: file, limit: ConfigurationLimits.documentSize.octets)
        } catch {
            console.message(error.description)
            return .failure
        }
        let (settings, problems) = Settings.load(text: text, file: file)
        if invocation.has(.json) {
            console.output(json(file: file, isGood: settings != nil, problems) + "\n")
        } else {
            for problem in problems { console.output("\(problem)\n") }
            if settings != nil { console.output("\(Console.printable(file)): good\n") }
        }
        return settings == nil ? .failure : .good
    }

    private static func json(
        file: String, isGood: Bool, _ problems: [ConfigurationProblem]
    ) -> String {
        var writer = JSONWriter()
        writer.object {
            $0.member("file", file)
            $0.member("good", isGood)
            $0.member("problems") {
                $0.array {
                    for problem in problems {
                        $0.object {
                            $0.member("line", problem.line)
                            $0.member("column", problem.column)
                            $0.member("severity", problem.isWarning ? "warning" : "error")
                            $0.member("message", problem.kind.description)
                        }
                    }
                }
            }
        }
        return writer.text
    }
}
