/// The completion for bash, made from the table of commands.
package enum ShellCompletion {
    /// A script to source: completes commands, flags, words and files.
    package static var bash: String {
        var text = """
            # bash completion for sluice; source it, or put it into
            # /usr/share/bash-completion/completions/sluice
            _sluice() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W "\(commands) --help --version" -- "$word"))
                    return
                fi
                case ${COMP_WORDS[1]} in

            """
        for command in Command.table { text += branch(command) }
        text += """
                esac
            }
            complete -F _sluice sluice

            """
        return text
    }

    private static var commands: String {
        CommandName.allCases.map(\.rawValue).joined(separator: " ")
    }

    private static func branch(_ command: Command) -> String {
        var lines = ["    \(command.name.rawValue))"]
        let withValue = command.allFlags.filter { $0.placeholder != nil }
        if !withValue.isEmpty {
            lines.append("        case $previous in")
            for flag in withValue {
                let short = flag.short.map { "|-\($0)" } ?? ""
                lines.append(
                    "        --\(flag.name.rawValue)\(short)) \(action(flag.kind)); return ;;")
            }
            lines.append("        esac")
        }
        let flags = command.allFlags.map { "--\($0.name.rawValue)" }.joined(separator: " ")
        lines += [
            "        if [[ $word == -* ]]; then",
            "            COMPREPLY=($(compgen -W \"\(flags)\" -- \"$word\"))",
            "            return",
            "        fi",
        ]
        if let argument = command.arguments.first {
            lines.append("        \(action(argument.kind))")
        }
        lines.append("        ;;")
        return lines.map { "    " + $0 }.joined(separator: "\n") + "\n"
    }

    /// What completes a value.
    private static func action(_ kind: ValueKind) -> String {
        switch kind {
        case .path, .list: "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
        case .oneOf(let words):
            "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
        case .none, .text, .duration, .size, .rate, .address, .domainName: ":"
        }
    }
}
