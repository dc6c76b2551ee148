import Configuration
import FilterCompiler
import ListUpdates

extension Command {
    /// Every command, in the order of the help.
    package static let table: [Command] =
        filterCommands + [trial] + ownRulesCommands + daemonCommands + [
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
                buildMemory,
                json,
            ]),
        Command(
            .update, "fetch the lists that have an address, compile, and put them in force",
            details: "A list that did not come, or that looks wrong, is held back: its text from "
                + "before stays in force, the other lists go on, and the exit is 1. A list is held "
                + "back when it is a web page, empty, too large, without rules or mostly wrong; "
                + "and, unless --force is given, when it shrank by more than its 'shrink-limit' or "
                + "would block a name that must stay reachable. Nothing is written when nothing "
                + "changed. A running daemon is told.",
            flags: [
                config,
                Flag(.force, "take lists that shrank or that block a protected name"),
                Flag(.diff, "show every name that is blocked now and was not before, or was"),
                buildMemory,
                json,
            ]),
        Command(
            .rollback, "put an earlier snapshot of a policy in force again",
            details: "An update of unchanged lists does not undo it: what was rolled back comes "
                + "back only by its own id; the next snapshot of changed lists comes into force as "
                + "always. The three snapshots from before the one in force are kept. A running "
                + "daemon is told.",
            arguments: [
                Argument(
                    placeholder: "SNAPSHOT", kind: .text, isRequired: false,
                    summary: "the start of its id (default: the one before)")
            ],
            flags: [config, policy, json]),
        Command(
            .export, "write what a snapshot blocks for another program",
            details: "Never more than the snapshot blocks: what the format cannot say is left out, "
                + "and how much that is stands in a message; the exit is 1 then.",
            arguments: [
                Argument(
                    placeholder: "FORMAT", kind: .oneOf(ExportFormat.allCases.map(\.rawValue)),
                    isRequired: true, summary: "hosts, domains or rpz")
            ],
            flags: [
                config, policy,
                Flag(
                    .snapshot, value: "FILE", of: .path, excludes: [.policy, .config],
                    "the snapshot (default: the one in force of the policy)"),
                Flag(
                    .output, short: "o", value: "FILE", of: .path,
                    "where to write (default: standard output)"),
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
            .explain, "show why a name is blocked or not: every rule, the deciding one first",
            details: "A name that is not blocked is looked up at the configured upstreams, within "
                + "2 seconds, since the daemon judges what it leads to as well. Of a blocked name "
                + "the changes that unblock it are shown, with what else they would let through; "
                + "of another one the nearest block rules. Exit 0 when the name is not blocked, 1 "
                + "when it is.",
            arguments: [
                Argument(
                    placeholder: "NAME", kind: .text, isRequired: true, summary: "the name")
            ],
            flags: [
                config,
                Flag(
                    .snapshot, value: "FILE", of: .path,
                    "the snapshot to ask (default: the current one of the client's policy)"),
                Flag(.type, value: "TYPE", of: .text, "the query's type (default: A)"),
                Flag(
                    .client, value: "ADDRESS", of: .address,
                    "the client that asks, by whom policy and rules are chosen"),
                Flag(.noResolve, "ask no upstream where the name leads"), json,
            ]),
    ]

    private static let trial = Command(
        .trial, "show what a list would block, and what it costs, before it is enabled",
        details: "The list is compiled by itself and asked together with the policy's snapshot, "
            + "which stays as it is. A file of sites has a name a line, best known first, or a "
            + "rank, a comma and a name; a file of queries has a name and, if you like, a type a "
            + "line, as for dnsperf. Where names lead by aliases is not looked at. Exit 1 when a "
            + "site would be blocked, else 0.",
        arguments: [
            Argument(
                placeholder: "LIST", kind: .path, isRequired: true,
                summary: "the list: a file or an address, packed or not")
        ],
        flags: [
            config,
            Flag(
                .snapshot, value: "FILE", of: .path, excludes: [.config, .policy],
                "the snapshot beside which the list is asked (default: that of the policy)"),
            Flag(
                .policy, value: "NAME", of: .text,
                "the policy that the list may join (default: default)"),
            Flag(
                .format, value: "FORMAT", of: .oneOf(ListFormatSetting.allCases.map(\.rawValue)),
                "how the list is written (default: guessed)"),
            Flag(
                .scope, value: "SCOPE", of: .oneOf(["exact", "subtree", "below"]),
                "what a bare name covers (default: as the format has it)"),
            Flag(
                .history, value: "FILE", of: .path,
                "queries that were asked, to tell the share that would be blocked"),
            Flag(
                .sites, value: "FILE", of: .path,
                "well-known sites to ask for (default: the sample that is installed)"),
            json,
        ])

    private static let ownRulesCommands: [Command] = [
        ownRule(
            .allow, "let a name through, whatever the lists say",
            "Decides before every list, important rules too, and lets pass what the name leads "
                + "to. "),
        ownRule(
            .block, "block a name, whatever the lists say",
            "Decides before every list, those that allow too. "),
        Command(
            .rules, "show the own rules, or remove one",
            details: "Rules by `sluice allow` and `block`, or written into own.rules in the state "
                + "directory: what the file says is put in force.",
            arguments: [
                Argument(
                    placeholder: "remove", kind: .oneOf(["remove"]), isRequired: false,
                    summary: "remove the rule on NAME"),
                Argument(
                    placeholder: "NAME", kind: .text, isRequired: false,
                    summary: "the name, or the URL of a page there"),
            ],
            flags: [
                config,
                Flag(
                    .policy, value: "POLICY", of: .text,
                    "the policy (default: all to show, default to remove)"), json,
            ]),
    ]

    private static func ownRule(
        _ name: CommandName, _ summary: String, _ details: String
    ) -> Command {
        Command(
            name, summary,
            details: details + "Of several own rules the one on the longest name decides; a later "
                + "rule on the same name replaces the former one.",
            arguments: [
                Argument(
                    placeholder: "NAME", kind: .text, isRequired: true,
                    summary: "the name, or the URL of a page there")
            ],
            flags: [
                config,
                Flag(.subtree, "the names below it as well"),
                Flag(
                    .duration, value: "DURATION", of: .duration,
                    "for how long, such as 30m (default: for good)"),
                policy, json,
            ])
    }

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
    private static let policy = Flag(
        .policy, value: "POLICY", of: .text, "the policy (default: default)")
    private static let buildMemory = Flag(
        .buildMemory, value: "SIZE", of: .size(BuildMemory.least...BuildMemory.most),
        "the memory for sorting names, beyond which they go to temporary files in the state "
            + "directory (default: 32MiB)")
    private static let json = Flag(.json, "write JSON, for machines")
}
