import LinuxSystem
import Quantities

/// How much of a snapshot's file is in memory, by what it is for.
package struct SnapshotResidence: Equatable, Sendable {
    /// Pages of the prefilter.
    package var prefilter = ByteCount(0)
    /// Pages of the directories of the name indexes, and of the patterns.
    package var directories = ByteCount(0)
    /// Pages of all else: names, list numbers, conditional rules, rewrites, the manifest.
    package var names = ByteCount(0)

    /// Nothing.
    package init() {}

    /// Adds that of another snapshot.
    package static func += (sum: inout SnapshotResidence, other: SnapshotResidence) {
        sum.prefilter = ByteCount(sum.prefilter.octets + other.prefilter.octets)
        sum.directories = ByteCount(sum.directories.octets + other.directories.octets)
        sum.names = ByteCount(sum.names.octets + other.names.octets)
    }
}

/// A query reads the prefilter and the patterns, a hit the directories and one block of names. So
/// the first three are kept in memory, and the rest is left to the page cache:
///
/// ```
/// header │ prefilter     │ directory     │ names …      │ lists …  │ manifest  │ patterns
///        │ brought in at opening         │ page by page │ on a hit │ read once │ brought in
/// ```
extension Snapshot {
    /// Brings what every query needs into memory, and has the rest read page by page.
    /// - Complexity: O(octets of the prefilter and the directories).
    package func makeResident() {
        file.expectRandomAccess()
        // The pages that the verification looked at, and those that the kernel mapped around them.
        file.drop(0..<file.count)
        file.makeResident(prefilterRange)
        for range in directoryRanges { file.makeResident(range) }
    }

    /// Gives back the memory of what not every query needs; it is read again page by page.
    package func dropNames() {
        var start = 0
        for range in [prefilterRange] + directoryRanges {
            if start < range.lowerBound { file.drop(start..<range.lowerBound) }
            start = max(start, range.upperBound)
        }
        file.drop(start..<file.count)
    }

    /// What is in the memory of this process now; `nil` when the system does not tell. A page that
    /// belongs to two parts counts for the first.
    /// - Complexity: O(pages of the file).
    package func residence() -> SnapshotResidence? {
        guard var pages = file.residentPages() else { return nil }
        func take(_ range: Range<Int>) -> Int {
            var count = 0
            for page in MappedFile.pages(of: range) where pages[page] {
                pages[page] = false
                count += 1
            }
            return MappedFile.octets(ofPages: count)
        }
        var residence = SnapshotResidence()
        residence.prefilter = ByteCount(take(prefilterRange))
        residence.directories = ByteCount(directoryRanges.reduce(0) { $0 + take($1) })
        residence.names = ByteCount(take(0..<file.count))
        return residence
    }

    /// Octets of the directories of the name indexes and of the patterns, which look-ups keep in
    /// memory.
    package var directorySize: ByteCount { contents.directorySize }

    /// Whether pages of the file were lost since it was opened: it decides nothing any more.
    package var isDamaged: Bool { file.isDamaged }
}
