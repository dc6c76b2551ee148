import DNSWire
import DomainNames
import Testing
import WireFixtures

/// What is built reads back the same; what does not fit leaves no trace.
@Suite struct MessageBuilderTests {
    private struct Line {
        var section: Section
        var owner: [UInt8]
        var type: RecordType
        var ttl: UInt32
        var rdata: [UInt8]
    }

    /// Builds question and records into `room` octets as far as they fit.
    /// - Returns: the message and how many records are in it.
    private static func build(
        _ name: [UInt8], _ lines: [Line], room: Int, id: UInt16 = 1, flags: UInt16 = 0x8180
    ) -> (octets: [UInt8], kept: Int)? {
        var octets = [UInt8](repeating: 0xEE, count: room)
        var kept = 0
        var count = 0
        var span = octets.mutableSpan
        do throws(BuildError) {
            var builder = try MessageBuilder(span._mutatingExtracting(0..<room))
            builder.setHeader(id: id, flags: flags)
            try builder.appendQuestion(name: name.span, type: .a, recordClass: .internet)
            count = builder.count
            for line in lines {
                try builder.appendRecord(
                    line.section, owner: line.owner.span, type: line.type, recordClass: .internet,
                    ttl: line.ttl, rdata: line.rdata.span)
                kept += 1
                count = builder.count
                precondition(builder.count + builder.room == room, "octets used and left are all")
            }
        } catch {
            if count == 0 { return nil }
        }
        return (Array(octets[..<count]), kept)
    }

    private static func lines(using random: inout SeededGenerator) -> [Line] {
        var lines: [Line] = []
        for section in Section.allCases {
            for _ in 0..<random.number(0..<4) {
                lines.append(
                    Line(
                        section: section, owner: random.wireName(),
                        type: RecordType(rawValue: UInt16(random.number(100..<200))),
                        ttl: UInt32.random(in: .min ... .max, using: &random),
                        rdata: random.octets(random.number(0..<60))))
            }
        }
        return lines
    }

    @Test(arguments: 1..<40 as Range<UInt64>)
    func readingGivesBackWhatWasBuilt(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let name = random.wireName()
            let lines = Self.lines(using: &random)
            let id = UInt16.random(in: .min ... .max, using: &random)
            let flags = UInt16.random(in: .min ... .max, using: &random)
            let built = try #require(
                Self.build(name, lines, room: 8192, id: id, flags: flags), "seed \(seed)")
            let reading = try MessageReading(built.octets)
            #expect(built.kept == lines.count && reading.questionName == name, "seed \(seed)")
            #expect(reading.header.id == id && reading.header.flags == flags, "seed \(seed)")
            let parts = [reading.answers, reading.authorities, reading.additionals]
            for section in Section.allCases {
                let expected = lines.filter { $0.section == section }
                let found = parts[Int(section.rawValue)]
                #expect(found.map(\.type) == expected.map(\.type), "seed \(seed)")
                #expect(found.map(\.ttl) == expected.map(\.ttl), "seed \(seed)")
                #expect(found.map(\.rdata) == expected.map(\.rdata), "seed \(seed)")
                for (line, twin) in zip(found, expected) {
                    let owner = try DomainName(wire: twin.owner.span).lowercased
                    #expect(line.owner == owner.description, "seed \(seed)")
                }
            }
        }
    }

    /// The message ends before the record that does not fit, whole and with right counts.
    @Test(arguments: 1..<10 as Range<UInt64>)
    func whatDoesNotFitLeavesTheMessageAsItWas(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let name = random.wireName()
        let lines = Self.lines(using: &random)
        let whole = try #require(Self.build(name, lines, room: 8192)).octets.count
        for room in 0...(whole + 1) {
            guard let built = Self.build(name, lines, room: room) else {
                #expect(room < Header.size + name.count + 4, "seed \(seed)")
                continue
            }
            let reading = try MessageReading(built.octets)
            let count =
                reading.answers.count + reading.authorities.count + reading.additionals.count
            #expect(count == built.kept, "seed \(seed), \(room) octets")
            #expect(room < whole || built.kept == lines.count, "seed \(seed), \(room) octets")
        }
    }

    private static func withOPT(room: Int, text: [UInt8]) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: room)
        var count = 0
        var span = octets.mutableSpan
        do throws(BuildError) {
            var builder = try MessageBuilder(span._mutatingExtracting(0..<room))
            try builder.appendOPT(
                payloadSize: 1232, rcode: .badVersion, dnssecOK: true, error: .blocked,
                text: text.span)
            count = builder.count
        } catch { return nil }
        return Array(octets[..<count])
    }

    /// S53, RFC 8914 §3: the text goes first, then the error, then there is no room at all.
    @Test func theErrorOfAnOPTGivesWay() throws {
        let text = Array("by list ads".utf8)
        for room in 0..<60 {
            guard let octets = Self.withOPT(room: room, text: text) else {
                #expect(room < 12 + 11)
                continue
            }
            let reading = try MessageReading(octets)
            #expect(reading.rcode == 16 && reading.options?.flags == 0x8000)
            #expect(reading.options?.version == 0 && reading.options?.size == 1232)
            let error = reading.extendedError
            #expect(error?.code == (room < 12 + 11 + 6 ? nil : 15))
            let hasText = room >= 12 + 11 + 6 + text.count
            #expect((error?.text ?? "") == (hasText ? "by list ads" : ""))
        }
    }

    /// RFC 1035 §4.1.4: an owner that points at an earlier name.
    @Test func aPointerStandsForTheNameAtItsOffset() throws {
        var octets = [UInt8](repeating: 0, count: 100)
        var span = octets.mutableSpan
        var builder = try MessageBuilder(span._mutatingExtracting(0..<100))
        let name = MessageDraft.wire("www.example")
        try builder.appendQuestion(name: name.span, type: .a, recordClass: .internet)
        let address: [UInt8] = [192, 0, 2, 1]
        try builder.appendRecord(
            .answer, ownerAt: 16, type: .a, recordClass: .internet, ttl: 5, rdata: address.span)
        let count = builder.count
        let reading = try MessageReading(Array(octets[..<count]))
        #expect(reading.answers.map(\.owner) == ["example"])
    }
}
