import FilterCompiler
import FilterIndex
import FilterLists
import Quantities
import Testing

/// What of a snapshot is in memory: the prefilter and the directories always, the rest on use.
@Suite(.serialized) struct SnapshotMemoryTests {
    private static let nameCount = 150_000

    private static func name(_ number: Int) -> String { "n\(number &* 7919).example" }

    private func snapshot() throws -> Snapshot {
        let names = (0..<Self.nameCount).map { Self.name($0) }
        return try SnapshotFixture.compile([(.domains, names.joined(separator: "\n"))]).snapshot
    }

    private func isBlocked(_ text: String, by snapshot: Snapshot) throws -> Bool {
        if case .blocked = try snapshot.verdict(text) { return true }
        return false
    }

    @Test func namesStayOutUntilTheyAreAskedFor() throws {
        let snapshot = try snapshot()
        snapshot.makeResident()
        let ready = try #require(snapshot.residence())
        #expect(ready.prefilter >= snapshot.size(of: .prefilter))
        #expect(ready.directories.octets >= snapshot.directorySize.octets - 8192)
        #expect(ready.names.octets < snapshot.size(of: .block).octets / 2)
    }

    @Test func namesThatAreDroppedAreReadAgainOnUse() throws {
        let snapshot = try snapshot()
        snapshot.makeResident()
        for number in stride(from: 0, to: Self.nameCount, by: 7) {
            #expect(try isBlocked(Self.name(number), by: snapshot))
        }
        let warm = try #require(snapshot.residence())
        #expect(warm.names.octets > snapshot.size(of: .block).octets / 2)
        snapshot.dropNames()
        let cold = try #require(snapshot.residence())
        #expect(cold.names.octets < 64 << 10)
        #expect(cold.prefilter == warm.prefilter)
        #expect(try isBlocked(Self.name(77), by: snapshot))
        #expect(try !isBlocked("other.example", by: snapshot))
    }
}
