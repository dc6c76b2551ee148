/// One command, as data: the parser, the help, the manual page and the completion read it.
package struct Command: Sendable {
    /// Its word.
    package let name: CommandName
    /// What it does, in half a line.
    package let summary: String
    /// What else there is to know, in a sentence or more; may be empty.
    package let details: String
    /// What it takes without a flag, in order.
    package let arguments: [Argument]
    /// The flags that it takes beside `--help`.
    package let flags: [Flag]

    /// The command `name`.
    init(
        _ name: CommandName, _ summary: String, details: String = "", arguments: [Argument] = [],
        flags: [Flag] = []
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.arguments = arguments
        self.flags = flags
    }

    /// What a command takes without a flag.
    package struct Argument: Sendable {
        /// How the help calls it.
        package let placeholder: String
        /// What it may be.
        package let kind: ValueKind
        /// Whether the command needs it.
        package let isRequired: Bool
        /// What it is for.
        package let summary: String
    }

    /// What a command takes with dashes.
    package struct Flag: Sendable {
        /// Its long form, after two dashes.
        package let name: FlagName
        /// Its short form, after one dash.
        package let short: Character?
        /// How the help calls its value; `nil` when it takes none.
        package let placeholder: String?
        /// What the value may be.
        package let kind: ValueKind
        /// Whether it may be given more than once.
        package let isRepeatable: Bool
        /// Flags that contradict it.
        package let excludes: [FlagName]
        /// What it is for.
        package let summary: String

        /// The flag `name`; with a placeholder it takes a value of `kind`.
        init(
            _ name: FlagName, short: Character? = nil, value placeholder: String? = nil,
            of kind: ValueKind = .none, isRepeatable: Bool = false, excludes: [FlagName] = [],
            _ summary: String
        ) {
            self.name = name
            self.short = short
            self.placeholder = placeholder
            self.kind = kind
            self.isRepeatable = isRepeatable
            self.excludes = excludes
            self.summary = summary
        }

        /// `-o, --output FILE`
        package var usage: String {
            let value = placeholder.map { " \($0)" } ?? ""
            return (short.map { "-\($0), " } ?? "") + "--\(name.rawValue)\(value)"
        }
    }

    /// The flags with `--help`, which every command takes.
    package var allFlags: [Flag] { flags + [Flag(.help, short: "h", "show this help")] }

    /// The line of arguments: `explain NAME|URL [--snapshot FILE] …`.
    package var usage: String {
        var words = ["sluice", name.rawValue]
        words += arguments.map { $0.isRequired ? $0.placeholder : "[\($0.placeholder)]" }
        words += flags.map { flag in
            let value = flag.placeholder.map { " \($0)" } ?? ""
            return "[--\(flag.name.rawValue)\(value)]" + (flag.isRepeatable ? "…" : "")
        }
        return words.joined(separator: " ")
    }
}
