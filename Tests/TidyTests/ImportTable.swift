/// The import table: which module may import which, and nothing else. ARCHITECTURE.md shows it.
///
/// Both Package.swift and the sources are held to it, so a new arrow is drawn here first.
enum ImportTable {
    /// Modules of the toolchain that every target may import. Foundation, Glibc and Dispatch are
    /// not among them: system calls go through LinuxSystem.
    static let toolchain: Set<String> = ["Swift", "Synchronization"]

    /// Every target may import it (DESIGN: layer 1).
    static let everywhere = "Quantities"

    static let rows: [String: Set<String>] = [
        "CLinux": [],
        "COpenSSL": [],
        "CCurl": [],
        "CYAML": [],
        "CIDN2": [],
        "Quantities": [],
        "LinuxSystem": ["CLinux"],
        "Metrics": [],
        "DomainNames": [],
        "Cryptography": ["COpenSSL"],
        "DNSWire": ["DomainNames"],
        "FilterIndex": ["DomainNames", "LinuxSystem", "Cryptography"],
        "FilterLists": ["DomainNames", "CIDN2"],
        "QueryEvents": ["DomainNames"],
        "Configuration": ["DomainNames", "CYAML"],
        "Control": ["LinuxSystem"],
        "DNSCache": ["DNSWire", "DomainNames", "Metrics"],
        "DNSListener": ["DNSWire", "LinuxSystem", "Metrics"],
        "DNSClient": ["DNSWire", "DomainNames", "LinuxSystem"],
        "FilterCompiler": [
            "FilterLists", "FilterIndex", "DomainNames", "LinuxSystem", "Cryptography",
        ],
        "DNSUpstream": ["DNSWire", "LinuxSystem", "Metrics"],
        "DNSResolver": [
            "DNSWire", "DNSCache", "FilterIndex", "QueryEvents", "DomainNames", "Metrics",
        ],
        "ListUpdates": [
            "CCurl", "Configuration", "Control", "Cryptography", "DNSClient", "DomainNames",
            "FilterCompiler", "FilterIndex", "FilterLists", "LinuxSystem",
        ],
        "Explanation": ["FilterLists", "FilterIndex", "DomainNames"],
        "ListImpact": ["FilterLists", "FilterIndex", "DomainNames"],
        "Daemon": [
            "Configuration", "Control", "DNSWire", "DomainNames", "DNSListener", "DNSUpstream",
            "DNSResolver", "DNSCache", "FilterIndex", "QueryEvents", "Metrics", "LinuxSystem",
        ],
        "sluiced": ["Daemon", "LinuxSystem"],
        "CommandLineInterface": [
            "Configuration", "Control", "Cryptography", "DNSClient", "DNSWire", "DomainNames",
            "Explanation", "FilterCompiler", "FilterIndex", "FilterLists", "LinuxSystem",
            "ListImpact", "ListUpdates",
        ],
        "sluice": ["CommandLineInterface"],
    ]

    /// What `module` may import from this package.
    static func allowed(_ module: String) -> Set<String> {
        guard let row = rows[module] else { return [] }
        return module == everywhere || module.hasPrefix("C") && row.isEmpty
            ? row : row.union([everywhere])
    }

    /// `module` and all that it reaches by the table.
    static func closure(of module: String) -> Set<String> {
        var reached: Set<String> = []
        var open = [module]
        while let next = open.popLast() {
            if reached.insert(next).inserted { open.append(contentsOf: allowed(next)) }
        }
        return reached
    }

    /// What is compiled into the daemon: no Foundation, no Dispatch, no concurrency, no `any`.
    static let daemon = closure(of: "sluiced")

    /// The modules named by the `import` lines of `source`.
    static func imports(in source: SourceText) -> [(module: String, line: Int)] {
        let tokens = source.tokens
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let"]
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "import", index + 1 < tokens.count else { return nil }
            guard index == 0 || tokens[index - 1].text != "." else { return nil }
            var next = index + 1
            if kinds.contains(tokens[next].text), next + 1 < tokens.count { next += 1 }
            return (tokens[next].text, tokens[index].line)
        }
    }

    /// The targets that a manifest declares by `module`, `program` and `wall`, or as `.target`,
    /// each with its dependencies.
    static func dependencies(inManifest text: String) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let calls = #/(?:module|program|wall|\.target|\.executableTarget)\(\s*(?:name:\s*)?"(\w+)"/#
        for match in text.matches(of: calls) {
            // `tests(` is no call of these; a wall's second string is its pkg-config name.
            let rest = text[match.range.upperBound...]
            var names: Set<String> = []
            if !match.output.0.hasPrefix("wall"), !match.output.0.hasPrefix("."),
                let list = rest.firstMatch(of: #/^\s*,\s*\[([^\]]*)\]/#)
            {
                for name in list.output.1.matches(of: #/"(\w+)"/#) {
                    names.insert(String(name.output.1))
                }
            }
            found[String(match.output.1)] = names
        }
        return found
    }
}
