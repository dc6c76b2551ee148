import Automata
import Testing
import WireFixtures

/// A table that lies misleads and harms nothing.
@Suite struct AutomatonTableTests {
    private static func table() throws -> [UInt8] {
        let trees = try ["ads\\d+", "^track[a-f]", "b|bc|bcd"].map { try tree($0) }
        let tables = PatternSet(trees, direction: .backward).tables
        return try #require(tables.count == 1 ? tables.first : nil)
    }

    @Test func theHeaderMustFitTheSize() throws {
        let good = try Self.table()
        #expect(findsAny(good, in: Array("ads1".utf8)) == true)
        #expect(findsAny(good + [0], in: []) == nil)
        for size in 0..<good.count {
            #expect(findsAny(Array(good.prefix(size)), in: []) == nil, "\(size) octets")
        }
    }

    @Test(arguments: 0..<2000 as Range<UInt64>)
    func aLyingTableHarmsNothing(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var table = try Self.table()
        for _ in 0..<generator.number(1..<8) {
            let from = generator.chance(80) ? 16 : 0
            table[generator.number(from..<table.count)] =
                [0, 1, 2, 0x7F, 0x80, 0xFF, UInt8(generator.number(0..<256))]
                .randomElement(using: &generator) ?? 0
        }
        for text in ["ads1.example", "bcdbcdbcd", "", "x"] {
            let octets = Array(text.utf8)
            guard let found = finds(table, in: octets) else { continue }
            #expect(found.count <= (octets.count + 1) * 2 * table.count)
            _ = findsAny(table, in: octets)
        }
        if let view = AutomatonTable(table.span) {
            let text = Array("example".utf8)
            _ = view.mayFind(after: text.span, 0x2E)
        }
    }
}
