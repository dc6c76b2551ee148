import DomainNames
import FilterLists
import Testing

/// The cases LIST-*: lines and lists that broke other filters.
@Suite struct ListCasesTests {
    private func input(_ id: String) throws -> String {
        let row = try vectorRows("cases.jsonl").first { $0["id"] as? String == id }
        return try #require(row?["input"] as? String)
    }

    @Test func everyCaseHasATestHere() throws {
        let ids = try vectorRows("cases.jsonl").compactMap { $0["id"] as? String }
        #expect(
            Set(ids) == [
                "LIST-01", "LIST-02", "LIST-03", "LIST-04", "LIST-05", "LIST-09", "LIST-10",
                "LIST-12", "LIST-13", "LIST-14", "LIST-20",
            ])
    }

    @Test(arguments: [ListFormat.domains, .adblock])
    func textAfterAHashIsNeverARule(_ format: ListFormat) throws {
        // LIST-01, LIST-12
        let one = Read(try input("LIST-01"), format)
        #expect(one.reading.kind == .block && one.names(.exact) == ["ads.example.com"])
        #expect(one.names.count == 1)
        let two = Read(try input("LIST-12"), format)
        #expect(two.reading.kind == .block && two.names(.exact) == ["www.example.com"])
    }

    @Test(arguments: ListFormat.allCases)
    func aWebPageGivesNoRule(_ format: ListFormat) throws {
        // LIST-02
        let parts = try input("LIST-02").components(" and ")
        let link = try #require(parts.first?.components("such as").last)
        let script = try #require(parts.last)
        for line in [link, script] {
            let read = Read(line, format)
            #expect(read.reading.kind == .error && read.reading.reason == .html, "\(line)")
        }
        let page = readAll(
            "\n<!DOCTYPE html>\n<html><head>\nhost.example\n0.0.0.0 host.example\n||a.example^",
            ListOptions(format: format))
        #expect(page.allSatisfy { $0.names.isEmpty })
        #expect(page.dropFirst().allSatisfy { $0.reading.reason == .html })
    }

    @Test(arguments: [ListFormat.adblock, .domains, .wildcard, .hosts])
    func aCosmeticRuleBlocksNothing(_ format: ListFormat) throws {
        // LIST-03
        let read = Read(try input("LIST-03"), format)
        #expect(read.reading.kind == .unsupported && read.reading.reason?.key == "cosmetic")
        #expect(read.names.isEmpty)
    }

    @Test func aHostRuleIsForTheNameAndAllBelow() throws {
        // LIST-04
        let read = Read(try input("LIST-04"), .adblock)
        #expect(read.reading.isPlain && read.reading.kind == .block)
        #expect(read.names(.subtree) == ["bad-site.example"] && read.names.count == 1)
    }

    @Test func aRuleWithAPageConditionIsNotWidened() throws {
        // LIST-05
        let read = Read(try input("LIST-05"), .adblock)
        #expect(read.reading.kind == .unsupported)
        #expect(read.reading.reason?.key == "unsupported modifier")
    }

    @Test func aBadLineNeverStopsTheList() throws {
        // LIST-09
        let lines = readAll(try input("LIST-09"), ListOptions(format: .hosts))
        #expect(lines[0].reading.kind == .error && lines[0].reading.reason == .badName)
        #expect(lines[0].reading.column == 13 && lines[0].names.isEmpty)
        #expect(lines[1].reading.kind == .block && lines[1].names(.exact) == ["good.example"])
    }

    @Test(arguments: [ListFormat.domains, .adblock])
    func aUnicodeNameBecomesItsALabel(_ format: ListFormat) throws {
        // LIST-10, RFC 5891
        let read = Read(try input("LIST-10"), format)
        #expect(read.reading.kind == .block && read.names == ["xn--bcher-kva.example"])
    }

    @Test func aLineOfMegabytesIsRefusedAndItsNeighboursLoad() {
        // LIST-13
        let long = String(repeating: "a", count: 100_000)
        var splitter = LineSplitter()
        var reader = ListReader(options: ListOptions(format: .domains))
        var kinds: [String] = []
        var longest = 0
        let text = Array("one.example\n\(long)\ntwo.example".utf8)
        func take(_ line: Span<UInt8>, _ number: Int) {
            longest = max(longest, line.count)
            var reading = LineReading()
            reader.read(line: line, number: number, into: &reading)
            kinds.append(reading.reason?.key ?? reading.kind.rawValue)
        }
        for start in stride(from: 0, to: text.count, by: 4096) {
            let end = min(start + 4096, text.count)
            splitter.split(text.span.extracting(start..<end), take)
        }
        splitter.finish(take)
        #expect(kinds == ["block", "line too long", "block"])
        #expect(longest == LineSplitter.maximumLineSize + 1)
    }

    @Test func aLoneSlashIsAnError() throws {
        // LIST-14
        for line in [try input("LIST-14"), "//", "@@/", "//$important"] {
            let read = Read(line, .adblock)
            #expect(read.reading.kind == .error && read.reading.reason == .emptyPattern, "\(line)")
        }
    }

    @Test func aRegularExpressionInsideALabelIsWarnedOf() throws {
        // LIST-20
        let read = Read(try input("LIST-20"), .adblock)
        #expect(read.reading.kind == .block && read.reading.hostPattern != nil)
        #expect(read.pattern == "ntent\\.com$")
        #expect(read.reading.warnings.map(\.key) == ["not label-anchored"])
        #expect(read.matches("avatars1.usercontent.com"))
        for line in ["/^ads\\./", "/(^|\\.)ads[0-9]+\\.example$/"] {
            #expect(Read(line, .adblock).reading.warnings.isEmpty, "\(line)")
        }
        #expect(Read("/^ads|track/", .adblock).reading.warnings == [.notLabelAnchored])
    }
}

extension String {
    /// The trimmed parts between separators.
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator).map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
