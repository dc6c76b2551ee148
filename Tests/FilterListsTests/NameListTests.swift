import DomainNames
import FilterLists
import Testing

/// Hosts files, domain lists and wildcard lists past the table of edge lines.
@Suite struct NameListTests {
    @Test func theOptionsGiveBareNamesTheirScope() {
        for (format, standard) in [
            (ListFormat.hosts, NameScope.exact), (.domains, .exact), (.wildcard, .subtree),
        ] {
            let line = format == .hosts ? "0.0.0.0 ads.example" : "ads.example"
            #expect(Read(line, format).names(standard) == ["ads.example"])
            for scope in [NameScope.exact, .subtree] {
                let read = Read(line, ListOptions(format: format, scope: scope))
                #expect(read.names(scope) == ["ads.example"])
            }
        }
    }

    @Test func marksAtTheFrontMeanTheSubtree() {
        #expect(Read("*.ads.example", .wildcard).names(.subtree) == ["ads.example"])
        #expect(Read(".ads.example", .wildcard).names(.subtree) == ["ads.example"])
        let exact = ListOptions(format: .domains, scope: .exact)
        #expect(Read(".ads.example", exact).names(.subtree) == ["ads.example"])
    }

    @Test func aStarElsewhereIsAPatternThatIsKept() {
        for line in ["ads*.example", "a.*.example", "ads.*"] {
            let read = Read(line, .wildcard)
            #expect(read.reading.kind == .block && read.pattern == line)
            #expect(read.reading.patternAnchors == [.labelStart, .hostEnd])
            #expect(read.names.isEmpty)
            let exact = Read(line, ListOptions(format: .wildcard, scope: .exact))
            #expect(exact.reading.patternAnchors == [.hostStart, .hostEnd])
        }
        #expect(Read("*.ads.example", .domains).reading.reason == .wildcardPattern)
    }

    @Test func anAllowListTurnsBlocksIntoExceptions() {
        let options = ListOptions(format: .hosts, action: .allow)
        let read = Read("0.0.0.0 good.example", options)
        #expect(read.reading.kind == .allow && read.reading.isPlain)
        #expect(read.reading.statedAnswer.isEmpty)
        #expect(Read("192.0.2.1 nas.example", options).reading.kind == .rewrite)
        let lan = ListOptions(format: .domains, scope: .subtree, action: .allow)
        #expect(Read("lan", lan).reading.kind == .allow)
    }

    @Test func oneBadNameDoesNotTakeTheOthersOfItsLine() {
        let read = Read("0.0.0.0 a.example b@d.example c.example", .hosts)
        #expect(read.reading.kind == .block && read.names == ["a.example", "c.example"])
        #expect(read.reading.warnings == [.nameSkipped(.badName, column: 20)])
    }

    @Test func localNamesNeverBlockEvenBesideOthers() {
        let read = Read("0.0.0.0 LocalHost ads.example", .hosts)
        #expect(read.names == ["ads.example"] && read.reading.warnings.isEmpty)
        #expect(Read("::1 ip6-localhost", .hosts).reading.reason == .localName)
    }

    @Test func aWholeTopLevelDomainNeedsPermission() {
        for (format, line) in [
            (ListFormat.hosts, "0.0.0.0 com"), (.domains, "com"), (.wildcard, "*.com"),
            (.adblock, "||com^"), (.dnsmasq, "local=/com/"), (.dnsmasq, "address=/#/0.0.0.0"),
            (.unbound, "local-zone: com static"), (.rpz, "*.com CNAME ."),
        ] {
            let refused = Read(line, format).reading
            #expect(refused.kind == .error && refused.reason == .wholePublicSuffix, "\(line)")
            let options = ListOptions(format: format, allowPublicSuffixes: true)
            let allowed = Read(line, options).reading
            #expect(allowed.kind == .block && allowed.warnings == [.singleLabel], "\(line)")
        }
    }

    @Test func aRewriteOfATopLevelDomainIsForItsOwnNameOnly() {
        let exact = Read("192.168.1.1 router", .hosts).reading
        #expect(exact.kind == .rewrite && exact.warnings == [.singleLabel])
        for (format, line) in [
            (ListFormat.dnsmasq, "address=/#/192.0.2.1"), (.dnsmasq, "address=/lan/192.0.2.1"),
            (.adblock, "||com^$dnsrewrite=192.0.2.1"),
        ] {
            #expect(Read(line, format).reading.reason == .wholePublicSuffix, "\(line)")
        }
        let part = Read("local=/com/ads.example/", .dnsmasq)
        #expect(part.names == ["ads.example"])
        #expect(part.reading.warnings == [.nameSkipped(.wholePublicSuffix, column: 1)])
    }

    @Test(arguments: [
        ("a..example", LineReason.emptyLabel, 3), ("https://a.example/", .urlForName, 1),
        ("||a.example^", .otherFormat, 1), ("a.example b.example", .severalNames, 11),
        ("a.example/path", .urlForName, 1), ("a!.example", .badName, 2),
    ])
    func whatIsNoNameIsSaidWithItsColumn(_ line: String, _ reason: LineReason, _ column: Int) {
        let read = Read(line, .domains)
        #expect(read.reading.kind == .error && read.reading.reason == reason, "\(line)")
        #expect(read.reading.column == column, "\(line)")
        #expect(read.names.isEmpty && read.reading.octets.isEmpty)
    }

    @Test func namesHoldToTheLimits() {
        // RFC 1035 §2.3.4: 255 octets on the wire are 253 of text.
        let label = String(repeating: "a", count: 63)
        let most = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(most.utf8.count == 253)
        #expect(Read(most, .domains).names == [most])
        #expect(Read(most + ".", .domains).names == [most])
        #expect(Read(most + "b", .domains).reading.reason == .nameTooLong)
        #expect(Read("x." + most, .domains).reading.reason == .nameTooLong)
        #expect(Read(label + "a.example", .domains).reading.reason == .labelTooLong)
    }

    @Test func aHostsLineWithoutAddressSaysSo() {
        let missing = LineReason.nameWithoutAddress
        #expect(Read("ads.example", .hosts).reading.reason == missing)
        #expect(Read("ads.example#x", .hosts).reading.reason == missing)
        #expect(Read("fe80::1%eth0 nas.example", .hosts).reading.reason == .zonedAddress)
    }

    @Test func anOctetOfZeroIsAnError() {
        for format in ListFormat.allCases {
            #expect(Read("# a\u{0}b", format).reading.reason == .nulOctet)
        }
    }

    @Test func aReadingIsRefilledWhole() {
        var reader = ListReader(options: ListOptions(format: .adblock))
        var reading = LineReading()
        let first = Array("||a.example^$important,dnstype=A,denyallow=b.a.example".utf8)
        reader.read(line: first.span, number: 1, into: &reading)
        #expect(!reading.isPlain && reading.kind == .block)
        let second = Array("||b.example^".utf8)
        reader.read(line: second.span, number: 2, into: &reading)
        #expect(reading.isPlain && reading.names.count == 1 && reading.except.isEmpty)
        #expect(reading.names.map { reading.domainName($0).description } == ["b.example"])
    }
}
