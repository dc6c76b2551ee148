import Foundation
import LoopbackFixtures
import Testing

@testable import CommandLineInterface

@Suite struct TryCommandTests {
    private let shop: Workshop
    private let config: String
    private let list: String
    private let sites: String

    init() throws {
        shop = try Workshop()
        try shop.write("ads.txt", "||old.example^\n")
        try shop.write("mine.txt", "free.example\n")
        list = try shop.write(
            "new list.txt", "! new\n||old.example^\n||new.example^\n||free.example^\n||a..b^\n")
        sites = try shop.write("sites.txt", "a.example\nwww.new.example\nold.example\n")
        config = try shop.configure(
            """
            lists:
              ads: { file: ads.txt, format: adblock }
              mine: { file: mine.txt, action: allow }
            policies: { default: { lists: [ads, mine] }, kids: { lists: [ads] } }
            workers: 1
            upstreams: ["127.0.0.1:1"]
            update: { retries: 0 }
            """)
        let compiled = shop.run("compile", "--config", config)
        #expect(compiled.outcome == .good, "\(compiled.errors)")
    }

    @Test func aPersonSeesWhatIsNewWhatBreaksAndWhatItCosts() throws {
        let history = try shop.write(
            "queries.txt",
            "new.example A\nx.new.example AAAA\nx.new.example A\nold.example\nb.test\n")
        let (outcome, output, errors) = shop.run(
            "try", list, "--config", config, "--sites", sites, "--history", history)
        #expect(outcome == .found)
        #expect(errors == "sluice: wrong lines: 1; see: sluice lint \(list):adblock\n")
        let lines = output.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(10) == [
                "\(list): 3 names to block, read as adblock, beside policy default",
                "  new              1  33.3 %  new.example",
                "  blocked already  1  33.3 %  list ads 1",
                "  kept reachable   1  33.3 %  list mine 1",
                "sites: 1 of 3 would be blocked, 1 are now (\(sites))",
                "  #2  www.new.example  line 3: ||new.example^",
                "queries: 3 (60.0 %) of 5 would be blocked, 1 (20.0 %) are now (\(history))",
                "  2  x.new.example  line 3: ||new.example^",
                "  1  new.example    line 3: ||new.example^",
                lines[9],
            ])
        #expect(lines[9].hasPrefix("cost: a snapshot grows by about "))
        #expect(lines[10].hasPrefix("serving memory: ") && lines.count == 11)
    }

    @Test func machinesGetEverything() throws {
        let address = "file://\(list.replacingOccurrences(of: " ", with: "%20"))"
        let (outcome, output, _) = shop.run(
            "try", address, "--config", config, "--sites", sites, "--json")
        #expect(outcome == .found)
        let report = try object(output)
        let cost = try #require(report["cost"] as? [String: Any])
        let snapshot = shop.path("state/policies/default/current")
        let id = try #require(report["snapshotID"] as? String)
        let start = """
            {"list":"\(address)","format":"adblock","policy":"default","snapshot":"\(snapshot)",\
            "snapshotID":"\(id)","names":{"total":3,"afterCovering":3,"new":1,"examples":\
            ["new.example"],"blockedAlready":1,"widened":0,"keptReachable":1,"excepted":0,\
            "blockedBy":[{"list":"ads","names":1}],"allowedBy":[{"list":"mine","names":1}]},\
            "errors":1,"skipped":{"comment":1,"empty label":1},"sites":{"file":"\(sites)",\
            "sites":3,"unreadLines":0,"blockedNow":1,"newlyBlocked":1,"newlyReachable":0,\
            "blocked":[{"rank":2,"name":"www.new.example","line":3,"rule":"||new.example^"}],\
            "reachable":[]},"cost":{
            """
        #expect(output.hasPrefix(start), "\(output)")
        let size = try #require(cost["snapshotBytes"] as? Int)
        let added = try #require(cost["addedSnapshotBytes"] as? Int)
        #expect(added > 0 && abs(added - size / 3) <= 1)
        let now = try #require(cost["servingMemoryNowBytes"] as? Int)
        let then = try #require(cost["servingMemoryBytes"] as? Int)
        let filter = try #require(cost["addedPrefilterBytes"] as? Int)
        let directories = try #require(cost["addedDirectoryBytes"] as? Int)
        #expect(filter > 0 && directories > 0 && then - now == filter + directories)
        #expect(cost["fits"] as? Bool == true && cost["memoryLimitBytes"] as? Int == 64 << 20)
    }

    @Test func nothingOfThePolicyChanges() throws {
        let before = shop.names("state/policies/default") + shop.names("state/lists")
        #expect(shop.run("try", list, "--config", config, "--sites", sites).outcome == .found)
        #expect(shop.names("state/policies/default") + shop.names("state/lists") == before)
        let explained = shop.run("explain", "new.example", "--config", config, "--no-resolve")
        #expect(explained.outcome == .good)
    }

    /// The host is asked of the configured upstream, as `sluice update` asks.
    @Test func aListIsFetchedFromItsAddress() throws {
        let updates = try UpdateWorkshop()
        updates.put("/ads.txt", "old.example\n")
        updates.put("/new.txt", "old.example\nnew.example\n")
        #expect(updates.update().outcome == .good)
        let address = "http://lists.example:\(updates.server.port)/new.txt"
        let (outcome, output, errors) = updates.run("try", address, "--json", "--sites", sites)
        #expect(outcome == .good && errors == "")
        let report = try object(output)
        let names = try #require(report["names"] as? [String: Any])
        #expect(report["list"] as? String == address && report["format"] as? String == "domains")
        #expect(names["new"] as? Int == 1 && names["blockedAlready"] as? Int == 1)
        let missing = updates.run("try", "http://lists.example:\(updates.server.port)/none")
        #expect(missing.outcome == .failure)
        #expect(missing.errors.contains("the server answers with status 404"))
    }

    @Test func anotherPolicyOrSnapshotMayBeAsked() throws {
        let kids = try object(
            shop.run("try", list, "--config", config, "--policy", "kids", "--json").output)
        #expect((kids["names"] as? [String: Any])?["new"] as? Int == 2)
        let snapshot = shop.path("state/policies/default/current")
        let (outcome, output, _) = shop.run(
            "try", list, "--snapshot", snapshot, "--sites", sites, "--json")
        #expect(outcome == .found)
        let report = try object(output)
        #expect(report["policy"] == nil && report["snapshot"] as? String == snapshot)
        #expect((report["cost"] as? [String: Any])?["fits"] == nil)
        let unknown = shop.run("try", list, "--config", config, "--policy", "kid")
        #expect(unknown.outcome == .failure)
        #expect(unknown.errors == "sluice: there is no policy 'kid'; there are: default, kids\n")
    }

    @Test func besideAPolicyThatWasNeverCompiledAllIsNew() throws {
        try FileManager.default.removeItem(atPath: shop.path("state/policies"))
        let (outcome, output, _) = shop.run("try", list, "--config", config, "--sites", sites)
        #expect(outcome == .found)
        #expect(output.contains("beside policy default, which was never compiled\n"))
        #expect(output.contains("  new              3  100.0 %  "))
    }

    @Test func formatAndScopeAreTakenAsTold() throws {
        let plain = try shop.write("plain.txt", "new.example\n")
        let flags = ["--config", config, "--sites", sites]
        func run(_ words: String...) -> CommandOutcome {
            let recorder = Recorder()
            return CommandRunner.run(words + flags, console: recorder.console)
        }
        #expect(run("try", plain) == .good)
        #expect(run("try", plain, "--format", "domains", "--scope", "subtree") == .found)
        #expect(run("try", plain, "--format", "wildcard") == .found)
        #expect(run("try", plain, "--format", "word") == .usage)
    }

    @Test func whatCannotBeReadIsAFailure() throws {
        for place in [
            shop.path("none.txt"), "https://lists.example/a", "file://host.example/a",
            "file:///%zz", "gopher://lists.example/a",
        ] {
            let (outcome, output, errors) = shop.run("try", place, "--config", config)
            #expect(outcome == .failure && output == "" && errors != "", "\(place)")
        }
        let missing = shop.run("try", list, "--config", config, "--history", shop.path("none"))
        #expect(missing.outcome == .failure && missing.errors.contains("No such file"))
    }

    /// The sample beside the tree is a sample that this program reads, and that no starter list
    /// breaks.
    @Test func theSampleIsReadWhole() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let sample = root.appending(path: "etc/sites.txt").path
        for starter in ["ads.txt", "tracking.txt"] {
            let (outcome, output, _) = shop.run(
                "try", root.appending(path: "etc/lists/\(starter)").path, "--config", config,
                "--sites", sample, "--json")
            #expect(outcome == .good)
            let report = try #require(try object(output)["sites"] as? [String: Any])
            #expect(report["unreadLines"] as? Int == 0)
            #expect((report["sites"] as? Int ?? 0) > 300)
        }
    }

    @Test func theSampleIsFoundBesideTheProgramOrInItsTree() throws {
        let manager = FileManager.default
        for directory in ["usr/bin", "usr/share/sluice", "tree/.build/debug", "tree/etc"] {
            try manager.createDirectory(
                atPath: shop.path(directory), withIntermediateDirectories: true)
        }
        try shop.write("usr/share/sluice/sites.txt", "a.example\n")
        try shop.write("tree/etc/sites.txt", "a.example\n")
        let program = shop.path("tree/.build/debug/sluice")
        #expect(
            SitesFile.installed(own: shop.path("usr/bin/sluice"))
                == shop.path("usr/share/sluice/sites.txt"))
        #expect(SitesFile.installed(own: program) == nil)
        try shop.write("tree/Package.swift", "")
        #expect(SitesFile.installed(own: program) == shop.path("tree/etc/sites.txt"))
        #expect(SitesFile.installed(own: nil) == nil)
    }
}
