import Foundation
import Testing

@testable import CommandLineInterface

/// `sluice allow`, `block` and `rules` without a daemon.
@Suite struct OwnRulesCommandTests {
    private func workshop() throws -> (workshop: Workshop, file: String) {
        let workshop = try Workshop()
        let list = try workshop.write("ads.txt", "ads.example\n")
        let file = try workshop.configure(
            """
            lists: { ads: { file: '\(list)', format: domains } }
            policies: { default: { lists: [ads] }, kids: { lists: [ads] } }
            """)
        return (workshop, file)
    }

    private func rules(_ workshop: Workshop) throws -> [String] {
        try String(contentsOfFile: workshop.path("state/own.rules"), encoding: .utf8)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    @Test func aNameIsTakenAsPeopleGiveIt() throws {
        let (workshop, file) = try workshop()
        let cases = [
            ("Shop.Example.", "shop.example"),
            ("https://www.shop.example/cart?x=1", "www.shop.example"),
            ("http://me:pw@a.example:8080", "a.example"), ("b.example:443", "b.example"),
            ("c.example/path", "c.example"), ("bücher.example", "xn--bcher-kva.example"),
            ("https://Bücher.example/", "xn--bcher-kva.example"), ("_x.d.example", "_x.d.example"),
        ]
        for (text, name) in cases {
            let run = workshop.run("block", text, "--config", file, "--json")
            #expect(run.outcome == .good, "\(text): \(run.errors)")
            let rule = try #require(try object(run.output)["rule"] as? [String: Any])
            #expect(rule["name"] as? String == name, "\(text)")
        }
        for text in ["192.0.2.1", "https://192.0.2.1/", "http://[2001:db8::1]:80/", "::1"] {
            let run = workshop.run("block", text, "--config", file)
            #expect(
                run.outcome == .usage && run.errors.contains("is an address"),
                "\(text): \(run.errors)")
        }
        for text in ["a..b", ".", "https:///x", String(repeating: "a", count: 64)] {
            #expect(workshop.run("block", text, "--config", file).outcome == .usage, "\(text)")
        }
        #expect(workshop.run("block", "--config", file).outcome == .usage)
        #expect(workshop.run("rules", "remove", "--config", file).outcome == .usage)
        #expect(workshop.run("rules", "drop", "a.example", "--config", file).outcome == .usage)
    }

    @Test func rulesAreKeptShownReplacedAndRemoved() throws {
        let (workshop, file) = try workshop()
        #expect(workshop.run("rules", "--config", file).output == "no own rules\n")
        let block = workshop.run("block", "a.example", "--subtree", "--config", file)
        #expect(block.outcome == .good && block.output.contains("the daemon does not run"))
        #expect(
            workshop.run("block", "a.example", "--policy", "kids", "--config", file).outcome
                == .good)
        #expect(try rules(workshop) == ["block a.example subtree", "block a.example policy kids"])
        let allow = workshop.run("allow", "A.example", "--config", file)
        #expect(allow.output.contains("in place of: block a.example and all below it"))
        #expect(try rules(workshop) == ["block a.example policy kids", "allow a.example"])
        for policy in ["default", "kids"] {
            #expect(workshop.names("state/policies/\(policy)") == ["own.sluice"])
        }
        let shown = try object(workshop.run("rules", "--config", file, "--json").output)
        let listed = try #require(shown["rules"] as? [[String: Any]])
        #expect(listed.map { $0["action"] as? String } == ["block", "allow"])
        #expect(shown["daemon"] as? String == "not-running")
        let removed = workshop.run("rules", "remove", "a.example.", "--config", file)
        #expect(removed.outcome == .good, "\(removed.errors)")
        #expect(workshop.names("state/policies/default") == [])
        let again = workshop.run("rules", "remove", "a.example", "--config", file)
        #expect(again.outcome == .failure && again.errors.contains("no own rule on a.example"))
        let unknown = workshop.run("allow", "a.example", "--policy", "none", "--config", file)
        #expect(unknown.outcome == .failure && unknown.errors.contains("kids"), "\(unknown.errors)")
    }

    @Test func aTimedRuleIsDroppedWhenItHasEnded() throws {
        let (workshop, file) = try workshop()
        let before = Int(Date().timeIntervalSince1970)
        #expect(
            workshop.run("allow", "a.example", "--for", "90s", "--config", file).outcome == .good)
        let line = try #require(try rules(workshop).first)
        let until = try #require(Int(line.split(separator: " ").last ?? ""))
        #expect((90...92).contains(until - before))
        try FileManager.default.createDirectory(
            atPath: workshop.path("state"), withIntermediateDirectories: true)
        try workshop.write(
            "state/own.rules", "block old.example until \(before - 1)\nblock b.example\n")
        #expect(workshop.run("block", "c.example", "--config", file).outcome == .good)
        #expect(try rules(workshop) == ["block b.example", "block c.example"])
    }

    @Test func whatIsNotUnderstoodIsToldAndKept() throws {
        let (workshop, file) = try workshop()
        #expect(workshop.run("rules", "--config", file).outcome == .good)
        try workshop.write("state/own.rules", "# mine\nblokc x.example\nblock y.example\n")
        let run = workshop.run("allow", "z.example", "--config", file)
        #expect(
            run.errors.contains("own.rules:2: 'blokc' is neither block nor allow"), "\(run.errors)")
        let text = try String(contentsOfFile: workshop.path("state/own.rules"), encoding: .utf8)
        #expect(text == "# mine\nblokc x.example\nblock y.example\nallow z.example\n")
        let shown = try object(workshop.run("rules", "--config", file, "--json").output)
        #expect((shown["malformed"] as? [[String: Any]])?.first?["line"] as? Int == 2)
    }

    @Test func compilingLeavesThemAlone() throws {
        let (workshop, file) = try workshop()
        #expect(workshop.run("block", "a.example", "--config", file).outcome == .good)
        let path = workshop.path("state/policies/default/own.sluice")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for number in 0..<6 {
            try workshop.write("ads.txt", "n\(number).example\n")
            #expect(workshop.run("compile", "--config", file).outcome == .good)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
        #expect(workshop.run("rollback", "--config", file).outcome == .good)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func explainShowsWhatOwnRulesDecide() throws {
        let (workshop, file) = try workshop()
        #expect(workshop.run("compile", "--config", file).outcome == .good)
        #expect(workshop.run("allow", "ads.example", "--config", file).outcome == .good)
        let allowed = workshop.run("explain", "ads.example", "--no-resolve", "--config", file)
        #expect(allowed.outcome == .good, "\(allowed.errors)")
        #expect(
            allowed.output.hasPrefix(
                "ads.example is not blocked: allowed by your own rule, own.rules, line 3: allow "
                    + "ads.example\n"), "\(allowed.output)")
        #expect(allowed.output.contains("sluice rules remove ads.example\n"))
        #expect(allowed.output.contains("ads.example is blocked by list ads"))
        #expect(
            workshop.run("block", "new.example", "--subtree", "--config", file).outcome == .good)
        let blocked = workshop.run(
            "explain", "x.new.example", "--no-resolve", "--json", "--config", file)
        #expect(blocked.outcome == .found)
        let report = try object(blocked.output)
        #expect(report["blocked"] as? Bool == true && report["verdict"] as? String == "none")
        let own = try #require((report["ownRules"] as? [[String: Any]])?.first)
        #expect(own["rule"] as? String == "block new.example subtree" && own["line"] as? Int == 4)
        let other = workshop.run("explain", "new.example.net", "--no-resolve", "--config", file)
        #expect(other.outcome == .good && !other.output.contains("own rule"))
    }
}
