import Configuration

/// The manual page sluice(1) in roff with the man macros, made from the table of commands.
package enum ManualPage {
    /// The text of the page.
    package static var text: String {
        var lines = [
            ".TH SLUICE 1 \"\" \"Sluice \(ProgramVersion.text)\" \"User Commands\"",
            ".SH NAME", "sluice \\- a DNS filter for this machine or network",
            ".SH SYNOPSIS", ".B sluice", ".I COMMAND", "[\\fIARGUMENT\\fR ...]", ".br",
            ".B sluice \\-\\-version",
            ".SH COMMANDS",
        ]
        for command in Command.table { lines += section(command) }
        lines += [".SH EXIT STATUS"]
        for (status, meaning) in [
            ("0", "All good."), ("1", "Found, blocked or different."),
            ("2", "The arguments were wrong."), ("3", "It could not be done."),
        ] {
            lines += [".TP", ".B \(status)", meaning]
        }
        lines += [
            ".SH FILES", ".TP", ".I \(escaped(Settings.defaultFile))",
            "The configuration; its comments name every key.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ command: Command) -> [String] {
        var lines = [
            ".SS \"\(escaped(command.usage))\"",
            line(HelpText.sentence(command.summary)),
        ]
        if !command.details.isEmpty { lines.append(line(command.details)) }
        for argument in command.arguments {
            lines += [".TP", ".I \(escaped(argument.placeholder))", line(argument.summary)]
        }
        for flag in command.allFlags {
            lines += [".TP", ".B \(escaped(flag.usage))", line(flag.summary)]
        }
        return lines
    }

    /// `text` as a line of text: a dot or quote at its start is no request.
    private static func line(_ text: String) -> String {
        let start = text.first
        return (start == "." || start == "'" ? "\\&" : "") + escaped(text)
    }

    /// `text` with roff's own characters escaped; a dash stays a dash that can be copied.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "…": result += "..."
            default: result.append(character)
            }
        }
        return result
    }
}
