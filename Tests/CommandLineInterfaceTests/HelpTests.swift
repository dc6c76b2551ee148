import Foundation
import Testing

@testable import CommandLineInterface

@Suite struct HelpTests {
    private func output(_ words: String...) -> String {
        let recorder = Recorder()
        #expect(CommandRunner.run(words, console: recorder.console) == .good)
        #expect(recorder.errors == "")
        return recorder.output
    }

    @Test func overviewNamesEveryCommand() {
        let text = output("help")
        for command in Command.table {
            #expect(text.contains("  \(command.name.rawValue) "), "\(command.name)")
            #expect(text.contains(command.summary))
        }
        #expect(output("--help") == text)
    }

    @Test func helpOfACommandNamesEveryFlag() {
        for command in Command.table {
            let text = output("help", command.name.rawValue)
            #expect(output(command.name.rawValue, "--help") == text)
            for flag in command.allFlags {
                #expect(text.contains(flag.usage) && text.contains(flag.summary), "\(flag.name)")
            }
            for line in text.split(separator: "\n") where line.hasPrefix("usage") {
                #expect(line.count <= 80)
            }
        }
    }

    @Test func usageKeepsAFlagAndItsValueOnALine() {
        #expect(
            HelpText.of(Command.of(.compile)).hasPrefix(
                """
                usage: sluice compile [--config FILE] [--list FILE[:FORMAT[:SCOPE[:ACTION]]]]…
                              [--output FILE] [--prefilter-false-positive-rate P]
                              [--build-memory SIZE] [--json]

                Compile lists into a snapshot.
                """))
    }

    @Test func versionIsPrinted() {
        #expect(output("--version") == "sluice \(ProgramVersion.text)\n")
    }

    /// roff requests of the man macros only, and every flag in it.
    @Test func manualPageIsRoff() throws {
        let page = output("help", "--man")
        let requests: Set<Substring> = [".TH", ".SH", ".SS", ".TP", ".B", ".I", ".br"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") {
            #expect(requests.contains(line.split(separator: " ")[0]), "\(line)")
        }
        for command in Command.table {
            for flag in command.flags {
                let name = flag.name.rawValue.replacingOccurrences(of: "-", with: "\\-")
                #expect(page.contains("\\-\\-\(name)"))
            }
        }
    }

    /// Bash itself reads the script and completes with it.
    @Test(arguments: [
        ("sluice chec", "check-config"),
        ("sluice compile --pre", "--prefilter-false-positive-rate"),
        ("sluice help --completion ", "bash"), ("sluice help ins", "inspect"),
        ("sluice resume --h", "--help"),
    ])
    func bashCompletes(line: String, completion: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(ShellCompletion.bash)
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); _sluice
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = Process()
        bash.executableURL = URL(fileURLWithPath: "/bin/bash")
        bash.arguments = ["-eu", "-c", script]
        let pipe = Pipe()
        bash.standardOutput = pipe
        try bash.run()
        let printed = try pipe.fileHandleForReading.readToEnd() ?? Data()
        bash.waitUntilExit()
        #expect(bash.terminationStatus == 0)
        #expect(String(decoding: printed, as: UTF8.self) == completion + "\n")
    }
}

@Suite struct CheckConfigCommandTests {
    private func check(
        _ text: String, _ flags: String...
    ) throws -> (CommandOutcome, String, String) {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-\(UUID().uuidString).yaml")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let recorder = Recorder()
        let status = CommandRunner.run(
            ["check-config", file.path] + flags, console: recorder.console)
        return (
            status, recorder.output.replacingOccurrences(of: file.path, with: "FILE"),
            recorder.errors
        )
    }

    @Test func goodConfigurationIsGood() throws {
        let (outcome, output, errors) = try check("workers: 2\n")
        #expect(outcome == .good)
        #expect(output == "FILE: good\n")
        #expect(errors == "")
    }

    @Test func everyProblemIsPrinted() throws {
        let (status, output, errors) = try check("upstrems: []\nworkers: x\n")
        #expect(status == .failure)
        #expect(
            output == """
                FILE:1:1: unknown key 'upstrems'; did you mean 'upstreams'?
                FILE:2:10: bad value 'x' for 'workers'; expected auto, or a whole number \
                from 1 to 256

                """)
        #expect(errors == "")
    }

    @Test func machinesGetJSON() throws {
        let (status, output, _) = try check("block-answer: refused\n", "--json")
        #expect(status == .good)
        #expect(
            output == """
                {"file":"FILE","good":true,"problems":[{"line":1,"column":15,\
                "severity":"warning","message":"on REFUSED many clients ask their next server, \
                which may not filter"}]}

                """)
    }

    @Test func missingFileIsAFailure() {
        let recorder = Recorder()
        let status = CommandRunner.run(
            ["check-config", "/nonexistent/sluice.yaml"], console: recorder.console)
        #expect(status == .failure)
        #expect(recorder.errors.hasPrefix("sluice: /nonexistent/sluice.yaml: "))
    }
}
