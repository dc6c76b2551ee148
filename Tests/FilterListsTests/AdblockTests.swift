import DomainNames
import FilterLists
import Testing

/// The adblock syntax past the table of edge lines.
@Suite struct AdblockTests {
    @Test func plainNamesAndHostsLinesAreReadToo() {
        #expect(Read("ads.example", .adblock).names(.exact) == ["ads.example"])
        #expect(
            Read("0.0.0.0 a.example b.example # x", .adblock).names == ["a.example", "b.example"])
        #expect(Read("192.0.2.7 nas.example", .adblock).addresses == ["192.0.2.7"])
        #expect(Read("@@good.example", .adblock).reading.kind == .allow)
    }

    @Test(arguments: [
        ("||ads.example^|", NameScope.subtree), ("||ads.example|", .subtree),
        ("||ads.example^*", .subtree), ("|ads.example|", .exact), ("|ads.example^", .exact),
        ("||*.ads.example^", .below), ("*.ads.example^", .below), (".ads.example^", .below),
    ])
    func theAnchorsSayTheScope(_ line: String, _ scope: NameScope) {
        let read = Read(line, .adblock)
        #expect(read.reading.kind == .block && read.reading.isPlain, "\(line)")
        #expect(read.names(scope) == ["ads.example"], "\(line)")
    }

    @Test(
        arguments: [
            ("||ads.example", "ads.example", [PatternAnchors.labelStart]),
            ("||ads*.example^", "ads*.example", [.labelStart, .hostEnd]),
            ("|ads.", "ads.", [.hostStart]), ("-ads-", "-ads-", []),
            ("ads.example^", "ads.example", [.hostEnd]),
        ] as [(String, String, PatternAnchors)])
    func hostPatternsAreKept(_ line: String, _ pattern: String, _ anchors: PatternAnchors) {
        let read = Read(line, .adblock)
        #expect(read.reading.kind == .block && !read.reading.isPlain, "\(line)")
        #expect(read.reading.reason == nil && read.reading.hostPattern != nil, "\(line)")
        #expect(read.pattern == pattern && read.reading.patternAnchors == anchors, "\(line)")
        #expect(read.names.isEmpty)
    }

    @Test(arguments: [
        "||ads.example/x", "||ads.example:8080^", "|https://ads.example/", "/banner.", "||a.b^x",
        "&ad=", "||ads.example^/path$script",
    ])
    func rulesOnURLsAreLeftOut(_ line: String) {
        let read = Read(line, .adblock)
        #expect(read.reading.kind == .unsupported && read.reading.reason == .urlRule, "\(line)")
    }

    @Test(arguments: [
        "$third-party", "$script", "$domain=a.example", "$~important", "$important,3p", "$all",
    ])
    func modifiersThatNeedAPageMakeTheRuleUnsupported(_ modifiers: String) {
        for rule in ["||ads.example^", "@@||ads.example^"] {
            let read = Read(rule + modifiers, .adblock)
            #expect(read.reading.kind == .unsupported, "\(modifiers)")
            #expect(read.reading.reason == .unsupportedModifier, "\(modifiers)")
        }
    }

    @Test func typesAreReadByNameAndNumber() {
        let read = Read("||a.example^$dnstype=AAAA|https|TYPE99", .adblock)
        #expect(read.reading.kind == .block && read.reading.types == [28, 65, 99])
        #expect(!read.reading.typesAreExcluded && !read.reading.isPlain)
        for value in ["", "=", "=A|~AAAA", "=NOSUCH", "=TYPE70000"] {
            let bad = Read("||a.example^$dnstype" + value, .adblock).reading
            #expect(bad.kind == .error && bad.reason == .badModifierValue, "\(value)")
        }
    }

    @Test func exceptionsOfARuleAreItsOwn() {
        let read = Read("||a.example^$denyallow=b.a.example|C.a.example,important", .adblock)
        #expect(read.except == ["b.a.example", "c.a.example"] && read.names == ["a.example"])
        #expect(read.reading.important)
        for value in ["*.b.example", "", "b..example"] {
            let bad = Read("||a.example^$denyallow=" + value, .adblock).reading
            #expect(bad.reason == .badModifierValue, "\(value)")
        }
    }

    @Test func clientsAreAddressesPrefixesOrNames() {
        let line = "||a.example^$client=~192.168.0.0/24|::1|'Anna\\'s \\, \\| phone'"
        let clients = Read(line, .adblock).reading.clients
        #expect(
            clients == [
                ClientCondition(subject: .prefix(.v4(0xC0A8_0000), length: 24), isExcluded: true),
                ClientCondition(subject: .address(.v6(1)), isExcluded: false),
                ClientCondition(
                    subject: .name(Array("Anna's , | phone".utf8)), isExcluded: false),
            ])
        #expect(Read(line, .adblock).reading.reason == .clientCondition)
        let byAddress = Read("||a.example^$client=~192.168.0.0/24|::1", .adblock).reading
        #expect(byAddress.kind == .block && !byAddress.isPlain)
        // A hardware address is nothing that a query shows.
        let hardware = Read("||a.example^$client=aa:bb:cc:dd:ee:ff", .adblock).reading
        #expect(hardware.kind == .unsupported && hardware.reason == .clientCondition)
        let many = (0...256).map { "10.0.\($0 / 256).\($0 % 256)" }.joined(separator: "|")
        #expect(Read("||a.example^$client=\(many)", .adblock).reading.kind == .unsupported)
    }

    @Test func aDisabledRuleIsFoundByItsIdentity() {
        let rules = [
            ("||a.example^$badfilter", "||A.example^"),
            ("||a.example^$important,badfilter", "||a.example^$important"),
            ("||a.example^$badfilter,dnstype=A,important", "||a.example^$important,dnstype=A"),
            ("@@||a.example^$badfilter", "@@||a.example^"),
        ]
        for (disabling, disabled) in rules {
            let first = Read(disabling, .adblock)
            let second = Read(disabled, .adblock)
            #expect(first.reading.isBadFilter && !first.reading.isPlain)
            #expect(!second.reading.isBadFilter)
            #expect(first.identity == second.identity, "\(disabling)")
        }
        let other = Read("||a.example^$important", .adblock).identity
        #expect(Read("||a.example^$badfilter", .adblock).identity != other)
    }

    @Test func rewritesHaveAllTheirForms() {
        func answer(_ value: String) -> LineReading {
            Read("||a.example^$dnsrewrite=" + value, .adblock).reading
        }
        #expect(answer("NOERROR;AAAA;2001:db8::1").statedAnswer == "2001:db8::1")
        #expect(answer("0.0.0.0").kind == .rewrite)
        #expect(answer("NOERROR;CNAME;b.example").statedAnswer == "b.example")
        #expect(answer("b.example").answer == .cname(Array("\u{1}b\u{7}example\u{0}".utf8)))
        #expect(answer("REFUSED").answer == .refused && answer("REFUSED").kind == .block)
        #expect(answer("NOERROR;;").answer == .nodata)
        #expect(answer("NXDOMAIN").answer == .standard)
        #expect(answer("SERVFAIL;;").answer == .rcode(2) && answer("SERVFAIL").kind == .rewrite)
        #expect(answer("BADVERS;;").reason == .responseCode)
        #expect(answer("NOERROR;LOC;x").reason == .recordType)
        #expect(answer("NOERROR;A;::1").reason == .badModifierValue)
        #expect(answer("").reason == .badModifierValue)
    }

    @Test(arguments: [
        ("TXT;a\\,b", 16, Array("\u{3}a,b".utf8)),
        ("PTR;b.example.", 12, Array("\u{1}b\u{7}example\0".utf8)),
        ("MX;10 b.example", 15, [0, 10] + Array("\u{1}b\u{7}example\0".utf8)),
        ("SRV;1 2 443 b.example", 33, [0, 1, 0, 2, 1, 187] + Array("\u{1}b\u{7}example\0".utf8)),
        ("HTTPS;0 b.example", 65, [0, 0] + Array("\u{1}b\u{7}example\0".utf8)),
        (
            "SVCB;1 . port=443 alpn=h2\\,h3 ipv4hint=192.0.2.1", 64,
            [
                0, 1, 0, 0, 1, 0, 6, 2, 0x68, 0x32, 2, 0x68, 0x33, 0, 3, 0, 2, 1, 187, 0, 4, 0, 4,
                192, 0, 2, 1,
            ]
        ),
    ])
    func recordsOfARewriteAreRead(value: String, type: UInt16, data: [UInt8]) {
        let reading = Read("||a.example^$dnsrewrite=NOERROR;" + value, .adblock).reading
        #expect(reading.kind == .rewrite && reading.answer == .record(type: type, data: data))
    }

    @Test(arguments: [
        "MX;b.example", "MX;70000 b.example", "PTR;", "SRV;1 2 b.example", "HTTPS;1",
        "HTTPS;1 . port=x", "HTTPS;1 . port=1 port=2", "HTTPS;1 . ipv4hint=::1", "PTR;a..b",
    ])
    func badRecordsAreRefused(value: String) {
        let reading = Read("||a.example^$dnsrewrite=NOERROR;" + value, .adblock).reading
        #expect(reading.reason == .badModifierValue, "\(value)")
    }

    @Test func exceptionsToRewritesAreRewritesOfTheirOwnKind() {
        let all = Read("@@||a.example^$dnsrewrite", .adblock).reading
        #expect(all.kind == .rewrite && all.exceptsRewrites && all.answer == .standard)
        let one = Read("@@||a.example^$dnsrewrite=192.0.2.1,important", .adblock).reading
        #expect(one.exceptsRewrites && one.answer == .addresses([.v4(0xC000_0201)]))
        for block in ["NXDOMAIN", "REFUSED", "NOERROR", "0.0.0.0"] {
            let reading = Read("@@||a.example^$dnsrewrite=" + block, .adblock).reading
            #expect(reading.reason == .rewriteException, "\(block)")
        }
    }

    @Test func aSinkBlocksUnderItsConditionsToo() {
        let sink = Read("||a.example^$dnsrewrite=0.0.0.0,important,dnstype=A", .adblock).reading
        #expect(sink.isSinkBlock(in: .block) && !sink.isSinkBlock(in: .allow))
        #expect(
            !Read("||a.example^$dnsrewrite=192.0.2.1", .adblock).reading.isSinkBlock(in: .block))
    }

    @Test func commentsAndCosmeticRulesAreToldApart() {
        for line in ["# a", "#", "##########", "## Title", "! a", "#comment"] {
            #expect(Read(line, .adblock).reading.reason == .comment, "\(line)")
        }
        for line in [
            "##.ad", "###banner", "a.example#@#.ad", "a.example#$#x { y }", "a.example$$script[x]",
            "a.example#%#//scriptlet('x')", "a.example#@?#x",
        ] {
            #expect(Read(line, .adblock).reading.reason == .cosmetic, "\(line)")
        }
    }
}
