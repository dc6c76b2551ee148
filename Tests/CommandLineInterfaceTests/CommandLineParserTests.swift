import Configuration
import DomainNames
import Quantities
import Testing

@testable import CommandLineInterface

@Suite struct CommandLineParserTests {
    private func invocation(_ line: String) throws -> Invocation {
        let words = line.split(separator: " ").map(String.init)
        guard case .run(let invocation) = try CommandLineParser.parse(words) else {
            throw UsageError.missingCommand
        }
        return invocation
    }

    @Test func valuesAreTyped() throws {
        let compile = try invocation(
            "compile --list a.txt:domains:subtree:allow --list=b.txt -o out.sluice "
                + "--prefilter-false-positive-rate 0.01 --build-memory 8MiB --json")
        #expect(compile.command == .compile)
        #expect(compile.lists.map(\.file) == ["a.txt", "b.txt"])
        #expect(compile.lists.map(\.format) == [.domains, nil])
        #expect(compile.lists.map(\.scope) == [.subtree, nil])
        #expect(compile.lists.map(\.action) == [.allow, .block])
        #expect(compile.text(.output) == "out.sluice")
        #expect(compile.rate(.prefilterFalsePositiveRate) == 0.01)
        #expect(compile.size(.buildMemory) == .mebibytes(8))
        #expect(compile.has(.json))
        #expect(!compile.has(.config))

        let pause = try invocation("pause 10m --client 192.168.1.40")
        #expect(pause.argumentDuration == .seconds(600))
        #expect(pause.address(.client)?.description == "192.168.1.40")
        #expect(pause.configurationFile == "/etc/sluice/sluice.yaml")
        let name = try DomainName(text: "ads.example")
        #expect(try invocation("flush ads.example").argumentName == name)
        #expect(try invocation("lint x.txt:rpz").argumentList?.format == .rpz)
        #expect(try invocation("explain -- --odd").argumentText == "--odd")
        #expect(try invocation("inspect -").argumentText == "-")
        #expect(try invocation("lint -:adblock").argumentList?.file == "-")
        #expect(try invocation("compile -oX --list a::exact").text(.output) == "X")
        #expect(try invocation("status --config=/x --json").configurationFile == "/x")
    }

    @Test func helpAndVersionAreAskedFor() throws {
        #expect(try CommandLineParser.parse(["--help"]) == .overview)
        #expect(try CommandLineParser.parse(["-h"]) == .overview)
        #expect(try CommandLineParser.parse(["--version"]) == .version)
        #expect(try CommandLineParser.parse(["compile", "--help"]) == .help(.compile))
        #expect(try CommandLineParser.parse(["lint", "-h"]) == .help(.lint))
    }

    @Test(arguments: [
        ("", "no command; see `sluice help`"),
        ("complie", "unknown command 'complie'; did you mean 'compile'?; see `sluice help`"),
        ("--versoin", "unknown flag '--versoin'; did you mean '--version'?; see `sluice help`"),
        (
            "compile --lst a",
            "unknown flag '--lst'; did you mean '--list'?; see `sluice help compile`"
        ),
        ("status -json", "unknown flag '-json'; did you mean '--json'?; see `sluice help status`"),
        ("status --zzz", "unknown flag '--zzz'; see `sluice help status`"),
        (
            "compile --list",
            "'--list' needs a value: --list FILE[:FORMAT[:SCOPE[:ACTION]]]; see "
                + "`sluice help compile`"
        ),
        ("status --json=yes", "'--json' takes no value; see `sluice help status`"),
        (
            "compile --build-memory 1MiB",
            "bad value '1MiB' for '--build-memory'; expected a size such as 32MiB (B, KiB, MiB, "
                + "GiB), from 4MiB to 64GiB; see `sluice help compile`"
        ),
        (
            "compile --prefilter-false-positive-rate 2",
            "bad value '2' for '--prefilter-false-positive-rate'; expected a number above 0 and "
                + "at most 0.5; see `sluice help compile`"
        ),
        ("status --config a --config b", "'--config' is given twice; see `sluice help status`"),
        (
            "compile --config a --list b",
            "'--list' and '--config' contradict each other; see "
                + "`sluice help compile`"
        ),
        ("explain", "NAME is missing; see `sluice help explain`"),
        ("resume now", "'now' is one argument too many; see `sluice help resume`"),
        (
            "pause 0s",
            "bad value '0s' for DURATION; expected a duration such as 10m (ms, s, m, h, "
                + "d), above zero; see `sluice help pause`"
        ),
        (
            "help complie",
            "bad value 'complie' for COMMAND; did you mean 'compile'?; see `sluice help help`"
        ),
        (
            "lint a.txt:domains:exact",
            "bad value 'a.txt:domains:exact' for LIST[:FORMAT]; expected "
                + "FILE[:FORMAT], FORMAT one of hosts domains wildcard adblock dnsmasq unbound "
                + "rpz; see `sluice help lint`"
        ),
    ])
    func wrongArgumentsNameTheFix(line: String, message: String) {
        let words = line.split(separator: " ").map(String.init)
        do throws(UsageError) {
            Issue.record("\(try CommandLineParser.parse(words))")
        } catch {
            #expect(error.description == message)
        }
        let recorder = Recorder()
        #expect(CommandRunner.run(words, console: recorder.console) == .usage)
        #expect(recorder.errors == "sluice: \(message)\n")
        #expect(recorder.output == "")
    }

    @Test(arguments: [
        "", ":domains", "a:", "a:nonsense", "a:domains:deep", "a:domains:exact:x",
        "a:domains:exact:allow:x",
    ])
    func badListIsRefused(text: String) {
        // `a:` is a list whose format is to be guessed, nothing else is good here.
        #expect((ListArgument(text: text, fieldLimit: 4) != nil) == (text == "a:"))
    }

    @Test func everyCommandStandsInTheTableOnce() {
        #expect(Command.table.map(\.name) == CommandName.allCases)
        for command in Command.table {
            #expect(Set(command.allFlags.map(\.name)).count == command.allFlags.count)
            for flag in command.flags {
                #expect((flag.placeholder == nil) == (flag.kind == .none), "\(flag.name)")
            }
        }
    }
}
