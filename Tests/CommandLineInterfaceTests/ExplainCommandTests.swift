import FilterIndex
import Foundation
import Testing

@testable import CommandLineInterface

@Suite struct ExplainCommandTests {
    private let shop: Workshop
    private let config: String

    init() throws {
        shop = try Workshop()
        try shop.write("ads.txt", "! ads\n||example.com^\n||vip.example^$important\n")
        try shop.write(
            "more.txt", "0.0.0.0 ads.example.com\n0.0.0.0 only.example\n0.0.0.0 x.ads.example.com\n"
        )
        try shop.write("allow.txt", "good.example.com\nvip.example\nfree.example\n")
        config = try shop.configure(
            """
            lists:
              ads: { file: ads.txt, format: adblock }
              more: { file: more.txt, scope: subtree }
              mine: { file: allow.txt, format: domains, action: allow }
            policies: { default: { lists: [ads, more, mine] }, kids: { lists: [more] } }
            clients: [{ address: 10.9.0.0/16, policy: kids }]
            """)
        let compiled = shop.run("compile", "--config", config)
        #expect(compiled.outcome == .good, "\(compiled.errors)")
    }

    @Test func aBlockedNameHasItsRuleAndTheChange() {
        let (outcome, output, errors) = shop.run("explain", "--config", config, "ADS.example.com")
        #expect(outcome == .found && errors == "")
        #expect(
            output == """
                ads.example.com is blocked by list ads, line 2: ||example.com^ (subtree)
                other rules on the name:
                  list more, line 1: 0.0.0.0 ads.example.com (subtree): blocks
                to unblock it, and what else gets through:
                  sluice allow ads.example.com            nothing; names below it stay as they are
                  sluice allow ads.example.com --subtree  every name below it, 1 of them on lists: \
                x.ads.example.com

                """)
    }

    @Test func aRewriteAndARuleForOneClientAreExplained() throws {
        let list = try shop.write(
            "own.txt", "||nas.example^$dnsrewrite=192.0.2.1\n||kid.example^$client=10.0.0.1\n")
        let out = shop.path("own.sluice")
        #expect(shop.run("compile", "--list", "\(list):adblock", "-o", out).outcome == .good)
        let rewritten = shop.run("explain", "--snapshot", out, "nas.example")
        #expect(rewritten.outcome == .good)
        #expect(
            rewritten.output == """
                nas.example is rewritten by list own, line 1: \
                ||nas.example^$dnsrewrite=192.0.2.1 (subtree), answered 192.0.2.1

                """)
        let meant = shop.run(
            "explain", "--snapshot", out, "kid.example", "--client", "10.0.0.1", "--json")
        let report = try object(meant.output)
        #expect(meant.outcome == .found && report["blocked"] as? Bool == true)
        let rules = try #require(report["rules"] as? [[String: Any]])
        #expect(rules.first?["clients"] as? [String] == ["10.0.0.1"])
        let other = shop.run("explain", "--snapshot", out, "kid.example")
        #expect(other.outcome == .good && other.output.contains("not for this client"))
    }

    @Test func anImportantBlockNeedsAnImportantRule() {
        let (outcome, output, _) = shop.run("explain", "--config", config, "vip.example")
        #expect(outcome == .found)
        #expect(
            output == """
                vip.example is blocked by list ads, line 3: ||vip.example^$important (subtree), \
                important
                other rules on the name:
                  list mine, line 2: vip.example (exact): allows
                to unblock it, and what else gets through:
                  sluice allow vip.example            nothing; names below it stay as they are
                  take line 3 out of list ads         every name below vip.example, unless another \
                rule blocks them
                  sluice allow vip.example --subtree  every name below it, none of them is on a list

                """)
    }

    @Test func anAllowedNameIsGood() {
        let allowed = shop.run("explain", "--config", config, "good.example.com")
        #expect(allowed.outcome == .good)
        #expect(
            allowed.output.hasPrefix(
                "good.example.com is not blocked: allowed by list mine, line 1: good.example.com "
                    + "(exact), over a block\nother rules on the name:\n  list ads, line 2: "))
        let free = shop.run("explain", "--config", config, "free.example")
        #expect(free.outcome == .good)
        #expect(
            free.output == """
                free.example is not blocked: no block rule of 3 lists applies
                other rules on the name:
                  list mine, line 3: free.example (exact): allows, but nothing blocks

                """)
        #expect(
            shop.run("explain", "--config", config, "--", "other.test").output
                == "other.test is not blocked: no block rule of 3 lists applies\n")
    }

    @Test func theClientsPolicyDecides() throws {
        let kids = shop.run(
            "explain", "--config", config, "example.com", "--client", "10.9.8.7", "--json")
        #expect(kids.outcome == .good)
        let report = try object(kids.output)
        #expect(report["policy"] as? String == "kids" && report["verdict"] as? String == "none")
        let other = shop.run(
            "explain", "--config", config, "example.com", "--client", "::ffff:10.8.8.7", "--json")
        #expect(other.outcome == .found)
        let blocked = try object(other.output)
        #expect(blocked["policy"] as? String == "default" && blocked["line"] as? Int == 2)
        #expect(
            blocked["list"] as? String == "ads" && blocked["rule"] as? String == "||example.com^")
        #expect(blocked["unblock"] as? String == "@@|example.com^")
        let rules = try #require(blocked["rules"] as? [[String: Any]])
        #expect(rules.count == 1 && rules[0]["decides"] as? Bool == true)
    }

    @Test func aNameThatIsNotBlockedHasItsNearestRules() throws {
        let list = try shop.write(
            "near.txt",
            """
            example.com
            ||*.cdn.example.com^
            0.0.0.0 a.cdn.example.com b.cdn.example.com
            x.y.cdn.example.com
            com
            other.test
            foo.co.uk
            """)
        let out = shop.path("near.sluice")
        #expect(shop.run("compile", "--list", "\(list):adblock", "-o", out).outcome == .good)
        let (outcome, output, _) = shop.run("explain", "c.cdn.example.com", "--snapshot", out)
        #expect(outcome == .found, "\(output)")
        let free = shop.run("explain", "cdn.example.com", "--snapshot", out)
        #expect(free.outcome == .good)
        #expect(
            free.output == """
                cdn.example.com is not blocked: no block rule of 1 list applies
                nearest block rules:
                  list near, line 2: ||*.cdn.example.com^ (below): only for names below
                  list near, line 1: example.com (exact): only for example.com itself, above
                  list near, line 3: 0.0.0.0 a.cdn.example.com b.cdn.example.com (exact): for \
                a.cdn.example.com, below
                  list near, line 3: 0.0.0.0 a.cdn.example.com b.cdn.example.com (exact): for \
                b.cdn.example.com, below
                  list near, line 4: x.y.cdn.example.com (exact): for x.y.cdn.example.com, below

                """)
        // Names under a public suffix of two labels have nothing to do with each other.
        #expect(
            shop.run("explain", "bar.co.uk", "--snapshot", out).output
                == "bar.co.uk is not blocked: no block rule of 1 list applies\n")
    }

    @Test func machinesGetEverything() throws {
        let text = shop.run("explain", "--config", config, "ads.example.com", "--json").output
        let snapshot = shop.path("state/policies/default/current")
        let id = try #require(try object(text)["snapshotID"] as? String)
        #expect(
            text == """
                {"name":"ads.example.com","type":"A","policy":"default","snapshot":"\(snapshot)",\
                "snapshotID":"\(id)","blocked":true,"ownRules":[],"verdict":"blocked",\
                "important":false,\
                "list":"ads","line":2,"rule":"||example.com^","complete":true,"rules":[{"list":\
                "ads","line":2,"rule":"||example.com^","kind":"block","name":"example.com","scope":\
                "subtree","decides":true,"applies":true},{"list":"more","line":1,"rule":"0.0.0.0 \
                ads.example.com","kind":"block","name":"ads.example.com","scope":"subtree",\
                "answer":"0.0.0.0","decides":false,"applies":true}],\
                "omittedRules":0,"nearby":[],"aliases":{"state":"notAsked"},\
                "unblock":"@@|ads.example.com^","remedies":[{"change":"allow","name":\
                "ads.example.com","command":"sluice allow ads.example.com","alsoReachable":{\
                "names":0,"atLeast":false,"examples":[]}},{"change":"allowSubtree","name":\
                "ads.example.com","command":"sluice allow ads.example.com --subtree",\
                "alsoReachable":{"names":1,"atLeast":false,"examples":["x.ads.example.com"],\
                "below":"ads.example.com"}}],"unreadLists":[]}

                """)
    }

    @Test func aPolicyBesideTheDefaultIsNamedInTheCommand() {
        let (outcome, output, _) = shop.run(
            "explain", "--config", config, "only.example", "--client", "10.9.8.7")
        #expect(outcome == .found)
        #expect(output.contains("  sluice allow only.example --policy kids  "))
        #expect(output.contains("  take line 2 out of list more  "))
    }

    /// RFC 8880 §7, and what a validator behind the daemon needs.
    @Test func whatTheDaemonForwardsInSpiteOfABlockIsSaid() throws {
        let list = try shop.write("exempt.txt", "ipv4only.arpa\nzone.example\n")
        let out = shop.path("exempt.sluice")
        #expect(shop.run("compile", "--list", "\(list):domains", "-o", out).outcome == .good)
        let prefix = shop.run("explain", "ipv4only.arpa", "--snapshot", out)
        #expect(prefix.outcome == .good)
        #expect(prefix.output.hasPrefix("ipv4only.arpa is not blocked: hosts find their NAT64"))
        let key = shop.run("explain", "zone.example", "--snapshot", out, "--type", "DNSKEY")
        #expect(key.outcome == .good && key.output.contains("a validator has to prove"))
        #expect(shop.run("explain", "zone.example", "--snapshot", out).outcome == .found)
    }

    @Test func aListThatRepeatsItselfIsCutShort() throws {
        let list = try shop.write(
            "again.txt", String(repeating: "a.example\n", count: 25) + "b.example\n")
        let out = shop.path("again.sluice")
        #expect(shop.run("compile", "--list", "\(list):domains", "-o", out).outcome == .good)
        let (_, output, _) = shop.run("explain", "a.example", "--snapshot", out)
        #expect(output.contains("  and 15 more lines that say the same\n"))
        #expect(output.contains("  take list again out of policy of the snapshot  "))
    }

    /// The kept text answers when the source has changed; without it that is said.
    @Test func aTextThatIsNotThereIsSaid() throws {
        try shop.write("ads.txt", "||other.example^\n")
        let kept = shop.run("explain", "--config", config, "x.example.com")
        #expect(kept.output.contains("list ads, line 2: ||example.com^"))
        for name in shop.names("state/lists") {
            try FileManager.default.removeItem(atPath: shop.path("state/lists/\(name)"))
        }
        try FileManager.default.removeItem(atPath: shop.path("allow.txt"))
        let (outcome, output, _) = shop.run("explain", "--config", config, "x.example.com")
        #expect(outcome == .found)
        #expect(output.hasPrefix("x.example.com is blocked by list ads, line not known\n"))
        #expect(output.contains("list ads: its text changed since it was compiled"))
        #expect(output.contains("list mine: its text is gone"))
        #expect(!output.contains("list more:"))
    }

    @Test func aSnapshotAloneIsAskedWithTheListBesideIt() throws {
        let list = try shop.write("one.txt", "a.example\n*.b.example\n")
        let out = shop.path("one.sluice")
        #expect(
            shop.run("compile", "--list", "\(list):domains:subtree", "-o", out).outcome == .good)
        let (outcome, output, _) = shop.run("explain", "x.a.example", "--snapshot", out)
        #expect(outcome == .found)
        #expect(
            output.hasPrefix("x.a.example is blocked by list one, line 1: a.example (subtree)\n"))
        let moved = shop.path("state/policies/default/current")
        #expect(
            shop.run("explain", "only.example", "--snapshot", moved).output
                .contains("list more, line 2: 0.0.0.0 only.example (subtree)"))
    }

    @Test func theTypeCounts() throws {
        let list = try shop.write("types.txt", "||a.example^$dnstype=AAAA\n")
        let out = shop.path("types.sluice")
        #expect(shop.run("compile", "--list", "\(list):adblock", "-o", out).outcome == .good)
        let other = shop.run("explain", "a.example", "--snapshot", out)
        #expect(other.outcome == .good)
        #expect(
            other.output.contains("||a.example^$dnstype=AAAA (subtree): not for this query type"))
        #expect(
            shop.run("explain", "a.example", "--snapshot", out, "--type", "aaaa").outcome == .found)
        #expect(
            shop.run("explain", "a.example", "--snapshot", out, "--type", "TYPE28").outcome
                == .found)
        #expect(
            shop.run("explain", "a.example", "--snapshot", out, "--type", "B").outcome == .usage)
    }

    @Test func aUnicodeNameIsItsALabel() throws {
        let list = try shop.write("idn.txt", "xn--bcher-kva.example\n")
        let out = shop.path("idn.sluice")
        #expect(shop.run("compile", "--list", "\(list):domains", "-o", out).outcome == .good)
        #expect(shop.run("explain", "bücher.example", "--snapshot", out).outcome == .found)
    }

    @Test func wrongNamesAndURLsAreUsageErrors() {
        for (text, message) in [
            ("https://example.com/x", "is a URL, which explain does not take in this version"),
            ("a..b", "is no domain name"), ("", "bad value"),
        ] {
            let (outcome, output, errors) = shop.run("explain", "--config", config, text)
            #expect(outcome == .usage && output == "" && errors.contains(message), "\(text)")
        }
    }

    @Test func aPolicyThatWasNeverCompiledIsAFailure() throws {
        try FileManager.default.removeItem(atPath: shop.path("state/policies"))
        let (outcome, _, errors) = shop.run("explain", "--config", config, "a.example")
        #expect(outcome == .failure)
        #expect(
            errors == "sluice: policy default was never compiled; run: sluice compile --config "
                + "\(config)\n")
    }
}

@Suite struct InspectCommandTests {
    @Test func aSnapshotIsDescribed() throws {
        let shop = try Workshop()
        let list = try shop.write("ads.txt", "||a.example^\n@@||b.example^\nbad|line\n! note\n")
        let out = shop.path("ads.sluice")
        #expect(shop.run("compile", "--list", "\(list):adblock", "-o", out).outcome == .good)
        let (outcome, output, errors) = shop.run("inspect", out, "--json")
        #expect(outcome == .good && errors == "")
        let report = try object(output)
        let sections = try #require(report["sections"] as? [[String: Any]])
        #expect(sections.count == SectionKind.allCases.count)
        #expect(
            sections[1]["name"] as? String == "block index" && sections[1]["names"] as? Int == 1)
        #expect(
            sections[2]["name"] as? String == "allow index" && sections[2]["names"] as? Int == 1)
        #expect((report["skipped"] as? [String: Int])?["comment"] == 1)
        let size = try FileManager.default.attributesOfItem(atPath: out)[.size] as? Int
        #expect(report["bytes"] as? Int == size)
        let text = shop.run("inspect", out).output
        for word in ["id ", "bytes a name", "prefilter", "conditional rules", "sha256", list] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test func aDamagedSnapshotIsRefusedWithTheReason() throws {
        let shop = try Workshop()
        let list = try shop.write("ads.txt", "a.example\n")
        let out = shop.path("ads.sluice")
        #expect(shop.run("compile", "--list", list, "-o", out).outcome == .good)
        var octets = try Data(contentsOf: URL(filePath: out))
        octets[octets.count - 5] ^= 1
        let bad = shop.path("bad.sluice")
        try octets.write(to: URL(filePath: bad))
        let damaged = shop.run("inspect", bad)
        #expect(damaged.outcome == .failure && damaged.output == "")
        #expect(damaged.errors == "sluice: \(bad): checksum differs\n")
        try octets.prefix(400).write(to: URL(filePath: bad))
        #expect(
            shop.run("inspect", bad).errors.contains("truncated: 400 of \(octets.count) octets"))
        #expect(shop.run("inspect", list).errors.contains("not a Sluice snapshot"))
        #expect(shop.run("inspect", shop.path("none")).errors.contains("No such file"))
    }
}
