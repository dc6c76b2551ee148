import DomainNames
import FilterLists
import Testing

/// Wildcards inside a name and regular expressions, as AdGuard's DNS filtering has them.
@Suite struct PatternRuleTests {
    @Test(
        arguments: [
            (
                "||ads*.example.com^", ["ads1.example.com", "x.ads.y.example.com"],
                ["bads1.example.com", "ads1.example.com.org", "ads.example.org"]
            ),
            ("||ads.*^", ["ads.example", "a.ads.b.c"], ["bads.example", "ads"]),
            (
                "||ads.example", ["ads.example", "ads.example.org", "x.ads.examplefoo"],
                ["bads.example"]
            ),
            ("|ads.", ["ads.example"], ["x.ads.example"]),
            ("|ads*.example|", ["ads-x.example"], ["x.ads.example", "ads.example.org"]),
            ("-ads-", ["a-ads-b.example", "x.-ads-.y"], ["ads.example"]),
            ("ads.example^", ["ads.example", "bads.example"], ["ads.example.org"]),
            ("||*track*.example^", ["a.mytracker.example"], ["track.example.org"]),
            ("/^ads[0-9]+\\./", ["ads12.example"], ["ads.example", "x.ads1.example"]),
            ("/ntent\\.com$/", ["usercontent.com"], ["content.com.org"]),
            ("/(^|\\.)ads\\.example$/", ["ads.example", "x.ads.example"], ["bads.example"]),
            ("/ADS-[A-F]/", ["my.ads-c.example"], ["ads-g.example"]),
        ] as [(String, [String], [String])])
    func patternsMatchTheTextOfAName(_ line: String, _ matching: [String], _ others: [String]) {
        for prefix in ["", "@@"] {
            let read = Read(prefix + line, .adblock)
            #expect(read.reading.kind == (prefix.isEmpty ? .block : .allow), "\(line)")
            #expect(read.names.isEmpty && !read.pattern.isEmpty)
            for name in matching { #expect(read.matches(name), "\(line) on \(name)") }
            for name in others { #expect(!read.matches(name), "\(line) on \(name)") }
        }
    }

    @Test func theModifiersOfNamesAreThoseOfPatterns() {
        let read = Read(
            "/ads[0-9]/$important,dnstype=~A,denyallow=ads1.example,badfilter", .adblock)
        #expect(read.reading.kind == .block && read.reading.important && read.reading.isBadFilter)
        #expect(read.reading.typesAreExcluded && read.reading.types == [1])
        #expect(read.except == ["ads1.example"])
        #expect(Read("||ads*.a.example^$dnsrewrite=REFUSED", .adblock).reading.answer == .refused)
        let sink = Read("||ads*.a.example^$dnsrewrite=0.0.0.0", .adblock)
        #expect(sink.reading.kind == .block && sink.reading.statedAnswer == "0.0.0.0")
        let rewrite = Read("||ads*.a.example^$dnsrewrite=192.0.2.1", .adblock)
        #expect(rewrite.reading.kind == .unsupported)
        #expect(rewrite.reading.reason == .rewriteByPattern)
        let page = Read("||ads*.a.example^$third-party", .adblock)
        #expect(page.reading.reason == .unsupportedModifier && page.reading.kind == .unsupported)
        let list = ListOptions(format: .adblock, action: .allow)
        #expect(Read("||ads*.a.example^", list).reading.kind == .allow)
    }

    @Test(
        arguments: [
            ("/ads(?=x)/", .unsupported, .unsupportedExpression, 5, "look-around"),
            ("@@/(a)\\1/", .unsupported, .unsupportedExpression, 7, "back reference"),
            ("/\\bads/$important", .unsupported, .unsupportedExpression, 2, "word boundary"),
            ("/ads(x/", .error, .badExpression, 5, "unbalanced parenthesis"),
            ("/ad[s/", .error, .badExpression, 4, "character class that is empty or not closed"),
            ("/*/", .error, .badExpression, 2, "nothing to repeat"),
            ("/(a{1000}){1000}/", .unsupported, .patternTooComplex, 2, "more than 4096 parts"),
            ("/^https?:\\/\\/ads\\./", .unsupported, .urlRule, 2, nil),
        ] as [(String, LineReading.Kind, LineReason, Int, String?)])
    func anExpressionThatCannotBeUsedSaysWhyAndWhere(
        _ line: String, _ kind: LineReading.Kind, _ reason: LineReason, _ column: Int,
        _ detail: String?
    ) {
        let read = Read(line, .adblock)
        #expect(read.reading.kind == kind && read.reading.reason == reason, "\(line)")
        #expect(read.reading.column == column && read.reading.detail == detail, "\(line)")
    }

    @Test(arguments: [
        "*", "||*^", "|*|", "/.*/", "/^/", "/a|/", "*.com", ".com", "com^", "||*com^", "/\\.com$/",
        "/\\.(zip|mov)$/", "/com/", "/^[^.]+\\.com$/", "/^[a-z0-9-]{1,63}\\.org$/",
        "/^[a-z0-9]([a-z0-9-]*[a-z0-9])?\\.de$/", "*.zzz*", "||*.org",
    ])
    func whatTakesAWholeTopLevelDomainIsAnError(_ line: String) {
        let read = Read(line, .adblock)
        #expect(read.reading.kind == .error, "\(line)")
        #expect(read.reading.reason == .wholePublicSuffix, "\(line)")
        // Allowing what is blocked elsewhere is no danger, and who asks for it may block it.
        #expect(Read("@@" + line, .adblock).reading.kind == .allow, "\(line)")
        let wide = ListOptions(format: .adblock, allowPublicSuffixes: true)
        #expect(Read(line, wide).reading.kind == .block, "\(line)")
    }

    @Test(arguments: [
        "||ads*^", "||ads.*^", "/^ads\\./", "/^[a-z]{3}\\.com$/", "/[0-9]{5}\\.com$/", "xyzzy*",
        "/^[^.]+\\.example\\.com$/", "||a*.com^", "-*-.com^", "zzz",
    ])
    func whatTakesAPartOfATopLevelDomainIsARule(_ line: String) {
        #expect(Read(line, .adblock).reading.kind == .block, "\(line)")
    }

    @Test(arguments: ["-", "..", "z9", "|q", "q^", "||"])
    func aPatternOfTwoOctetsIsAnError(_ line: String) {
        let read = Read(line, .adblock)
        #expect(read.reading.kind == .error, "\(line)")
        #expect([.patternTooShort, .emptyPattern].contains(read.reading.reason), "\(line)")
    }

    @Test func dnsmasqStarsMatchTheEndOfAName() {
        let read = Read("address=/*ads.example/#", .dnsmasq)
        #expect(read.matches("ads.example") && read.matches("badads.example"))
        #expect(read.matches("x.ads.example") && !read.matches("ads.example.org"))
        let both = Read("address=/a.example/*b.example/*c.example/", .dnsmasq)
        #expect(both.names == ["a.example"] && both.pattern == "*b.example")
        #expect(both.reading.warnings == [.nameSkipped(.wildcardPattern, column: 31)])
        let wide = Read("address=/a.example/*com/", .dnsmasq)
        #expect(wide.names == ["a.example"] && wide.reading.hostPattern == nil)
        #expect(wide.reading.warnings == [.nameSkipped(.wholePublicSuffix, column: 1)])
        let rewrite = Read("address=/a.example/*b.example/192.0.2.1", .dnsmasq)
        #expect(rewrite.reading.kind == .rewrite && rewrite.names == ["a.example"])
        #expect(rewrite.reading.warnings == [.nameSkipped(.rewriteByPattern, column: 1)])
    }

    @Test func inAWildcardListAPatternReachesAsFarAsAName() {
        let read = Read("ads*.example", .wildcard)
        #expect(read.matches("ads1.example") && read.matches("x.ads1.example"))
        #expect(!read.matches("bads1.example"))
        let exact = Read("ads*.example", ListOptions(format: .wildcard, scope: .exact))
        #expect(exact.matches("ads1.example") && !exact.matches("x.ads1.example"))
    }
}
