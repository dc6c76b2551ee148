/// The help, made from the table of commands.
package enum HelpText {
    /// All commands, a line each.
    package static var overview: String {
        let width = CommandName.allCases.map(\.rawValue.utf8.count).max() ?? 0
        var text = "sluice \(ProgramVersion.text): a DNS filter for this machine or network\n\n"
        text += "usage: sluice COMMAND [ARGUMENT …]\n\n"
        for command in Command.table {
            text += "  \(padded(command.name.rawValue, to: width))  \(command.summary)\n"
        }
        text += "\n`sluice help COMMAND` shows the flags of a command, "
        text += "`sluice --version` the version.\n"
        text += "\n\(exitStatuses)\n"
        return text
    }

    /// What the exit statuses mean.
    static let exitStatuses =
        "exit: 0 good, 1 found, blocked or different, 2 wrong arguments, 3 failed"

    /// The arguments and flags of one command.
    package static func of(_ command: Command) -> String {
        var rows = command.arguments.map { ($0.placeholder, $0.summary) }
        rows += command.allFlags.map { ($0.usage, $0.summary) }
        let width = rows.map(\.0.count).max() ?? 0
        var text = wrapped("usage: " + command.usage, indent: 14)
        text += "\n\(sentence(command.summary))\n"
        if !command.details.isEmpty { text += wrapped(command.details, indent: 0) }
        text += "\n"
        for (left, right) in rows { text += "  \(padded(left, to: width))  \(right)\n" }
        return text
    }

    /// `summary` with a capital letter and a full stop.
    static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// `text` in lines of at most 80 characters, all but the first indented; flags in brackets stay
    /// whole.
    private static func wrapped(_ text: String, indent: Int) -> String {
        var lines = [""]
        var isInBrackets = false
        for word in text.split(separator: " ") {
            let line = lines.removeLast()
            if line.isEmpty {
                lines.append(String(word))
            } else if isInBrackets || line.count + 1 + length(of: word, in: text) <= 80 {
                lines.append("\(line) \(word)")
            } else {
                lines += [line, String(repeating: " ", count: indent) + word]
            }
            if word.hasPrefix("[") { isInBrackets = !word.contains("]") }
            if isInBrackets, word.contains("]"), !word.hasPrefix("[") { isInBrackets = false }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The characters of `word`, and of what belongs to it up to its closing bracket.
    private static func length(of word: Substring, in text: String) -> Int {
        guard word.hasPrefix("["), !word.contains("]") else { return word.count }
        let rest = text[word.startIndex...]
        guard let close = rest.firstIndex(of: "]") else { return word.count }
        let end = text[close...].firstIndex(of: " ") ?? text.endIndex
        return text.distance(from: word.startIndex, to: end)
    }
}
