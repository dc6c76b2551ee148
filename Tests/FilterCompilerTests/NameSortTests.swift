import DomainNames
import FilterIndex
import Foundation
import Testing
import WireFixtures

@testable import FilterCompiler

/// The sort in place and the runs against the sort of the standard library.
@Suite struct NameSortTests {
    private struct Line: Comparable {
        var key: [UInt8]
        var record: NameRecord

        static func < (left: Line, right: Line) -> Bool {
            left.key == right.key
                ? left.record.order < right.record.order
                : left.key.lexicographicallyPrecedes(right.key)
        }
    }

    /// Keys that share long beginnings and end anywhere in a head of eight octets.
    private static func lines(_ count: Int, _ generator: inout SeededGenerator) -> [Line] {
        let labels: [[UInt8]] = ["com", "a", "b", "example", "cdn-static-long", "xn--abcdefgh"]
            .map { Array($0.utf8) + [0] }
        return (0..<count).map { _ in
            let depth = Int.random(in: 0...6, using: &generator)
            let key = (0..<depth).flatMap { _ in labels.randomElement(using: &generator) ?? [] }
            let list = UInt16.random(in: 0..<3, using: &generator)
            return Line(
                key: key,
                record: NameRecord(
                    bits: UInt8(truncatingIfNeeded: generator.next() % 3), list: list))
        }
    }

    private static func table(_ lines: [Line]) -> NameTable {
        var table = NameTable()
        for line in lines { table.append(key: line.key.span, line.record) }
        return table
    }

    private static func read(_ runs: [NameRun], _ memory: BuildMemory) throws -> [Line] {
        var merge = try NameMerge(runs, memory: memory)
        var lines: [Line] = []
        while try merge.next() {
            var key: [UInt8] = []
            key.append(octets: merge.key)
            for record in merge.records { lines.append(Line(key: key, record: record)) }
        }
        return lines
    }

    private static func unique(_ lines: [Line]) -> [Line] {
        var result: [Line] = []
        for line in lines.sorted() where result.last != line { result.append(line) }
        return result
    }

    @Test(arguments: [nil, 0] as [Int?], 0..<60 as Range<UInt64>)
    func sortedEntriesAreThoseOfTheStandardSort(partitionLimit: Int?, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = [0, 1, 2, 13, 100, 2000].randomElement(using: &generator) ?? 0
        let lines = Self.lines(count, &generator)
        let table = Self.table(lines)
        var entries = table.entries
        NameSort.sort(&entries, keys: table.keys, partitionLimit: partitionLimit)
        let sorted = entries.map { Line(key: Array(table.keys[$0.range]), record: $0.record) }
        #expect(sorted == lines.sorted(), "seed \(seed)")
    }

    @Test func sortedReversedAndEqualInputIsSorted() {
        let keys = (0..<3000).map { Array("com\0n\(10_000 + $0)\0".utf8) }
        for keys in [keys, keys.reversed(), keys.map { _ in keys[0] }] {
            let lines = keys.map { Line(key: $0, record: NameRecord(scope: .exact, list: 0)) }
            let table = Self.table(lines)
            var entries = table.entries
            NameSort.sort(&entries, keys: table.keys)
            #expect(entries.map { Array(table.keys[$0.range]) } == lines.sorted().map(\.key))
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func runsOfAnySizeInMemoryOrInFilesMergeToTheSortedLines(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var memory = BuildMemory.unbounded
        memory.mergeSize = 1
        var all: [Line] = []
        var runs: [NameRun] = []
        for _ in 0..<Int.random(in: 0...9, using: &generator) {
            let lines = Self.lines(Int.random(in: 0...700, using: &generator), &generator)
            all += lines
            var writer = NameRunWriter(
                directory: NSTemporaryDirectory(), retainedSize: generator.chance(50) ? 0 : 9000)
            var table = Self.table(lines)
            try table.write(to: &writer)
            runs.append(try writer.finish())
        }
        #expect(try Self.read(runs, memory) == Self.unique(all), "seed \(seed)")
        // A run can be read again.
        #expect(try Self.read(runs, memory) == Self.unique(all), "seed \(seed)")
    }

    @Test func longestKeysAndNumbersSurviveARun() throws {
        let long = [UInt8](repeating: 0xFF, count: 503) + [0]
        var writer = NameRunWriter(directory: NSTemporaryDirectory(), retainedSize: 0)
        let record = NameRecord(scope: .below, purpose: .rewrite, list: .max)
        try writer.append([UInt8]().span, record)
        try writer.append(long.span, record)
        let lines = try Self.read([try writer.finish()], .unbounded)
        #expect(lines == [Line(key: [], record: record), Line(key: long, record: record)])
    }
}
