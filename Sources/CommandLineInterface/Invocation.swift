import Configuration
import DomainNames
import Quantities

/// A command with its arguments and flags, checked against the table and typed.
package struct Invocation: Equatable, Sendable {
    /// The command.
    package let command: CommandName
    /// What was given without a flag, in order.
    package internal(set) var arguments: [CommandValue] = []
    /// The flags that were given; those without a value have none.
    package internal(set) var flags: [FlagName: [CommandValue]] = [:]

    /// `command` without arguments and flags.
    init(_ command: CommandName) { self.command = command }

    /// Whether the flag was given.
    package func has(_ flag: FlagName) -> Bool { flags[flag] != nil }

    /// The path, word or text of a flag.
    package func text(_ flag: FlagName) -> String? {
        guard case .text(let text)? = flags[flag]?.first else { return nil }
        return text
    }

    /// The rate of a flag.
    package func rate(_ flag: FlagName) -> Double? {
        guard case .rate(let rate)? = flags[flag]?.first else { return nil }
        return rate
    }

    /// The duration of a flag.
    package func duration(_ flag: FlagName) -> Duration? {
        guard case .duration(let duration)? = flags[flag]?.first else { return nil }
        return duration
    }

    /// The size of a flag.
    package func size(_ flag: FlagName) -> ByteCount? {
        guard case .size(let size)? = flags[flag]?.first else { return nil }
        return size
    }

    /// The address of a flag.
    package func address(_ flag: FlagName) -> IPAddress? {
        guard case .address(let address)? = flags[flag]?.first else { return nil }
        return address
    }

    /// The lists of every `--list`, in order.
    package var lists: [ListArgument] {
        (flags[.list] ?? []).compactMap {
            guard case .list(let list) = $0 else { return nil }
            return list
        }
    }

    /// The first argument when it is a path, word or text.
    package var argumentText: String? {
        guard case .text(let text)? = arguments.first else { return nil }
        return text
    }

    /// The arguments that are paths, words or texts.
    package var argumentTexts: [String] {
        arguments.compactMap {
            guard case .text(let text) = $0 else { return nil }
            return text
        }
    }

    /// The first argument when it is a duration.
    package var argumentDuration: Duration? {
        guard case .duration(let duration)? = arguments.first else { return nil }
        return duration
    }

    /// The first argument when it is a name.
    package var argumentName: DomainName? {
        guard case .domainName(let name)? = arguments.first else { return nil }
        return name
    }

    /// The first argument when it is a list.
    package var argumentList: ListArgument? {
        guard case .list(let list)? = arguments.first else { return nil }
        return list
    }

    /// The configuration to read.
    package var configurationFile: String { text(.config) ?? Settings.defaultFile }
}
