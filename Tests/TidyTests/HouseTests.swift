import Testing

/// Pages, packages and commands of the repository agree with each other and with the code.
@Suite struct HouseTests {
    @Test func theLedgerNamesEveryRFCThatCodeCites() throws {
        let ledger = Habits.citedRFCs(try #require(Repository.file("docs/RFCs.md")).text)
        var missing: [Int: String] = [:]
        for file in Repository.files where file.path.hasPrefix("Sources/") {
            for number in Habits.citedRFCs(file.text).subtracting(ledger) {
                missing[number] = file.path
            }
        }
        #expect(missing.isEmpty)
    }

    /// Lists and message vectors quote paths of the web; their notes of origin do not.
    @Test func noTextNamesAPathOfOneMachine() {
        var broken: [String] = []
        for file in Repository.files {
            let isData = file.path.hasPrefix("Tests/Vectors/") && !file.name.hasPrefix("ORIGIN")
            guard !isData else { continue }
            broken += Habits.machinePaths(file.text).map { "\(file.path):\($0)" }
        }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func packagesAreNamedInOnePlace() throws {
        let text = try #require(Repository.file("etc/packages.txt")).text
        let names = Self.packages(text)
        #expect(names.count > 5)
        var broken: [String] = []
        for file in Repository.files where file.path != "etc/packages.txt" {
            // A package that is called as its command is (`gzip`) may be named as a command.
            for name in names where name.hasSuffix("-dev") || name.hasSuffix("utils") {
                if file.text.contains(name) { broken.append("\(file.path): \(name)") }
            }
            for row in file.text.matches(of: #/apt(?:-get)? install (?:-\S+ )*([a-z]\S*)/#) {
                broken.append("\(file.path): installs \(row.output.1)")
            }
        }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func everyPackageSaysWhyAndStandsInAGroup() throws {
        let lines = try #require(Repository.file("etc/packages.txt")).lines
        let groups = lines.filter { ["# build", "# test", "# bench"].contains($0) }
        #expect(groups == ["# build", "# test", "# bench"])
        for line in lines where !line.isEmpty && !line.hasPrefix("#") {
            #expect(line.wholeMatch(of: #/[a-z0-9][a-z0-9.+-]+ +# \S.*/#) != nil, "\(line)")
        }
    }

    @Test func commandsInstallFromThatPlace() throws {
        let script = try #require(Repository.file("etc/install-packages.sh")).text
        #expect(script.contains("packages.txt"))
        let makefile = try #require(Repository.file("Makefile")).text
        #expect(makefile.contains("etc/install-packages.sh"))
        let ci = try #require(Repository.file(".ci/run")).text
        #expect(ci.contains("set -euo pipefail"))
        #expect(ci.contains("\nmake test\n"))
    }

    @Test func commandsOfThePagesAreTargetsOfTheMakefile() throws {
        let makefile = try #require(Repository.file("Makefile")).text
        let targets = Set(makefile.matches(of: #/(?m)^([a-z-]+):/#).map { $0.output.1 })
        let promised: Set<Substring> = [
            "run", "test", "bench", "lint", "install", "clean", "fuzz", "help",
            "bench-daemon",
        ]
        #expect(targets.isSuperset(of: promised))
        for page in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"] {
            let text = try #require(Repository.file(page)).text
            let named = Set(
                text.matches(of: #/(?m)(?:`|^ {4}|PORT )make ([a-z-]+)/#).map { $0.output.1 })
            #expect(named.isSubset(of: targets), "\(page): \(named.subtracting(targets))")
        }
        let readme = try #require(Repository.file("README.md")).lines.prefix(30)
        #expect(readme.contains { $0.contains("make run") })
        #expect(readme.contains { $0.contains("make test") })
    }

    static func packages(_ text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}
