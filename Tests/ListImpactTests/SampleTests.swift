import DomainNames
import FilterIndex
import FilterLists
import Testing
import WireFixtures

@testable import ListImpact

/// Sites and queries, read line by line.
@Suite struct ImpactSampleTests {
    private func decision() throws -> JointDecision {
        JointDecision(
            current: try ListFixture.compile([
                .init(format: .adblock, text: "||old.example^\n||lifted.example^")
            ]),
            candidate: try ListFixture.compile([
                .init(
                    format: .adblock,
                    text: "||new.example^\n||six.example^$dnstype=AAAA\n@@||lifted.example^")
            ]))
    }

    private func sites(_ text: String) throws -> SiteSample {
        var sample = SiteSample()
        var decision = try decision()
        for line in text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            sample.read(Array(line).span, &decision)
        }
        return sample
    }

    private func history(_ lines: [String]) throws -> QueryHistory {
        var history = QueryHistory()
        var decision = try decision()
        for line in lines { history.read(Array(line.utf8).span, &decision) }
        return history
    }

    @Test func sitesAreRankedByTheirLineOrByWhatTheySay() throws {
        let sample = try sites(
            "# sample\n\na.example\r\n  NEW.example \n17,www.new.example\nold.example\n"
                + "lifted.example"
        )
        #expect(sample.count == 5 && sample.unreadLines == 0 && sample.blockedBefore == 2)
        #expect(sample.newlyBlocked.map(\.rank) == [2, 17] && sample.newlyBlockedCount == 2)
        #expect(
            sample.newlyBlocked.map(\.name.description) == ["new.example", "www.new.example"])
        #expect(sample.newlyAllowed.map(\.name.description) == ["lifted.example"])
    }

    @Test(arguments: ["a..b", "x,new.example", ",new.example", "9999999999,new.example", ".", "1,"])
    func linesThatAreNoSiteAreCounted(line: String) throws {
        let sample = try sites(line)
        #expect(sample.count == 0 && sample.unreadLines == 1)
    }

    @Test func queriesAreCountedByTheirType() throws {
        let history = try history(
            ["; dnsperf", "# note", "", "new.example", "new.example AAAA", "six.example A"]
                + ["six.example\tTYPE28 ", "old.example A", "lifted.example MX", "a.example A"])
        #expect(history.queries == 7 && history.unreadLines == 0)
        #expect(history.newlyBlocked == 3 && history.blockedBefore == 2)
        #expect(history.newlyAllowed == 1)
        #expect(
            history.top == [
                .init(name: try DomainName(text: "new.example"), queries: 2),
                .init(name: try DomainName(text: "six.example"), queries: 1),
            ])
    }

    @Test(arguments: ["new.example WHAT", "a..b A", ".", String(repeating: "a", count: 70_000)])
    func linesThatAreNoQueryAreCounted(line: String) throws {
        let history = try history([line])
        #expect(history.queries == 0 && history.unreadLines == 1)
    }

    @Test func theMostAskedForNamesComeFirst() throws {
        let lines = (0..<30).flatMap { index in
            [String](repeating: "n\(index).new.example A", count: 1 + index % 7)
        }
        let history = try history(lines)
        #expect(history.newlyBlocked == lines.count && history.newlyBlockedNames == 30)
        let top = history.top
        #expect(top.count == QueryHistory.topLimit && top[0].queries == 7)
        #expect(top.map(\.queries) == top.map(\.queries).sorted(by: >))
        #expect(top[0].name.description == "n13.new.example")
    }

    @Test func namesBeyondTheLimitAreCountedInAll() throws {
        var history = QueryHistory()
        var decision = try decision()
        for index in 0..<(QueryHistory.nameLimit + 50) {
            history.read(Array("n\(index).new.example".utf8).span, &decision)
        }
        #expect(history.newlyBlocked == QueryHistory.nameLimit + 50 && history.isCapped)
        #expect(history.newlyBlockedNames == QueryHistory.nameLimit)
    }
}
