/// Why the arguments are no command; exit 2.
package enum UsageError: Error, Equatable, Sendable {
    /// Nothing was said.
    case missingCommand
    /// A word that is no command.
    case unknownCommand(String, nearest: String?)
    /// A flag that the command does not take.
    case unknownFlag(String, command: CommandName?, nearest: String?)
    /// A flag at the end that needs a value.
    case missingValue(flag: String, placeholder: String, command: CommandName)
    /// `--flag=value` of a flag that takes none.
    case unexpectedValue(flag: String, command: CommandName)
    /// A value that is not what the flag or argument takes.
    case badValue(
        name: String, value: String, expected: String, nearest: String?, command: CommandName)
    /// A flag twice that may be given once.
    case repeatedFlag(String, command: CommandName)
    /// Two flags that contradict each other.
    case clash(String, String, command: CommandName)
    /// An argument that the command needs.
    case missingArgument(String, command: CommandName)
    /// An argument more than the command takes.
    case extraArgument(String, command: CommandName)
}

extension UsageError: CustomStringConvertible {
    /// What is wrong, the nearest right word, and where to read on.
    package var description: String {
        switch self {
        case .missingCommand: "no command; see `sluice help`"
        case .unknownCommand(let word, let nearest):
            "unknown command '\(shown(word))'\(hint(nearest)); see `sluice help`"
        case .unknownFlag(let flag, let command, let nearest):
            "unknown flag '\(shown(flag))'\(hint(nearest))\(help(command))"
        case .missingValue(let flag, let placeholder, let command):
            "'\(flag)' needs a value: \(flag) \(placeholder)\(help(command))"
        case .unexpectedValue(let flag, let command):
            "'\(flag)' takes no value\(help(command))"
        case .badValue(let name, let value, let expected, let nearest, let command):
            "bad value '\(shown(value))' for \(name)"
                + (nearest == nil ? "; expected \(expected)" : hint(nearest)) + help(command)
        case .repeatedFlag(let flag, let command): "'\(flag)' is given twice\(help(command))"
        case .clash(let first, let second, let command):
            "'\(first)' and '\(second)' contradict each other\(help(command))"
        case .missingArgument(let name, let command): "\(name) is missing\(help(command))"
        case .extraArgument(let word, let command):
            "'\(shown(word))' is one argument too many\(help(command))"
        }
    }

    private func hint(_ nearest: String?) -> String {
        nearest.map { "; did you mean '\($0)'?" } ?? ""
    }

    private func help(_ command: CommandName?) -> String {
        "; see `sluice help\(command.map { " \($0.rawValue)" } ?? "")`"
    }

    private func shown(_ word: String) -> String { Console.printable(word) }
}
