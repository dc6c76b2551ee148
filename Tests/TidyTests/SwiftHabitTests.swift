import Testing

/// Every Swift file of the tree against the habits of STYLE.
@Suite struct SwiftHabitTests {
    /// Files longer than the cap, each with its reason (generated tables).
    static let longFiles: [String: String] = [:]

    /// Files that may step out of memory safety, each with its reason; see also `unsafeModules`.
    static let unsafeFiles: [String: String] = [
        "Sources/FilterLists/IDNA.swift": "calls libidn2",
        "Sources/Configuration/ConfigurationTree.swift": "calls libyaml",
        "Sources/FilterIndex/CodedBits.swift": "reads eight octets of the map at once",
        "Sources/ListUpdates/HTTPTransfer.swift": "calls libcurl",
        "Sources/ListUpdates/ListAddress.swift": "calls libcurl",
    ]
    static let unsafeModules: [String: String] = [
        "LinuxSystem": "the wall in front of system calls",
        "Cryptography": "the wall in front of libcrypto",
    ]

    static let sources = Repository.sources.map { ($0, SourceText($0.text)) }
    static let swiftFiles = Repository.swiftFiles.map { ($0, SourceText($0.text)) }

    @Test func theTreeIsFound() {
        #expect(Repository.file("Package.swift") != nil)
        #expect(Self.sources.count > 20)
    }

    @Test func filesHoldToTheCap() {
        var broken: [String] = []
        for file in Repository.swiftFiles {
            if file.lineCount > Habits.fileReport {
                print("tidy: \(file.path) has \(file.lineCount) lines; think at 400")
            }
            if file.lineCount > Habits.fileCap, Self.longFiles[file.path] == nil {
                broken.append("\(file.path): \(file.lineCount) lines")
            }
            if file.name == "main.swift", file.lineCount > Habits.mainCap {
                broken.append("\(file.path): \(file.lineCount) lines, at most 20")
            }
        }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func functionsHoldToTheCap() {
        let broken = Self.swiftFiles.flatMap { Habits.overlongFunctions($0, $1) }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func linesHoldToTheCap() {
        let broken = Repository.swiftFiles.flatMap { Habits.overlongLines($0) }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func namesSayWhatTheyAre() {
        let broken = Self.swiftFiles.flatMap { Habits.bannedNames($0, $1) }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func everyDeclarationHasADocComment() {
        let broken = Self.sources.flatMap { Habits.missingDocComments($0, $1) }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func nothingIsForced() {
        let broken = Self.sources.flatMap { Habits.forcedSteps($0, $1) }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func theDaemonHasNoConcurrencyAndNoExistentials() {
        let daemon = Self.sources.filter { ImportTable.daemon.contains($0.0.module) }
        #expect(daemon.count > 10)
        let broken = daemon.flatMap { Habits.concurrencyAndExistentials($0, $1) }
        #expect(broken.isEmpty, list(broken))
    }

    @Test func unsafeCodeStandsBehindWalls() {
        var broken: [String] = []
        for (file, source) in Self.sources where Self.unsafeModules[file.module] == nil {
            guard Self.unsafeFiles[file.path] == nil else { continue }
            broken += Habits.unsafeLines(source).map { "\(file.path):\($0)" }
        }
        #expect(broken.isEmpty, list(broken))
    }
}

/// The lines of a failure, one below the other.
func list(_ broken: [String]) -> Comment {
    Comment(rawValue: "\n" + broken.joined(separator: "\n"))
}
