import Quantities

/// How much memory a compilation may take, and for what.
///
/// ```
/// reading    1/2 names as read, and rules with conditions · 1/8 buffers of a merge on the way
/// merging    1/8 buffers of the merge · up to 3/8 rules with conditions
/// writing    3/8 a window of the prefilter
/// always     1/4 covered names that are kept, not put into a file
/// ```
/// No two of the first three are held at once; beside them stand chunks of text and code tables, of
/// less than a mebibyte together.
package struct BuildMemory: Sendable {
    /// The bound where none is given.
    package static let standard = ByteCount.mebibytes(32)
    /// The least bound: below it the runs become too many and too short.
    package static let least = ByteCount.mebibytes(4)
    /// The greatest bound; more changes nothing.
    package static let most = ByteCount.mebibytes(64 << 10)

    /// Octets of names, as read, after which they are sorted and spilled.
    var arenaSize: Int
    /// Octets of rules with conditions, which are never spilled.
    var valuesSize: Int
    /// Octets of all buffers of one merge.
    var mergeSize: Int
    /// Most runs merged at once.
    var fanIn: Int
    /// Octets of runs that are kept in memory, not put into a file.
    var retainedSize: Int
    /// Octets of the prefilter that are filled in one pass over the names.
    var windowSize: Int

    /// Shares of a bound.
    /// - Parameter policyCount: policies that are held at once until all are written.
    package init(bound: ByteCount, policyCount: Int = 1) {
        let octets = min(max(bound, BuildMemory.least), BuildMemory.most).octets
        let policies = max(1, policyCount)
        arenaSize = min(octets / 2, NameTable.keysLimit)
        valuesSize = octets * 3 / 8 / policies
        mergeSize = octets / 8
        fanIn = 64
        retainedSize = octets / 4 / policies
        windowSize = octets * 3 / 8
    }

    /// Room for all that one machine word can count: nothing is ever put into a file.
    package static let unbounded: BuildMemory = {
        var memory = BuildMemory(bound: most)
        memory.retainedSize = Int.max
        memory.valuesSize = Int.max
        return memory
    }()

    /// Octets of one reader's buffer when `count` runs are merged.
    func bufferSize(forRuns count: Int) -> Int {
        min(max(mergeSize / max(1, count), 8 << 10), 256 << 10)
    }
}
