import Testing

/// The player finds what is not as written: without that, no scenario would mean anything.
@Suite struct ScenarioPlayerTests {
    private static let good = """
        RULES_BEGIN list ads domains
        ads.example
        RULES_END
        SCENARIO_BEGIN all parts of an answer
        RANGE_BEGIN 0 9
        ADDRESS 192.0.2.1
        ENTRY_BEGIN
        MATCH qname qtype
        ADJUST copy_id copy_query
        REPLY QR RD RA NOERROR
        SECTION QUESTION
        www.example. IN A
        SECTION ANSWER
        www.example. 60 IN A 198.51.100.1
        SECTION AUTHORITY
        example. 60 IN NS ns.example.
        SECTION ADDITIONAL
        ns.example. 60 IN A 198.51.100.2
        ENTRY_END
        RANGE_END
        STEP 1 QUERY
        ENTRY_BEGIN
        REPLY RD
        EDNS 1232
        SECTION QUESTION
        www.example. IN A
        ENTRY_END
        STEP 2 CHECK_ANSWER
        ENTRY_BEGIN
        MATCH all
        REPLY QR RD RA NOERROR ; flags of the answer
        EDNS 1232 ; of the answer
        SECTION QUESTION
        www.example. IN A ; asked
        SECTION ANSWER
        www.example. 60 IN A 198.51.100.1 ; expected
        SECTION AUTHORITY
        example. 60 IN NS ns.example. ; expected
        SECTION ADDITIONAL
        ns.example. 60 IN A 198.51.100.2 ; expected
        ENTRY_END
        STEP 3 CHECK_OUT_QUERY
        ENTRY_BEGIN
        MATCH qname qtype flags opt UDP
        REPLY RD AD ; flags of the upstream query
        EDNS 1232
        SECTION QUESTION
        www.example. IN A ; forwarded
        ENTRY_END
        STEP 4 EXPECT upstreamQueries = 1
        STEP 5 EXPECT ede = none
        SCENARIO_END
        """

    private func play(_ text: String) throws {
        let scenario = try ScenarioParser.parse(file: "a.rpl", text: text)
        let upstream = ScriptedUpstream(scenario)
        let stage = try SimulatedStage(scenario, upstream: upstream)
        var player = ScenarioPlayer(scenario, on: stage, with: upstream)
        try player.play()
    }

    @Test func theScenarioAsWrittenPasses() throws { try play(ScenarioPlayerTests.good) }

    /// A line of the scenario, what is put in its place, and the part that then differs.
    static let changes: [(line: String, other: String, part: String)] = [
        ("REPLY QR RD RA NOERROR ; flags", "REPLY QR AA RD RA NOERROR ; flags", "flags"),
        ("REPLY QR RD RA NOERROR ; flags", "REPLY QR RD RA NXDOMAIN ; flags", "rcode"),
        ("EDNS 1232 ; of", "EDNS 1400 ; of", "OPT record"),
        ("EDNS 1232 ; of", "; of", "OPT record"),
        ("www.example. IN A ; asked", "WWW.example. IN A", "question"),
        ("IN A 198.51.100.1 ; expected", "IN A 198.51.100.9", "answer"),
        ("IN NS ns.example. ; expected", "IN NS ns2.example.", "authority"),
        ("ns.example. 60 IN A 198.51.100.2 ; expected", "", "additional"),
        ("60 IN A 198.51.100.1 ; expected", "59 IN A 198.51.100.1", "ttl"),
        ("60 IN A 198.51.100.1 ; expected", "61 IN A 198.51.100.1", "ttl"),
        ("www.example. IN A ; forwarded", "other.example. IN A", "qname"),
        ("www.example. IN A ; forwarded", "www.example. IN AAAA", "qtype"),
        ("REPLY RD AD ; flags", "REPLY RD ; flags", "flags"),
        ("flags opt UDP", "flags opt TCP", "transport"),
        ("upstreamQueries = 1", "upstreamQueries > 1", "upstreamQueries"),
        ("ede = none", "ede = 15", "ede"),
    ]

    @Test(arguments: changes.indices)
    func aDifferenceIsFound(index: Int) throws {
        let (line, other, part) = ScenarioPlayerTests.changes[index]
        let text = ScenarioPlayerTests.good.replacing(line, with: other)
        try #require(text != ScenarioPlayerTests.good)
        let error = #expect(throws: ScenarioError.self) { try play(text) }
        guard case .difference(let found, _, _) = error?.kind else {
            Issue.record("\(part) was to differ, not: \(String(describing: error))")
            return
        }
        #expect(found == part)
    }

    @Test func anUpstreamQueryThatNoEntryAnswersIsAFault() throws {
        let text = ScenarioPlayerTests.good.replacing(
            "MATCH qname qtype\nADJUST", with: "MATCH TCP\nADJUST")
        let error = #expect(throws: ScenarioError.self) { try play(text) }
        guard case .unexpectedUpstreamQuery = error?.kind else {
            Issue.record("found \(String(describing: error))")
            return
        }
    }

    @Test func silenceAndAnswersAreToldApart() throws {
        let silent = ScenarioPlayerTests.good.replacing(
            "STEP 2 CHECK_ANSWER", with: "STEP 2 NO_ANSWER\nSTEP 3 CHECK_ANSWER")
        let error = #expect(throws: ScenarioError.self) {
            try play(
                silent.replacing("STEP 3 CHECK_OUT", with: "STEP 4 CHECK_OUT")
                    .replacing("STEP 4 EXPECT", with: "STEP 6 EXPECT")
                    .replacing("STEP 5 EXPECT", with: "STEP 7 EXPECT"))
        }
        #expect(error?.kind == .unexpectedAnswer(toStep: 1))
    }

    @Test func aListThatIsNoConfigurationIsAFault() throws {
        let text = ScenarioPlayerTests.good.replacing("list ads domains", with: "list ads verse")
        let error = #expect(throws: ScenarioError.self) { try play(text) }
        guard case .configuration = error?.kind else {
            Issue.record("found \(String(describing: error))")
            return
        }
    }
}
