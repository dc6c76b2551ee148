import FilterLists
import Testing

/// Splitting, guessing, addresses and international names.
@Suite struct ListTextTests {
    private func lines(_ octets: [UInt8], chunk: Int) -> [[UInt8]] {
        var splitter = LineSplitter()
        var lines: [[UInt8]] = []
        func take(_ line: Span<UInt8>, _ number: Int) {
            lines.append(line.indices.map { line[$0] })
            #expect(number == lines.count)
        }
        for start in stride(from: 0, to: octets.count, by: chunk) {
            splitter.split(octets.span.extracting(start..<min(start + chunk, octets.count)), take)
        }
        splitter.finish(take)
        #expect(splitter.lineCount == lines.count)
        return lines
    }

    @Test func linesAreTheSameHoweverTheTextIsCut() {
        let text = [0xEF, 0xBB, 0xBF] + Array("a.example\r\n\n\rb\r\r\n\u{FEFF}c\nlast".utf8)
        let expected = ["a.example", "", "\rb\r", "\u{FEFF}c", "last"].map { Array($0.utf8) }
        for chunk in 1...text.count { #expect(lines(text, chunk: chunk) == expected) }
        #expect(lines([], chunk: 1).isEmpty)
        #expect(lines(Array("a\n".utf8), chunk: 1) == [[0x61]])
    }

    @Test func aLineOfJustTheMaximumIsWhole() {
        let most = [UInt8](repeating: 0x61, count: LineSplitter.maximumLineSize)
        for chunk in [1000, most.count + 9] {
            #expect(lines([0xEF, 0xBB, 0xBF] + most + [0x0D, 0x0A], chunk: chunk) == [most])
            #expect(lines(most + [0x61, 0x61, 0x61], chunk: chunk) == [most + [0x61]])
        }
    }

    @Test(arguments: [
        ("# x\n127.0.0.1 localhost\n0.0.0.0 ads.example\n", ListFormat.hosts),
        ("ads.example # CNAME\ntracker.example\n", .domains), ("", .domains),
        ("*.ads.example\n*.b.example\nc.example\n", .wildcard),
        ("! x\n||ads.example^\na.example\nb.example\n0.0.0.0 c.example\n", .adblock),
        ("[Adblock Plus 2.0]\n", .adblock), ("@@||a.example^\n", .adblock),
        ("server=/ads.example/\n", .dnsmasq), ("# x\naddress=/ads.example/#", .dnsmasq),
        ("server:\nlocal-zone: \"a.example\" static\n", .unbound),
        ("; x\n$TTL 60\n@ SOA a. b. 1 2 3 4 5\n", .rpz),
        ("ads.example CNAME .\n*.ads.example CNAME .\n", .rpz),
        ("\u{FEFF}||ads.example^\n", .adblock),
    ])
    func theFormatIsGuessedFromTheStart(_ text: String, _ format: ListFormat) {
        let octets = Array(text.utf8)
        #expect(ListFormat.guess(fromPrefix: octets.span) == format)
    }

    @Test(arguments: [
        ("0.0.0.0", "0.0.0.0"), ("255.1.2.3", "255.1.2.3"), ("::", "::"), ("::1", "::1"),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("fe80::", "fe80::"),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8"), ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"),
        ("a::b", "a::b"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ])
    func addressesAreReadAndWritten(_ text: String, _ written: String) {
        // RFC 4291 §2.2, RFC 5952
        let octets = Array(text.utf8)
        #expect(RuleAddress(text: octets.span)?.description == written)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1..2.3", "1.2.3.", "0001.2.3.4", ":", ":1", "1:",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1::", "1:2:3:4:5:6:7::8:9", "12345::", "g::",
        "1:2:3:4:5:6:7:1.2.3.4", "::%1", ":::", "1.2.3.4:",
    ])
    func whatIsNoAddressIsNone(_ text: String) {
        let octets = Array(text.utf8)
        #expect(RuleAddress(text: octets.span) == nil, "\(text)")
    }

    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
        ("faß.example", "xn--fa-hia.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("_x.bücher.example", "_x.xn--bcher-kva.example"),
    ])
    func unicodeNamesAreMappedBeforeTheyAreEncoded(_ name: String, _ encoded: String) {
        // RFC 5891 §5, UTS #46 non-transitional
        #expect(Read("||\(name)^", .adblock).names == [encoded])
        #expect(Read("\(name) CNAME .", .rpz).names == [encoded])
    }

    @Test func namesThatCannotBeMappedAreErrors() {
        let long = String(repeating: "ü", count: 600) + ".example"
        for name in [long, "a\u{200B}\u{2FF0}.example", "\u{0301}a.example"] {
            let reading = Read(name, .domains).reading
            #expect(reading.kind == .error && reading.reason == .badInternationalName, "\(name)")
        }
        var reader = ListReader(options: ListOptions(format: .domains))
        var reading = LineReading()
        let broken: [UInt8] = [0x61, 0xFF, 0xFE, 0x2E, 0x62]
        reader.read(line: broken.span, number: 1, into: &reading)
        #expect(reading.reason == .badInternationalName && reading.octets.isEmpty)
    }

    @Test func everyReasonHasItsOwnKey() {
        #expect(Set(LineReason.allCases.map(\.key)).count == LineReason.allCases.count)
        for reason in LineReason.allCases { #expect(!reason.description.isEmpty) }
    }
}
