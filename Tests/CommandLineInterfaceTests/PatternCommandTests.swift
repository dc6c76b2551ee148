import Foundation
import Testing

@testable import CommandLineInterface

/// Rules on patterns from lint to explain.
@Suite struct PatternCommandTests {
    private let shop: Workshop
    private let config: String

    init() throws {
        shop = try Workshop()
        try shop.write(
            "ads.txt",
            """
            ! patterns
            ||ads*.site.example^
            /ntent\\.com$/
            @@/^good-ads/
            /look(?=ahead)/
            /[ab]{20}b/
            """)
        config = try shop.configure(
            "lists: { ads: { file: ads.txt, format: adblock } }\n")
    }

    @Test func everyPatternIsToldAsItIsWritten() throws {
        let list = try shop.write(
            "list.txt", "||ads*.site.example^\n@@|x*\n/^a(?!b)/\n/a(/\n*.com\n/ntent\\.com$/\n")
        let (outcome, output, _) = shop.run("lint", "\(list):adblock")
        #expect(outcome == .found)
        #expect(
            output.hasPrefix(
                """
                1: block ||ads*.site.example^
                2: allow |x*
                3:4: unsupported /^a(?!b)/ (regular expression that no automaton decides: \
                look-around)
                4:3: error (regular expression with a mistake: unbalanced parenthesis)
                5:1: error (rule on a whole top-level domain)
                6: block /ntent\\.com$/ [not label-anchored]

                """), "\(output)")
        let json = shop.run("lint", "\(list):adblock", "--json").output
        let rows = try json.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        #expect(rows[0]["pattern"] as? String == "ads*.site.example")
        #expect(rows[0]["anchors"] as? [String] == ["label start", "host end"])
        #expect(rows[0]["syntax"] as? String == "wildcard")
        #expect((rows[0]["names"] as? [Any])?.isEmpty == true)
        #expect(rows[2]["detail"] as? String == "look-around" && rows[2]["column"] as? Int == 4)
    }

    @Test func aPolicyOfPatternsIsCompiledInspectedAndExplained() throws {
        let compiled = shop.run("compile", "--config", config)
        #expect(compiled.outcome == .good, "\(compiled.errors)")
        #expect(compiled.output.contains("patterns") && compiled.output.contains("3, "))
        #expect(compiled.errors.contains("ads:6: pattern whose automaton would be too large"))
        let json = try object(shop.run("compile", "--config", config, "--json").output)
        #expect(json["patterns"] as? Int == 3)

        let wildcard = shop.run("explain", "--config", config, "ads1.site.example")
        #expect(wildcard.outcome == .found)
        #expect(
            wildcard.output.hasPrefix(
                """
                ads1.site.example is blocked by list ads, line 2: ||ads*.site.example^ (pattern)
                to unblock it, and what else gets through:
                  sluice allow ads1.site.example            nothing; names below it stay as they are
                  take line 2 out of list ads               every other name like \
                ||ads*.site.example^, unless another rule blocks them
                """), "\(wildcard.output)")
        // LIST-20
        let name = "avatars1.usercontent.com"
        let expression = shop.run("explain", "--config", config, name)
        #expect(expression.outcome == .found)
        #expect(
            expression.output.hasPrefix(
                "\(name) is blocked by list ads, line 3: /ntent\\.com$/ (pattern)\n"))
        let row = try object(shop.run("explain", "--config", config, "--json", name).output)
        let rules = try #require(row["rules"] as? [[String: Any]])
        #expect(rules.first?["pattern"] as? String == "/ntent\\.com$/")
        #expect(rules.first?["line"] as? Int == 3 && rules.first?["list"] as? String == "ads")
        let allowed = shop.run("explain", "--config", config, "good-ads.ntent.com")
        #expect(allowed.outcome == .good && allowed.output.contains("line 4: @@/^good-ads/"))
        let free = shop.run("explain", "--config", config, "bads1.site.example")
        #expect(free.outcome == .good)
    }

    @Test func whatAPatternWouldBlockIsToldWithItsLine() throws {
        let list = try shop.write(
            "new.txt", "||trck*.shop.example^$denyallow=fine.shop.example\n||name.example^\n")
        let sites = try shop.write(
            "sites.csv", "1,trck1.shop.example\n2,trck.fine.shop.example\n3,free.example\n")
        try #require(shop.run("compile", "--config", config).outcome == .good)
        let tried = shop.run("try", list, "--config", config, "--sites", sites)
        #expect(tried.outcome == .found, "\(tried.errors)")
        #expect(tried.output.contains("patterns"))
        let json = try object(
            shop.run("try", list, "--config", config, "--sites", sites, "--json").output)
        let names = try #require(json["names"] as? [String: Any])
        #expect(names["patterns"] as? Int == 1 && names["total"] as? Int == 1)
        let blocked = try #require(
            (json["sites"] as? [String: Any])?["blocked"] as? [[String: Any]])
        #expect(blocked.map { $0["name"] as? String } == ["trck1.shop.example"])
        #expect(blocked.first?["line"] as? Int == 1)
    }

    @Test func anExportSaysThatPatternsAreLeftOut() throws {
        let list = try shop.write("list.txt", "||ads*.site.example^\n||name.example^\n")
        let file = shop.path("out.sluice")
        try #require(shop.run("compile", "--list", "\(list):adblock", "-o", file).outcome == .good)
        let (outcome, output, errors) = shop.run("export", "domains", "--snapshot", file)
        #expect(outcome == .found && errors.contains("domains: 1 patterns are left out"))
        #expect(output.hasSuffix("\n.name.example\n"))
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}
