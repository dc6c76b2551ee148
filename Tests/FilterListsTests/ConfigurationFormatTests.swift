import DomainNames
import FilterLists
import Testing

/// Lists written as configuration of other servers: dnsmasq, Unbound, response policy zones.
@Suite struct ConfigurationFormatTests {
    @Test(
        arguments: [
            ("address=/ads.example/192.0.2.1", LineReading.Kind.rewrite, nil),
            ("address=/ads.example/::", .block, nil), ("address=/ads.example/", .block, nil),
            ("address=/ads.example/x", .error, .badAddress),
            ("address=ads.example", .error, .syntax),
            ("address=/*ads.example/#", .block, nil),
            ("address=/*ads.example/192.0.2.1", .unsupported, .rewriteByPattern),
            ("server=/*good.example/#", .allow, nil),
            ("address=/ads*.example/#", .error, .badName),
            ("server=192.0.2.53", .unsupported, .forwardRule), ("port=5353", .ignored, .setting),
            ("no-resolv", .ignored, .setting), ("conf-dir=/etc/x", .unsupported, .include),
            ("txt-record=a.example,x", .unsupported, .recordType),
            ("cname=a.example,b.example", .rewrite, nil),
            ("host-record=a.example", .error, .badAddress),
            ("local=/ads.example/ # why", .block, nil), ("what is this", .error, .syntax),
        ] as [(String, LineReading.Kind, LineReason?)])
    func dnsmasqOptions(_ line: String, _ kind: LineReading.Kind, _ reason: LineReason?) {
        let read = Read(line, .dnsmasq)
        #expect(read.reading.kind == kind && read.reading.reason == reason, "\(line)")
    }

    @Test func dnsmasqRecordsHaveSeveralNamesAndAddresses() {
        let host = Read("host-record=a.example,b.example,192.0.2.9,2001:db8::9,300", .dnsmasq)
        #expect(host.names(.exact) == ["a.example", "b.example"])
        #expect(host.addresses == ["192.0.2.9", "2001:db8::9"])
        let alias = Read("cname=*.a.example,b.example,T.example,60", .dnsmasq)
        #expect(alias.names(.below) == ["a.example"] && alias.names(.exact) == ["b.example"])
        #expect(alias.reading.statedAnswer == "t.example")
        let part = Read("local=/a.example/b..example/c.example/", .dnsmasq)
        #expect(part.names == ["a.example", "c.example"] && part.reading.warnings.count == 1)
    }

    @Test(arguments: [
        ("always_nxdomain", LineReading.Kind.block, RuleAnswer.standard),
        ("always_refuse", .block, .refused), ("inform_deny", .block, .drop),
        ("always_deny", .block, .drop), ("block_a", .block, .nodata),
        ("transparent", .allow, .standard), ("\"typetransparent\"", .allow, .standard),
        ("nodefault", .ignored, .standard), ("ipset", .unsupported, .standard),
        ("sttic", .error, .standard),
    ])
    func unboundZoneTypes(_ type: String, _ kind: LineReading.Kind, _ answer: RuleAnswer) {
        let read = Read("\tlocal-zone: ads.example. \(type) # x", .unbound)
        #expect(read.reading.kind == kind && read.reading.answer == answer, "\(type)")
        if type == "block_a" { #expect(read.reading.types == [1]) }
    }

    @Test(
        arguments: [
            ("local-data: \"a.example. 60 IN AAAA 2001:db8::1\"", LineReading.Kind.rewrite, nil),
            ("local-data: 'a.example CNAME b.example.'", .rewrite, nil),
            ("local-data: 'a.example TXT \"x # y\"'", .unsupported, .recordType),
            ("local-data: \"a.example A ::1\"", .error, .badAddress),
            ("local-data: \"a.example\"", .error, .syntax),
            ("local-zone: \"https://a.example\" static", .error, .badName),
            ("local-zone: \"a\\.b.example\" static", .block, nil),
            ("local-data-ptr: \"192.0.2.1 a.example\"", .unsupported, .recordType),
            ("include: /etc/x", .unsupported, .include), ("verbosity: 1", .ignored, .setting),
            ("forward-addr: 192.0.2.1", .unsupported, .forwardRule), ("# x", .ignored, .comment),
            ("local-zone: \"a.example\"", .error, .syntax), ("ads.example", .error, .syntax),
        ] as [(String, LineReading.Kind, LineReason?)])
    func unboundOptions(_ line: String, _ kind: LineReading.Kind, _ reason: LineReason?) {
        let read = Read(line, .unbound)
        #expect(read.reading.kind == kind && read.reading.reason == reason, "\(line)")
    }

    @Test func aPolicyZoneIsReadRelativeToItsApex() {
        let zone = """
            $TTL 60
            rpz.example. IN SOA ns.example. root.example. (
                1 3600 ; serial and refresh
                600 86400 60 )
             NS ns.example.
            ads.example.rpz.example. CNAME .
            *.ads.example.rpz.example. 60 IN CNAME *.
            other.example. CNAME .
            $ORIGIN test.rpz.example.
            rel CNAME rpz-passthru.
             A 192.0.2.3
            @ CNAME rpz-drop.
            """
        let reads = readAll(zone, ListOptions(format: .rpz))
        let expected: [(LineReading.Kind, LineReason?, [String])] = [
            (.ignored, .directive, []), (.ignored, .apexRecord, []), (.ignored, .continuation, []),
            (.ignored, .continuation, []), (.ignored, .apexRecord, []),
            (.block, nil, ["ads.example"]), (.block, nil, ["ads.example"]),
            (.error, .outOfZone, []), (.ignored, .directive, []), (.allow, nil, ["rel.test"]),
            (.rewrite, nil, ["rel.test"]), (.error, .wholePublicSuffix, []),
        ]
        #expect(reads.count == expected.count)
        for (read, (kind, reason, names)) in zip(reads, expected) {
            let line = String(decoding: read.line, as: UTF8.self)
            #expect(read.reading.kind == kind && read.reading.reason == reason, "\(line)")
            #expect(read.names == names, "\(line)")
        }
        #expect(reads[5].reading.names.map(\.scope) == [.exact])
        #expect(reads[6].reading.names.map(\.scope) == [.below])
        #expect(reads[6].reading.answer == .nodata)
    }

    @Test(
        arguments: [
            ("ads.example. CNAME .", LineReading.Kind.block, nil),
            ("32.1.2.0.192.rpz-ip CNAME .", .unsupported, .policyTrigger),
            ("ns.example.rpz-nsdname CNAME .", .unsupported, .policyTrigger),
            ("ads.example CNAME rpz-tcp-only.", .unsupported, .tcpOnly),
            ("ads.example CNAME ads.example.", .allow, nil),
            ("ads.example CNAME *.garden.example.", .unsupported, .wildcardTarget),
            ("ads.example CNAME garden.example.", .rewrite, nil),
            ("ads.example A 0.0.0.0", .block, nil), ("ads.example A x", .error, .badAddress),
            ("ads.example TXT \"a;b\"", .unsupported, .recordType),
            ("ads.example CNAME (", .unsupported, .multilineRecord),
            ("ads.example", .error, .syntax), (" CNAME .", .error, .syntax),
            ("a\\300.example CNAME .", .error, .badName), ("$INCLUDE x", .unsupported, .include),
        ] as [(String, LineReading.Kind, LineReason?)])
    func policyRecords(_ line: String, _ kind: LineReading.Kind, _ reason: LineReason?) {
        let read = Read(line, .rpz)
        #expect(read.reading.kind == kind && read.reading.reason == reason, "\(line)")
    }
}
