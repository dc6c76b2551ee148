import LinuxSystem

/// Runs the command that the words name. Each command has a file of its own.
package enum CommandRunner {
    /// Runs what the arguments of the process ask for and ends it with the command's status.
    package static func runProcess() -> Never {
        let words = Array(CommandLine.arguments.dropFirst())
        Process.exit(run(words, console: .standard).rawValue)
    }

    /// Runs what `words`, the arguments without the program's name, ask for.
    package static func run(_ words: [String], console: Console) -> CommandOutcome {
        let request: CommandLineParser.Request
        do throws(UsageError) {
            request = try CommandLineParser.parse(words)
        } catch {
            console.message(error.description)
            return .usage
        }
        switch request {
        case .overview: console.output(HelpText.overview)
        case .version: console.output("sluice \(ProgramVersion.text)\n")
        case .help(let name): console.output(HelpText.of(Command.of(name)))
        case .run(let invocation):
            do throws(CommandError) {
                return try run(invocation, console: console)
            } catch {
                console.message(error.description)
                return error.outcome
            }
        }
        return .good
    }

    private static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        switch invocation.command {
        case .serve: return try ServeCommand.run(invocation, console: console)
        case .compile: return try CompileCommand.run(invocation, console: console)
        case .update: return try UpdateCommand.run(invocation, console: console)
        case .rollback: return try RollbackCommand.run(invocation, console: console)
        case .export: return try ExportCommand.run(invocation, console: console)
        case .lint: return try LintCommand.run(invocation, console: console)
        case .inspect: return try InspectCommand.run(invocation, console: console)
        case .explain: return try ExplainCommand.run(invocation, console: console)
        case .trial: return try TryCommand.run(invocation, console: console)
        case .allow, .block: return try OwnRulesCommand.put(invocation, console: console)
        case .rules: return try OwnRulesCommand.rules(invocation, console: console)
        case .status, .reload, .pause, .resume, .flush:
            return try DaemonCommand.run(invocation, console: console)
        case .checkConfig: return CheckConfigCommand.run(invocation, console: console)
        case .help: return HelpCommand.run(invocation, console: console)
        }
    }
}
