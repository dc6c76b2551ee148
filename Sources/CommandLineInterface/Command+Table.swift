import Configuration
import FilterCompiler

extension Command {
    /// Every command, in the order of the help.
    package static let table: [Command] =
        filterCommands + daemonCommands + [
            Command(
                .checkConfig, "show every mistake of a configuration with its line and the fix",
                details: "Exit 0 when the configuration is good, warnings or not, else 3.",
                arguments: [
                    Argument(
                        placeholder: "FILE", kind: .path, isRequired: false,
                        summary: "the configuration (default: \(Settings.defaultFile))")
                ],
                flags: [json]),
            Command(
                .help, "show how a command is used",
                arguments: [
                    Argument(
                        placeholder: "COMMAND", kind: .oneOf(CommandName.allCases.map(\.rawValue)),
                        isRequired: false, summary: "the command")
                ],
                flags: [
                    Flag(.man, excludes: [.completion], "write the manual page, in roff"),
                    Flag(
                        .completion, value: "SHELL", of: .oneOf(["bash"]), excludes: [.man],
                        "write the completion for a shell: bash"),
                ]),
        ]

    /// The command of a name.
    package static func of(_ name: CommandName) -> Command {
        guard let command = table.first(where: { $0.name == name }) else {
            preconditionFailure("every command stands in the table")
        }
        return command
    }

    private static let filterCommands: [Command] = [
        Command(
            .serve, "run the DNS proxy in the foreground",
            details: "Replaces itself by sluiced.", flags: [config]),
        Command(
            .compile, "compile lists into a snapshot",
            details: "With --list, those lists become one snapshot at --output; else the lists of "
                + "the configuration become a snapshot for each policy, in the state directory; "
                + "`sluice reload` puts them in force. A list may be packed by xz, gzip or zstd.",
            flags: [
                config,
                Flag(
                    .list, value: "FILE[:FORMAT[:SCOPE[:ACTION]]]", of: .list(fields: 4),
                    isRepeatable: true,
                    excludes: [.config], "a list to compile, not those of the configuration"),
                Flag(
                    .output, short: "o", value: "FILE", of: .path, excludes: [.config],
                    "where to write the snapshot of --list (default: default.sluice)"),
                Flag(
                    .prefilterFalsePositiveRate, value: "P", of: .rate,
                    "how many of the names that no list has look twice (default: 0.001)"),
                Flag(
                    .buildMemory, value: "SIZE", of: .size(BuildMemory.least...BuildMemory.most),
                    "the memory for sorting names, beyond which they go to temporary files in the "
                        + "state directory (default: 32MiB)"),
                json,
            ]),
        Command(
            .lint, "show what each line of a list was read as",
            details: "Exit 0 when every line was understood, 1 when one was wrong.",
            arguments: [
                Argument(
                    placeholder: "LIST[:FORMAT]", kind: .list(fields: 2), isRequired: true,
                    summary: "the list; - is standard input")
            ],
            flags: [json]),
        Command(
            .inspect, "show what a snapshot holds",
            arguments: [
                Argument(
                    placeholder: "FILE", kind: .path, isRequired: true, summary: "the snapshot")
            ],
            flags: [json]),
        Command(
            .explain, "show every rule that matches a name, the deciding one first",
            details: "Exit 0 when the name is not blocked, 1 when it is.",
            arguments: [
                Argument(
                    placeholder: "NAME", kind: .text, isRequired: true, summary: "the name")
            ],
            flags: [
                config,
                Flag(
                    .snapshot, value: "FILE", of: .path, excludes: [.client],
                    "the snapshot to ask (default: the current one of the client's policy)"),
                Flag(.type, value: "TYPE", of: .text, "the query's type (default: A)"),
                Flag(.client, value: "ADDRESS", of: .address, "the client that asks"), json,
            ]),
    ]

    private static let daemonCommands: [Command] = [
        Command(
            .status, "show what the daemon does",
            flags: [config, json]),
        Command(
            .reload, "have the daemon read its configuration and snapshots again",
            details: "A bad one leaves the old one in force; exit 3 then.", flags: [config, json]),
        Command(
            .pause, "have the daemon stop filtering",
            arguments: [
                Argument(
                    placeholder: "DURATION", kind: .duration, isRequired: false,
                    summary: "for how long, such as 10m (default: until `sluice resume`)")
            ],
            flags: [
                config,
                Flag(.client, value: "ADDRESS", of: .address, "for one client (default: for all)"),
                json,
            ]),
        Command(.resume, "have the daemon filter again", flags: [config, json]),
        Command(
            .flush, "have the daemon forget cached answers",
            arguments: [
                Argument(
                    placeholder: "NAME", kind: .domainName, isRequired: false,
                    summary: "of one name (default: of all)")
            ],
            flags: [config, json]),
    ]

    private static let config = Flag(
        .config, value: "FILE", of: .path, "the configuration (default: \(Settings.defaultFile))")
    private static let json = Flag(.json, "write JSON, for machines")
}
