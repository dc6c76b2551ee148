import DomainNames
import FilterLists
import Testing
import WireFixtures

/// Lines of chance: no octets may stop a reader, and what it yields is always a name.
@Suite struct ListReaderPropertyTests {
    private static let pieces: [String] = [
        "||", "|", "^", "@@", "$", "$important", "$dnstype=", "$denyallow=", "$client=",
        "$dnsrewrite=", "NOERROR;", ";;", "badfilter", ",", "=", "~", "/", "//", "\\", "*", "*.",
        ".", "..", "a", "example", ".example", "com", "0.0.0.0", "::", "192.0.2.1/24", " ", "\t",
        "#", "##", "#@#", "$$a", "!", "[", "]", "(", ")", "\"", "'", ";", "<", "ü", "\u{200D}",
        "address=/", "server=/", "local=/", "host-record=", "cname=", "local-zone: ", "static",
        "local-data: ", "A", "CNAME", "SOA", "$ORIGIN ", "$TTL", "@", "rpz-ip", "rpz-passthru.",
        "-", "_", "\\046", "\\999", "xn--", String(repeating: "a", count: 63),
        String(repeating: "b.", count: 100), "%", "TYPE9", "|b|c",
    ]

    /// Lines with a rule, to be spoilt by a few octets.
    private static let rules: [String] = [
        "0.0.0.0 ads.example b.example", "ads.example", "*.ads.example", "||ads.example^",
        "@@||ads.example^$important,dnstype=~A", "||a.example^$client=::1/64|~'x'",
        "/^ads[0-9]+\\./$badfilter", "address=/ads.example/b.example/#",
        "host-record=a.example,::1", "local-zone: \"ads.example.\" always_nodata",
        "local-data: \"ads.example 60 IN A 192.0.2.1\"", "ads.example 60 IN CNAME rpz-drop.",
        "*.ads.example CNAME b.example.", "$ORIGIN rpz.example.", "bücher.example",
        "a.rpz.example. A 192.0.2.1",
    ]

    private func line(_ generator: inout SeededGenerator) -> [UInt8] {
        if Int.random(in: 0..<4, using: &generator) == 0 {
            return (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
        }
        if Bool.random(using: &generator) {
            var line = Array((Self.rules.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 0..<3, using: &generator) {
                let index = Int.random(in: 0..<line.count, using: &generator)
                line[index] = UInt8.random(in: 0...255, using: &generator)
            }
            return line
        }
        var line: [UInt8] = []
        for _ in 0..<Int.random(in: 1..<10, using: &generator) {
            line += Array((Self.pieces.randomElement(using: &generator) ?? "").utf8)
        }
        return line
    }

    @Test(arguments: ListFormat.allCases)
    func noLineStopsAReaderAndEveryNameHoldsToTheLimits(_ format: ListFormat) throws {
        for seed in UInt64(1)...4 {
            var generator = SeededGenerator(seed: seed)
            var reader = ListReader(
                options: ListOptions(format: format, allowPublicSuffixes: seed % 2 == 0))
            var reading = LineReading()
            var rules = 0
            for number in 1...10_000 {
                if number % 500 == 0 { reader = ListReader(options: reader.options) }
                let line = line(&generator)
                reader.read(line: line.span, number: number, into: &reading)
                let why = "seed \(seed), line \(number): \(String(decoding: line, as: UTF8.self))"
                check(reading, line, why)
                if reading.reason == nil { rules += 1 }
            }
            #expect(rules > 0, "seed \(seed) gave no rule at all")
        }
    }

    private func check(_ reading: LineReading, _ line: [UInt8], _ why: String) {
        for name in reading.names + reading.except {
            let wire = reading.octets.span.extracting(name.wire)
            let value = try? DomainName(wire: wire)
            #expect(value != nil, "\(why)")
            #expect(value?.lowercased.wire == value?.wire, "\(why)")
        }
        let isRule = [.block, .allow, .rewrite].contains(reading.kind)
        if isRule != (reading.reason == nil) { Issue.record("rule with a reason: \(why)") }
        if isRule && reading.names.isEmpty && reading.hostPattern == nil {
            Issue.record("rule without names: \(why)")
        }
        if reading.kind == .error && !reading.octets.isEmpty { Issue.record("octets stay: \(why)") }
        if reading.ruleText.upperBound > line.count { Issue.record("range past the end: \(why)") }
        if reading.column > line.count + 1 { Issue.record("column past the end: \(why)") }
        if case .cname(let wire) = reading.answer {
            #expect((try? DomainName(wire: wire.span)) != nil, "\(why)")
        }
    }
}
