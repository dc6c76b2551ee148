import Configuration

/// From words to a checked command, by the table.
///
/// `--flag VALUE`, `--flag=VALUE`, `-f VALUE` and `-fVALUE` are the same; flags and arguments mix;
/// after `--` every word is an argument, and so is `-`, standard input, with what a colon adds.
package enum CommandLineParser {
    /// What the words ask for.
    package enum Request: Equatable, Sendable {
        /// A command.
        case run(Invocation)
        /// The help of a command.
        case help(CommandName)
        /// The help of all.
        case overview
        /// The version.
        case version
    }

    /// The request that `words`, without the program's name, make.
    package static func parse(_ words: [String]) throws(UsageError) -> Request {
        guard let first = words.first else { throw .missingCommand }
        switch first {
        case "--help", "-h": return .overview
        case "--version", "-V": return .version
        default: break
        }
        if first.hasPrefix("-") {
            let nearest = NearestName.of(first, among: ["--help", "--version"])
            throw .unknownFlag(first, command: nil, nearest: nearest)
        }
        guard let name = CommandName(rawValue: first) else {
            let nearest = NearestName.of(first, among: CommandName.allCases.map(\.rawValue))
            throw .unknownCommand(first, nearest: nearest)
        }
        return try parse(words.dropFirst(), of: Command.of(name))
    }

    private static func parse(
        _ words: ArraySlice<String>, of command: Command
    ) throws(UsageError) -> Request {
        var invocation = Invocation(command.name)
        var rest = words
        var takesFlags = true
        while let word = rest.popFirst() {
            if takesFlags, word == "--" {
                takesFlags = false
            } else if takesFlags, word.hasPrefix("-"), word != "-", !word.hasPrefix("-:") {
                let (flag, attached) = try flag(word, of: command)
                if flag.name == .help { return .help(command.name) }
                try take(flag, attached, &rest, &invocation)
            } else {
                try take(argument: word, of: command, &invocation)
            }
        }
        for argument in command.arguments.dropFirst(invocation.arguments.count)
        where argument.isRequired {
            throw .missingArgument(argument.placeholder, command: command.name)
        }
        for flag in command.flags where invocation.has(flag.name) {
            for other in flag.excludes where invocation.has(other) {
                throw .clash(
                    "--\(flag.name.rawValue)", "--\(other.rawValue)", command: command.name)
            }
        }
        return .run(invocation)
    }

    /// The flag that `word` names, and the value attached to it.
    private static func flag(
        _ word: String, of command: Command
    ) throws(UsageError) -> (flag: Command.Flag, attached: String?) {
        if word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            if let flag = command.allFlags.first(where: { $0.name.rawValue == name }) {
                return (flag, parts.count == 2 ? String(parts[1]) : nil)
            }
            let candidates = command.allFlags.map(\.name.rawValue)
            let nearest = NearestName.of(name, among: candidates).map { "--" + $0 }
            throw .unknownFlag("--" + name, command: command.name, nearest: nearest)
        }
        let letters = word.dropFirst()
        guard let flag = command.allFlags.first(where: { $0.short == letters.first }) else {
            // `-json` was probably meant to have two dashes.
            let nearest = command.allFlags.first { $0.name.rawValue == letters }
            throw .unknownFlag(
                word, command: command.name, nearest: nearest.map { "--" + $0.name.rawValue })
        }
        return (flag, letters.count > 1 ? String(letters.dropFirst()) : nil)
    }

    private static func take(
        _ flag: Command.Flag, _ attached: String?, _ rest: inout ArraySlice<String>,
        _ invocation: inout Invocation
    ) throws(UsageError) {
        let name = "--\(flag.name.rawValue)"
        if invocation.has(flag.name), !flag.isRepeatable {
            throw .repeatedFlag(name, command: invocation.command)
        }
        guard let placeholder = flag.placeholder else {
            guard attached == nil else {
                throw .unexpectedValue(flag: name, command: invocation.command)
            }
            invocation.flags[flag.name] = []
            return
        }
        guard let text = attached ?? rest.popFirst() else {
            throw .missingValue(
                flag: name, placeholder: placeholder, command: invocation.command)
        }
        let value = try value(text, flag.kind, name: "'\(name)'", command: invocation.command)
        invocation.flags[flag.name, default: []].append(value)
    }

    private static func take(
        argument word: String, of command: Command, _ invocation: inout Invocation
    ) throws(UsageError) {
        guard invocation.arguments.count < command.arguments.count else {
            throw .extraArgument(word, command: command.name)
        }
        let argument = command.arguments[invocation.arguments.count]
        invocation.arguments.append(
            try value(word, argument.kind, name: argument.placeholder, command: command.name))
    }

    private static func value(
        _ text: String, _ kind: ValueKind, name: String, command: CommandName
    ) throws(UsageError) -> CommandValue {
        if let value = kind.value(of: text) { return value }
        var nearest: String?
        if case .oneOf(let words) = kind { nearest = NearestName.of(text, among: words) }
        throw .badValue(
            name: name, value: text, expected: kind.expectation, nearest: nearest,
            command: command)
    }
}
