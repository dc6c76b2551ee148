import Testing

/// The import table against the manifest, the sources and the page that shows it.
@Suite struct ImportTests {
    static let manifest = Repository.file("Package.swift")?.text ?? ""

    @Test func everyTargetOfTheManifestHasARow() {
        // What tests share, and what fuzzes and measures, is no part of the programs.
        let targets = ImportTable.dependencies(inManifest: Self.manifest)
            .filter { !$0.key.hasSuffix("Fixtures") }
            .filter { !["FuzzProgram", "benchmark"].contains($0.key) }
        #expect(targets.count == ImportTable.rows.count)
        var broken: [String] = []
        for (target, dependencies) in targets {
            guard ImportTable.rows[target] != nil else {
                broken.append("\(target): no row in the import table")
                continue
            }
            for extra in dependencies.subtracting(ImportTable.allowed(target)).sorted() {
                broken.append("\(target) → \(extra): not in the import table")
            }
        }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func everyFolderOfSourcesHasARow() {
        let folders = Set(
            Repository.files.filter { $0.path.hasPrefix("Sources/") }.map(\.module))
        let unknown = folders.filter { ImportTable.rows[$0] == nil }
        #expect(unknown.isEmpty)
    }

    @Test func sourcesImportWhatTheTableAndTheManifestSay() {
        let targets = ImportTable.dependencies(inManifest: Self.manifest)
        var broken: [String] = []
        for (file, source) in SwiftHabitTests.sources {
            let declared = targets[file.module] ?? []
            for (name, line) in ImportTable.imports(in: source) {
                guard !ImportTable.toolchain.contains(name) else { continue }
                if !ImportTable.allowed(file.module).contains(name) {
                    broken.append("\(file.path):\(line): \(name) is not in the import table")
                } else if !declared.contains(name) {
                    broken.append("\(file.path):\(line): \(name) is missing in Package.swift")
                }
            }
        }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func theDaemonReachesNoCompilerAndNoFoundation() {
        for module in ["FilterLists", "FilterCompiler", "Explanation", "CommandLineInterface"] {
            #expect(!ImportTable.daemon.contains(module))
        }
        for module in ["DNSWire", "DNSResolver", "FilterIndex", "LinuxSystem", "Configuration"] {
            #expect(ImportTable.daemon.contains(module))
        }
        for module in ["Foundation", "FoundationEssentials", "Glibc", "Dispatch", "Musl"] {
            #expect(!ImportTable.toolchain.contains(module))
            #expect(ImportTable.rows.values.allSatisfy { !$0.contains(module) })
        }
    }

    @Test func theTableHasNoCycle() {
        for module in ImportTable.rows.keys {
            for next in ImportTable.allowed(module) {
                #expect(!ImportTable.closure(of: next).contains(module), "\(module) and \(next)")
            }
        }
    }

    @Test func theArchitecturePageShowsTheTable() throws {
        let page = try #require(Repository.file("ARCHITECTURE.md")).text
        var shown: [String: Set<String>] = [:]
        for row in page.matches(of: #/(?m)^\| `(\w+)` \| ([^|]*) \|/#) {
            let names = row.output.2.matches(of: #/`(\w+)`/#).map { String($0.output.1) }
            shown[String(row.output.1)] = Set(names)
        }
        #expect(shown == ImportTable.rows)
    }
}
