import Foundation
import Quantities
import Testing

@testable import CommandLineInterface

@Suite struct CompileCommandTests {
    private let shop: Workshop

    init() throws { shop = try Workshop() }

    private func snapshots(_ policy: String) -> [String] {
        shop.names("state/policies/\(policy)").filter { $0 != "current" }
    }

    private func current(_ policy: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(
            atPath: shop.path("state/policies/\(policy)/current"))
    }

    @Test func listsBecomeOneSnapshot() throws {
        let first = try shop.write("ads.txt", "# ads\nads.example\nx.ads.example\n")
        let second = try shop.write(
            "ads.more.txt", "@@||good.example^\n||track.example^\nbad|line\n")
        let out = shop.path("out.sluice")
        let (outcome, output, _) = shop.run(
            "compile", "--list", "\(first):domains:subtree", "--list", second, "-o", out, "--json")
        #expect(outcome == .good)
        let report = try object(output)
        #expect(report["names"] as? Int == 4)
        #expect(report["namesAfterCovering"] as? Int == 3)
        let size = try FileManager.default.attributesOfItem(atPath: out)[.size] as? Int
        #expect(report["bytes"] as? Int == size)
        let perName = try #require(report["bytesPerName"] as? Double)
        #expect(abs(perName - Double(size ?? 0) / 3) < 1e-9)
        #expect(report["rules"] as? Int == 4)
        #expect((report["skipped"] as? [String: Int])?["comment"] == 1)
        #expect((report["snapshotID"] as? String)?.count == 64)
        for key in ["prefilterBytes", "seconds", "peakRSSBytes"] {
            #expect((report[key] as? Double ?? 0) > 0, "\(key)")
        }
        let lists = try #require(report["lists"] as? [[String: Any]])
        #expect(lists.map { $0["name"] as? String } == ["ads", "ads-2"])
        #expect(lists.map { $0["format"] as? String } == ["domains", "adblock"])
        #expect(lists.map { $0["source"] as? String } == [first, second])
    }

    @Test(arguments: ["gzip", "xz", "zstd"])
    func aPackedListIsUnpacked(tool: String) throws {
        try shop.write("list.txt", "ads.example\ntrack.example\n")
        let packed = shop.path("list.packed")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\(tool) -c < '\(shop.path("list.txt"))' > '\(packed)'"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            print("SKIPPED aPackedListIsUnpacked: no \(tool) here")
            return
        }
        let out = shop.path("out.sluice")
        let (outcome, output, errors) = shop.run("compile", "--list", packed, "-o", out)
        #expect(outcome == .good && errors == "")
        #expect(output.contains("\n  names           2\n"))
        #expect(shop.run("explain", "ads.example", "--snapshot", out).outcome == .found)
    }

    @Test func aConfigurationPublishesEveryPolicy() throws {
        try shop.write("ads.txt", "ads.example\n")
        try shop.write("games.txt", "games.example\n")
        let config = try shop.configure(
            """
            lists: { ads: { file: ads.txt }, games: { file: games.txt } }
            policies: { default: { lists: [ads] }, kids: { lists: [games, ads] } }
            """)
        let (outcome, output, errors) = shop.run("compile", "--config", config, "--json")
        #expect(outcome == .good)
        // The forecast comes before anything is written, so it is a message and no result.
        #expect(errors.hasPrefix("sluice: serving memory: ") && errors.contains("prefilters "))
        #expect(errors.split(separator: "\n").count == 1)
        let policies = try #require(try object(output)["policies"] as? [[String: Any]])
        #expect(policies.map { $0["policy"] as? String } == ["default", "kids"])
        #expect(policies.map { $0["changed"] as? Bool } == [true, true])
        for (policy, row) in zip(["default", "kids"], policies) {
            let identity = try #require(row["snapshotID"] as? String)
            #expect(try current(policy) == "\(identity).sluice")
            #expect(snapshots(policy) == ["\(identity).sluice"])
            let file = shop.path("state/policies/\(policy)/current")
            #expect(shop.run("inspect", file).outcome == .good)
        }
        #expect(shop.names("state/lists").count == 2)
        #expect(shop.names("state/lists").allSatisfy { $0.hasSuffix(".gz") })
        let text = shop.run("compile", "--config", config)
        #expect(text.output.contains("serving memory  "))
        #expect(text.output.split(separator: "\n").count { $0.hasSuffix("(unchanged)") } == 2)
        #expect(!text.output.contains("sluice reload"))
    }

    @Test func unchangedInputWritesNothing() throws {
        try shop.write("ads.txt", "ads.example\n")
        let config = try shop.configure("lists: { ads: { file: ads.txt } }")
        #expect(shop.run("compile", "--config", config).outcome == .good)
        let files = ["policies/default", "lists"].flatMap { directory in
            shop.names("state/\(directory)").map { shop.path("state/\(directory)/\($0)") }
        }
        func times() throws -> [Date?] {
            try files.map {
                try FileManager.default.attributesOfItem(atPath: $0)[.modificationDate] as? Date
            }
        }
        let before = try times()
        #expect(files.count == 3)
        let (_, output, _) = shop.run("compile", "--config", config, "--json")
        #expect(try object(output)["changed"] as? Bool == false)
        #expect(try times() == before)
    }

    @Test func threePreviousSnapshotsAndTheirTextsAreKept() throws {
        let config = try shop.configure("lists: { ads: { file: ads.txt } }")
        var published: [String] = []
        for number in 0..<6 {
            try shop.write("ads.txt", "ads\(number).example\n")
            #expect(shop.run("compile", "--config", config).outcome == .good)
            published.append(try current("default"))
        }
        #expect(Set(published).count == 6)
        #expect(snapshots("default") == published.suffix(4).sorted())
        #expect(shop.names("state/lists").count == 4)
        // Back to a text before: its snapshot is in force again and stays.
        try shop.write("ads.txt", "ads3.example\n")
        #expect(shop.run("compile", "--config", config).outcome == .good)
        #expect(try current("default") == published[3])
        #expect(snapshots("default") == published.suffix(4).sorted())
    }

    @Test func aMissingListPublishesNothing() throws {
        try shop.write("ads.txt", "ads.example\n")
        let config = try shop.configure(
            "lists: { ads: { file: ads.txt }, more: { file: more.txt } }")
        let (outcome, output, errors) = shop.run("compile", "--config", config)
        #expect(outcome == .failure && output == "")
        #expect(errors.contains("list more: \(shop.path("more.txt")): open: No such file"))
        #expect(errors.contains("correct 'lists.more.file' in \(config)"))
        #expect(shop.names("state/policies") == [])
        let missing = shop.run("compile", "--list", shop.path("none.txt"))
        #expect(missing.outcome == .failure && missing.errors.contains("correct --list"))
        #expect(shop.run("compile", "-o", "x").outcome == .usage)
        #expect(shop.run("compile", "--config", shop.path("none.yaml")).outcome == .failure)
    }

    @Test func whatTheDaemonCouldNotHoldIsNotPublished() throws {
        try shop.write("ads.txt", "ads.example\n")
        let config = try shop.configure("lists: { ads: { file: ads.txt } }")
        #expect(shop.run("compile", "--config", config).outcome == .good)
        let before = try current("default")
        try shop.write("ads.txt", "other.example\n")
        let tight = try shop.configure(
            "lists: { ads: { file: ads.txt } }\nmemory-limit: 16MiB\ncache-size: 15MiB")
        let (outcome, _, errors) = shop.run("compile", "--config", tight)
        #expect(outcome == .failure)
        #expect(errors.contains("'memory-limit' is 16.0 MiB") && errors.contains("cache 15.0 MiB"))
        #expect(try current("default") == before)
        #expect(snapshots("default") == [before])
    }

    @Test func theForecastStandsBeforeARefusalThatWritesNothing() throws {
        try shop.write("ads.txt", "ads.example\n")
        let tight = try shop.configure(
            "lists: { ads: { file: ads.txt } }\nmemory-limit: 16MiB\ncache-size: 15MiB")
        let (outcome, output, errors) = shop.run("compile", "--config", tight)
        #expect(outcome == .failure && output.isEmpty)
        #expect(errors.contains("directories 12 B") && errors.contains("'memory-limit' is"))
        #expect(shop.names("state/policies").isEmpty)
    }

    @Test func theOrderOfListsAndPoliciesOfOneContentChangesNoOctet() throws {
        try shop.write("ads.txt", "ads.example\nboth.example\n")
        try shop.write("games.txt", "games.example\nboth.example\n")
        let config = try shop.configure(
            """
            lists: { ads: { file: ads.txt }, games: { file: games.txt } }
            policies: { default: { lists: [ads, games] }, kids: { lists: [games, ads] } }
            """)
        let (outcome, output, _) = shop.run(
            "compile", "--config", config, "--json", "--build-memory", "4MiB")
        #expect(outcome == .good)
        let policies = try #require(try object(output)["policies"] as? [[String: Any]])
        let identities = Set(policies.compactMap { $0["snapshotID"] as? String })
        #expect(policies.count == 2 && identities.count == 1)
        let files = try policies.map {
            try Data(contentsOf: URL(filePath: $0["file"] as? String ?? ""))
        }
        #expect(files[0] == files[1])
    }

    @Test func namesOfListsOnTheCommandLineAreUnlikeEachOther() throws {
        let folders = ["x", "y", "z"]
        for folder in folders {
            try FileManager.default.createDirectory(
                atPath: shop.path(folder), withIntermediateDirectories: true)
        }
        let lists = [
            try shop.write("x/a.txt", "a.example"), try shop.write("y/a.txt", "b.example"),
            try shop.write("z/a-2.txt", "c.example"),
        ]
        let (_, output, _) = shop.run(
            "compile", "--list", lists[0], "--list", lists[1], "--list", lists[2], "-o",
            shop.path("o.sluice"), "--json")
        let found = try #require(try object(output)["lists"] as? [[String: Any]])
        #expect(found.map { $0["name"] as? String } == ["a", "a-2", "a-2-2"])
    }

    @Test func wrongLinesAreShownTenOfThem() throws {
        let lines = (0..<25).map { "bad name \($0)" } + (0..<30).map { "good\($0).example" }
        let list = try shop.write("ads.txt", lines.joined(separator: "\n"))
        let out = shop.path("out.sluice")
        let (outcome, output, errors) = shop.run(
            "compile", "--list", "\(list):domains", "-o", out, "--json")
        #expect(outcome == .good)
        #expect(try object(output)["errors"] as? Int == 25)
        let shown = errors.split(separator: "\n").map(String.init)
        #expect(shown.count == 11)
        #expect(shown.first == "sluice: ads:1: more than one name on the line")
        #expect(shown.last == "sluice: and 15 more wrong lines; see: sluice lint \(list):domains")
    }

    @Test(arguments: [
        ("<!DOCTYPE html>\n<html><body>\nhost.example\n</body></html>", "is a web page"),
        ("a b\nc d\ne f\ngood.example\n", "most lines of "),
        ("", "is empty"),
        ("# nothing\n\n# at all\n", "has no rule when read as domains"),
    ])
    func aListThatLooksWrongIsWarnedOf(text: String, warning: String) throws {
        let list = try shop.write("odd.txt", text)
        let (outcome, _, errors) = shop.run(
            "compile", "--list", "\(list):domains", "-o", shop.path("out.sluice"))
        #expect(outcome == .good)
        #expect(errors.hasPrefix("sluice: list odd: "), "\(errors)")
        #expect(errors.contains(warning), "\(errors)")
    }

    @Test func aDamagedKeptTextIsRemovedAndSaid() throws {
        try shop.write("ads.txt", "ads.example\n")
        let config = try shop.configure("lists: { ads: { file: ads.txt } }")
        #expect(shop.run("compile", "--config", config).outcome == .good)
        let name = try #require(shop.names("state/lists").first)
        try shop.write("state/lists/\(name)", "no archive")
        let (outcome, _, errors) = shop.run("compile", "--config", config)
        #expect(outcome == .failure && errors.contains("was damaged and is removed"))
        #expect(shop.run("compile", "--config", config).outcome == .good)
    }

    @Test func realListsCompileInBoundedTime() throws {
        guard let list = sharedFile("data/blocklists/hagezi+dns-blocklists__adblock_light.txt.gz")
        else {
            print("SKIPPED realListsCompileInBoundedTime: set SLUICE_SHARED")
            return
        }
        let out = shop.path("out.sluice")
        let (outcome, output, errors) = shop.run("compile", "--list", list, "-o", out, "--json")
        #expect(outcome == .good && errors == "")
        let report = try object(output)
        #expect((report["names"] as? Int ?? 0) > 50_000)
        #expect((report["bytesPerName"] as? Double ?? 99) < 20)
        let inspected = try object(shop.run("inspect", out, "--json").output)
        for key in ["names", "namesAfterCovering", "bytes", "snapshotID"] {
            #expect("\(inspected[key] ?? 0)" == "\(report[key] ?? 1)", "\(key)")
        }
    }

    @Test func progressIsShownToPeopleAndFits() {
        let line = ProgressLine.line("reading ads", done: .init(30), of: .init(60), columns: 80)
        #expect(line == "reading ads [============            ] 50 %")
        let cut = ProgressLine.line("reading ads", done: .init(30), of: .init(60), columns: 10)
        #expect(cut == "reading a")
        #expect(
            ProgressLine.line("x", done: .mebibytes(3), of: nil, columns: 80) == "x 3.0 MiB")
    }
}
