import Foundation
import LoopbackFixtures
import Testing

/// dig and kdig against the real daemon.
@Suite(.serialized) struct ClientTests {
    @Test func aBlockedNameIsRefusedWithItsListByEDE() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        // BLK-01, BLK-03: NXDOMAIN, an SOA whose TTL and MINIMUM are the block TTL, OPT, EDE 15.
        let text = try daemon.client("dig", "www.ads.example")
        #expect(text.contains("status: NXDOMAIN"))
        #expect(text.contains("EDE: 15 (Blocked): (blocked by list ads)"))
        #expect(text.contains("10\tIN\tSOA\tlocalhost. nobody.invalid. 1 3600 1200 604800 10"))
        let plain = try daemon.client("dig", "+noedns", "www.ads.example")
        #expect(plain.contains("status: NXDOMAIN") && !plain.contains("OPT PSEUDOSECTION"))
        #expect(daemon.upstream.queryCount == 0)
    }

    @Test(arguments: ["AAAA", "HTTPS", "SVCB", "TXT", "MX", "TYPE65280"])
    func everyTypeOfABlockedNameIsBlocked(type: String) throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        // BLK-04
        #expect(try daemon.client("kdig", "ads.example", type).contains("status: NXDOMAIN"))
        #expect(daemon.upstream.queryCount == 0)
    }

    @Test func anAllowedNameIsForwardedAndThenCached() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        for _ in 0..<2 {
            // WIRE-06: the question is echoed byte for byte; WIRE-08: OPT in both answers.
            let text = try daemon.client("dig", "WwW.ExAmPlE.net")
            #expect(text.contains("status: NOERROR") && text.contains("192.0.2.1"))
            #expect(text.contains(";WwW.ExAmPlE.net."))
            #expect(text.contains("EDNS: version: 0"))
        }
        #expect(daemon.upstream.queryCount == 1)
        let status = try daemon.status()
        #expect(status["cacheHits"] as? Int == 1 && status["forwarded"] as? Int == 1)
    }

    @Test func aLongAnswerComesOverTCP() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        // WIRE-11, S23: TC over UDP, all of it over TCP.
        let cut = try daemon.client("kdig", "+ignore", "big.example.net")
        #expect(cut.contains("Flags: qr tc rd ra"))
        let whole = try daemon.client("kdig", "+tcp", "big.example.net")
        #expect(whole.contains("ANSWER: 100") && !whole.contains(" tc "))
    }

    @Test func anAliasOfAListedNameIsBlockedFreshAndCached() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        for _ in 0..<2 {
            let text = try daemon.client("dig", "alias.example.net")
            #expect(text.contains("status: NXDOMAIN") && !text.contains("192.0.2.7"))
        }
    }

    @Test func clientsOutsideTheListAreRefused() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, extra: "allow-clients: [192.0.2.0/24]")
        try daemon.start()
        let text = try daemon.client("dig", "www.example.net")
        #expect(text.contains("status: REFUSED") && text.contains("EDE: 18 (Prohibited)"))
    }

    @Test func silenceOfTheUpstreamBecomesAFailureBeforeTheClientGivesUp() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries)
        try daemon.start()
        // dig waits 6 s here; an answer at all means that it came in time.
        let text = try daemon.client("dig", "silent.example.net")
        #expect(text.contains("status: SERVFAIL"))
        #expect(text.contains("EDE: 22 (No Reachable Authority)"))
    }

    @Test func explainNamesListAndLine() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(binaries, block: "! title\n||ads.example^\n")
        try daemon.start()
        let blocked = try daemon.sluice(
            "explain", "x.ads.example", "--config", daemon.path("sluice.yaml"))
        #expect(blocked.status == 1)
        #expect(blocked.text.contains("list ads, line 2: ||ads.example^"))
        let allowed = try daemon.sluice(
            "explain", "www.example.net", "--config", daemon.path("sluice.yaml"))
        #expect(allowed.status == 0)
    }

    /// `explain` judges what a name leads to as the daemon does, exemptions included.
    @Test func explainAndDaemonJudgeAliasesAlike() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let daemon = try RunningDaemon(
            binaries, block: "||tracker.example^\n@@||alias2.example.net^\n")
        try daemon.start()
        for (name, isBlocked) in [
            ("alias1.example.net", true), ("alias2.example.net", false),
            ("www.example.net", false), ("x.tracker.example", true),
        ] {
            let answer = try daemon.client("dig", name)
            #expect(answer.contains("status: NXDOMAIN") == isBlocked, "\(name): \(answer)")
            let (status, text) = try daemon.sluice(
                "explain", name, "--config", daemon.path("sluice.yaml"))
            #expect(status == (isBlocked ? 1 : 0), "\(text)")
            if name.hasPrefix("alias") {
                #expect(
                    text.contains("it leads to tracker.example, says 127.0.0.1:"), "\(text)")
            }
        }
    }
}
