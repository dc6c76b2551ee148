/// `sluice help [COMMAND] [--man | --completion SHELL]`
enum HelpCommand {
    /// Writes the help, the manual page or the completion.
    static func run(_ invocation: Invocation, console: Console) -> CommandOutcome {
        if invocation.has(.man) {
            console.output(ManualPage.text)
        } else if invocation.has(.completion) {
            console.output(ShellCompletion.bash)
        } else if let word = invocation.argumentText, let name = CommandName(rawValue: word) {
            console.output(HelpText.of(Command.of(name)))
        } else {
            console.output(HelpText.overview)
        }
        return .good
    }
}
