import Foundation
import Testing
import WireFixtures

@testable import Configuration

@Suite struct ConfigurationExampleTests {
    /// `etc/sluice.yaml` is made from the table; `SLUICE_REGENERATE=1` writes it anew.
    @Test func committedExampleIsTheGeneratedOne() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("etc/sluice.yaml")
        if ProcessInfo.processInfo.environment["SLUICE_REGENERATE"] == "1" {
            try ConfigurationExample.text.write(to: file, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOf: file, encoding: .utf8)
        #expect(committed == ConfigurationExample.text, "run with SLUICE_REGENERATE=1")
    }

    @Test func exampleSaysTheDefaults() {
        let (settings, problems) = load(ConfigurationExample.text)
        #expect(problems == [])
        #expect(settings == Settings())
    }

    @Test func exampleParsesWithItsExamplesInForce() throws {
        var seen = Set<Substring>()
        var lines = [Substring]()
        for line in ConfigurationExample.text.split(separator: "\n") {
            let isExample = line.first == "#" && line.dropFirst().first?.isLetter == true
            let text = isExample ? line.dropFirst() : line
            // An example stands before the default that it replaces.
            if text.first != "#", let key = text.split(separator: ":").first,
                !seen.insert(key).inserted
            {
                continue
            }
            lines.append(text)
        }
        let (settings, problems) = load(lines.joined(separator: "\n"))
        #expect(problems == [])
        #expect(try #require(settings).lists.map(\.name) == ["ads"])
        #expect(settings?.policies.map(\.name) == ["default", "guests"])
        #expect(seen.count == ConfigurationKey.children(of: "").count)
    }

    @Test func everyKeyOfTheTableStandsInTheExample() {
        for key in ConfigurationKey.table where !key.path.contains(".pir.") {
            #expect(ConfigurationExample.text.contains("\(key.name):"), "\(key.path)")
            #expect(!key.summary.isEmpty && !key.takes.isEmpty)
        }
        #expect(Set(ConfigurationKey.table.map(\.path)).count == ConfigurationKey.table.count)
    }
}

@Suite struct ConfigurationMutationTests {
    /// Whatever the text, the answer is settings or problems, with places inside the text.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func damagedTextNeverCrashes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let original = Array(wholeExample.utf8)
        let pieces = [
            "{", "}", "[", "]", ": ", "\n", "- ", "\"", "'", "&a ", "*a", "!t ", "|\n", "#",
        ]
        .map { Array($0.utf8) }
        var accepted = 0
        for round in 0..<1500 {
            var text = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let start = Int.random(in: 0..<text.count, using: &random)
                let end = min(text.count, start + Int.random(in: 0...12, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text.removeSubrange(start..<end)
                case 1: text[start] = UInt8.random(in: 0...255, using: &random)
                case 2: text.insert(contentsOf: text[start..<end], at: start)
                default:
                    text.insert(
                        contentsOf: pieces.randomElement(using: &random) ?? [], at: start)
                }
                if text.isEmpty { text = original }
            }
            let (settings, problems) = Settings.load(text: text, file: "f")
            let lineCount = text.count { $0 == 0x0A || $0 == 0x0D || $0 == 0x85 || $0 == 0xA8 } + 2
            #expect(
                (settings == nil) == !problems.allSatisfy(\.isWarning), "seed \(seed):\(round)")
            for problem in problems {
                #expect(!problem.description.isEmpty)
                #expect((1...(lineCount + 2)).contains(problem.line), "seed \(seed):\(round)")
                #expect(problem.column >= 1)
            }
            if settings != nil { accepted += 1 }
        }
        #expect(accepted < 1500)
    }
}
