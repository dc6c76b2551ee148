import Foundation
import LoopbackFixtures
import Testing

/// Rewrites and rules for single clients, by dig against the real daemon.
@Suite(.serialized) struct RewriteTests {
    private static let rules = """
        ||nas.example^$dnsrewrite=198.51.100.1
        ||nas.example^$dnsrewrite=2001:db8::1
        ||search.example^$dnsrewrite=NOERROR;CNAME;safe.example.net
        ||kids.example.net^$client=127.0.0.2
        """

    @Test func addressesOfAListAreAnswered() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: Self.rules)
        try daemon.start()
        let text = try daemon.client("dig", "NAS.example", "A")
        #expect(text.contains("NAS.example.\t\t10\tIN\tA\t198.51.100.1"))
        #expect(text.contains("EDE: 4 (Forged Answer): (rewritten by list ads)"))
        #expect(try daemon.client("dig", "+short", "nas.example", "AAAA") == "2001:db8::1\n")
        let other = try daemon.client("dig", "nas.example", "TXT")
        #expect(other.contains("status: NOERROR") && other.contains("ANSWER: 0, AUTHORITY: 1"))
        #expect(daemon.upstream.queryCount == 0)
        #expect(try daemon.status()["rewritten"] as? Int == 3)
    }

    @Test func anAliasOfAListLeadsToItsTarget() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: Self.rules)
        try daemon.start()
        for _ in 0..<2 {
            let text = try daemon.client("dig", "search.example", "A")
            #expect(text.contains("search.example.\t\t10\tIN\tCNAME\tsafe.example.net."))
            #expect(text.contains("safe.example.net.\t") && text.contains("\tA\t192.0.2.1"))
            #expect(text.contains("EDE: 4"))
        }
        let target = try daemon.client("dig", "safe.example.net", "A")
        #expect(target.contains("ANSWER: 1") && !target.contains("EDE"))
        #expect(daemon.upstream.queryCount == 1)
    }

    @Test func aRuleForOneClientLeavesTheOthersAlone() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: Self.rules)
        try daemon.start()
        for _ in 0..<2 {
            let other = try daemon.client("dig", "-b", "127.0.0.1", "kids.example.net", "A")
            #expect(other.contains("status: NOERROR") && other.contains("192.0.2.1"))
            let meant = try daemon.client("dig", "-b", "127.0.0.2", "kids.example.net", "A")
            #expect(meant.contains("status: NXDOMAIN") && meant.contains("EDE: 15"))
        }
        #expect(daemon.upstream.queryCount == 1)
    }

    @Test func aListThatMayNotRewriteDoesNot() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: Self.rules)
        try daemon.writeConfiguration(
            lists: "ads: { file: \"\(daemon.path("ads.txt"))\", format: adblock, rewrites: false }")
        try daemon.start()
        let text = try daemon.client("dig", "nas.example", "A")
        #expect(!text.contains("198.51.100.1") && daemon.upstream.queryCount == 1)
    }
}
