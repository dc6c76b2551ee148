import Testing

/// The language of scenario files: what is read, and what is refused with its line.
@Suite struct ScenarioParserTests {
    private static let check = """
        STEP 2 CHECK_ANSWER
        ENTRY_BEGIN
        MATCH rcode
        REPLY NOERROR
        ENTRY_END
        """

    private func parse(_ body: String, head: String = "") throws -> Scenario {
        let text =
            "\(head)SCENARIO_BEGIN test\n\(body)\n\(ScenarioParserTests.check)\nSCENARIO_END\n"
        return try ScenarioParser.parse(file: "a.rpl", text: text)
    }

    @Test func everyBlockIsRead() throws {
        let scenario = try parse(
            """
            RANGE_BEGIN 1 9
            ADDRESS 192.0.2.7
            ENTRY_BEGIN
            MATCH opcode qname UDP  ; over datagrams only
            ADJUST copy_id
            REPLY QR NXDOMAIN
            DELAY 250
            TIMES 2
            SECTION QUESTION
            www.example. IN A
            SECTION AUTHORITY
            example. 60 IN SOA ns.example. a.example. 1 2 3 4 5
            ENTRY_END
            RANGE_END
            STEP 1 QUERY ADDRESS 127.0.0.9
            ENTRY_BEGIN
            REPLY RD DO
            TCP
            SECTION QUESTION
            www.example. IN A
            ENTRY_END
            """,
            head: """
                CONFIG_BEGIN
                block-ttl: 7s
                CONFIG_END
                RULES_BEGIN list ads adblock subtree allow
                ||a;b^ ; no comment here
                RULES_END

                """)
        #expect(scenario.configuration == "block-ttl: 7s\n")
        #expect(scenario.lists.first?.text == "||a;b^ ; no comment here\n")
        #expect(scenario.lists.first?.isAllowList == true)
        #expect(scenario.lists.first?.scope == "subtree")
        #expect(scenario.upstreamAddresses == ["192.0.2.7"])
        let entry = try #require(scenario.ranges.first?.entries.first)
        #expect(entry.match == [.opcode, .qname, .udp])
        #expect(entry.copiesID && !entry.copiesQuery && entry.uses == 2)
        #expect(entry.delay == .milliseconds(250))
        #expect(entry.message.sections[1].count == 1)
        guard case .query(let query, let client) = scenario.steps.first?.action else {
            Issue.record("step 1 is no query")
            return
        }
        #expect(client == "127.0.0.9" && query.overTCP && query.message.dnssecOK)
        #expect(query.message.payloadSize == EntryReader.defaultPayloadSize)
    }

    static let faults: [(body: String, line: Int, kind: ScenarioError.Kind)] = [
        ("STEP x QUERY", 2, .malformedNumber("x")),
        ("STEP 1 JUMP", 2, .unknownWord("JUMP", place: "a step")),
        ("STEP 3 RESUME", 3, .stepNotAscending(2)),
        ("STEP 1 QUERY", 2, .missing("ENTRY_BEGIN after the step")),
        ("STEP 1 TIME_PASSES ELAPSE soon", 2, .malformedNumber("soon")),
        ("STEP 1 EXPECT luck = 3", 2, .unknownWord("luck", place: "EXPECT")),
        ("STEP 1 EXPECT ede ~ 3", 2, .unknownWord("~", place: "EXPECT")),
        ("STEP 1 EXPECT edeText < \"a\"", 2, .figureNeedsNumber("edeText")),
        ("STEP 1 EXPECT blocked 192.0.2.1 = 1", 2, .unknownWord("192.0.2.1", place: "EXPECT")),
        ("RANGE_BEGIN 5 2", 2, .malformedNumber("2")),
        ("RANGE_BEGIN 1 2\nRANGE_END", 2, .missing("ADDRESS of the range")),
        (
            "STEP 1 QUERY\nENTRY_BEGIN\nSECTION QUESTION\na. IN NONSENSE\nENTRY_END", 5,
            .malformedRecord("a. IN NONSENSE", .badType("NONSENSE"))
        ),
        (
            "STEP 1 CHECK_ANSWER\nENTRY_BEGIN\nMATCH UDP\nENTRY_END", 4,
            .unknownWord("UDP", place: "MATCH of this entry")
        ),
        (
            "STEP 1 CHECK_ANSWER\nENTRY_BEGIN\nREPLY QR\nENTRY_END", 3,
            .missing("MATCH with at least one word")
        ),
    ]

    @Test(arguments: faults.indices)
    func aFaultIsNamedWithItsLine(index: Int) {
        let fault = ScenarioParserTests.faults[index]
        #expect(throws: ScenarioError(file: "a.rpl", line: fault.line, kind: fault.kind)) {
            try parse(fault.body)
        }
    }

    @Test func aScenarioThatChecksNothingIsRefused() {
        #expect(throws: ScenarioError(file: "a.rpl", line: 3, kind: .checksNothing)) {
            try ScenarioParser.parse(
                file: "a.rpl", text: "SCENARIO_BEGIN x\nSTEP 1 RESUME\nSCENARIO_END")
        }
    }

    @Test func blocksThatAreNotEndedAreRefused() {
        for (text, block) in [
            ("RULES_BEGIN list a domains\na.example\n", "RULES_BEGIN"),
            ("CONFIG_BEGIN\n", "CONFIG_BEGIN"), ("SCENARIO_BEGIN x\n", "SCENARIO_BEGIN"),
        ] {
            let error = #expect(throws: ScenarioError.self) {
                try ScenarioParser.parse(file: "a.rpl", text: text)
            }
            #expect(error?.kind == .unfinished(block))
        }
    }
}

/// Records in presentation form against their octets, written out by hand.
@Suite struct ScenarioRecordTests {
    static let records: [(text: String, rdata: [UInt8])] = [
        ("a. 5 IN A 192.0.2.1", [192, 0, 2, 1]),
        ("a. IN AAAA 2001:db8::1", [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]),
        ("a. CNAME B.c.", [1, 98, 1, 99, 0]),
        ("a. MX 10 m.", [0, 10, 1, 109, 0]),
        ("a. SRV 1 2 443 s.", [0, 1, 0, 2, 1, 0xBB, 1, 115, 0]),
        ("a. TXT \"x y\" z", [3, 120, 32, 121, 1, 122]),
        (
            "a. SOA n. m. 1 2 3 4 5",
            [1, 110, 0, 1, 109, 0] + [1, 2, 3, 4, 5].flatMap { [0, 0, 0, $0] }
        ),
        ("a. HTTPS 1 . alpn=h2 port=443", [0, 1, 0, 0, 1, 0, 3, 2, 104, 50, 0, 3, 0, 2, 1, 0xBB]),
        ("a. TYPE999 \\# 3 0a 0bff", [10, 11, 255]),
    ]

    @Test(arguments: records.indices)
    func rdataHasTheOctetsOfTheStandard(index: Int) throws {
        let (text, rdata) = ScenarioRecordTests.records[index]
        let record = try ScenarioRecord(words: ScenarioParser.words(text[...]))
        #expect(record.canonicalRdata == rdata)
    }

    @Test func wrongRecordsAreRefused() {
        for (text, fault) in [
            ("a. IN A 192.0.2", ScenarioError.RecordFault.badAddress("192.0.2")),
            ("a. IN A 2001:db8::1", .badAddress("2001:db8::1")),
            ("a. IN MX mx.", .badNumber("mx.")),
            ("a. IN TYPE9 \\# 2 ff", .badOctets("ff")),
            ("a..b. IN A 192.0.2.1", .badName("a..b.")),
            ("a. IN", .tooFewFields),
        ] {
            #expect(throws: fault) {
                try ScenarioRecord(words: ScenarioParser.words(text[...]))
            }
        }
    }

    @Test func namesAreCompressedAndReadBack() throws {
        var message = ScenarioMessage()
        message.flags = 0x8180
        message.questions = [
            .init(name: try ScenarioRecord.name("www.a.example."), type: 1, recordClass: 1)
        ]
        for text in ["www.a.example. 9 IN CNAME b.A.example.", "b.a.example. 9 IN A 192.0.2.1"] {
            message.sections[0].append(
                try ScenarioRecord(words: ScenarioParser.words(text[...])))
        }
        let octets = message.encoded(id: 7)
        // Header 12, question 19, CNAME 2 + 10 + 4, A 2 + 10 + 4.
        #expect(octets.count == 63)
        let read = try ReceivedMessage.read(octets)
        #expect(read.sections[0].map(\.rdata) == message.sections[0].map(\.canonicalRdata))
        #expect(read.sections[0].map(\.owner) == message.sections[0].map(\.owner))
    }
}
