import DomainNames
import FilterIndex
import LinuxSystem
import Quantities

/// Matches names against a mapped snapshot and prints what one look-up takes.
///
/// The names are taken in groups that fit into the processor's caches and each group is matched
/// again and again: the first pass over a group is what a name costs that was not asked for a
/// while, the others are what it costs warm. Reading the file and filling the groups cost the same
/// whatever the passes, so two runs of different passes differ by look-ups alone.
struct LookupRun {
    private let snapshot: Snapshot
    private let wanted: Wanted

    private static let groupSize = 1024
    private static let typeA: UInt16 = 1

    /// Which names are kept.
    private enum Wanted: String {
        case none, blocked, any
    }

    /// A run on the snapshot at a path, with names whose answer is `wanted`.
    init(snapshot path: String, wanted: String) throws(BenchmarkError) {
        guard let wanted = Wanted(rawValue: wanted) else { throw .usage("none, blocked or any") }
        self.wanted = wanted
        do { snapshot = try Snapshot(path: path) } catch { throw .snapshot(error) }
    }

    /// Matches every name `passes` times.
    func run(_ names: NameFile, passes: Int) throws(BenchmarkError) {
        var scratch = MatchScratch()
        var group = [CanonicalName](repeating: CanonicalName(), count: LookupRun.groupSize)
        var cold = Duration.zero
        var warm = Duration.zero
        var kept = 0
        var blocked = 0
        var next = 0
        while next < names.count {
            var filled = 0
            while filled < group.count, next < names.count {
                if take(names, next, into: &group[filled], &scratch) { filled += 1 }
                next += 1
            }
            kept += filled
            for pass in 0..<passes {
                let start = Clock.now()
                blocked += match(group.span.extracting(0..<filled), &scratch)
                if pass == 0 { cold += Clock.now() - start } else { warm += Clock.now() - start }
            }
        }
        guard kept > 0 else { throw .noNames }
        StandardStream.write(
            """
            lookups \(kept * passes)
            blocked \(blocked)
            cold-ns \(mean(cold, kept))
            warm-ns \(mean(warm, kept * max(1, passes - 1)))

            """, to: .output)
    }

    private func take(
        _ names: NameFile, _ index: Int, into name: inout CanonicalName,
        _ scratch: inout MatchScratch
    ) -> Bool {
        guard (try? name.assign(wire: names.wire(index))) != nil else { return false }
        let isBlocked = isBlock(
            snapshot.match(name, type: LookupRun.typeA, on: .nobody, into: &scratch))
        return wanted == .any || isBlocked == (wanted == .blocked)
    }

    private func match(_ names: Span<CanonicalName>, _ scratch: inout MatchScratch) -> Int {
        var blocked = 0
        for index in names.indices
        where isBlock(
            snapshot.match(names[index], type: LookupRun.typeA, on: .nobody, into: &scratch))
        {
            blocked += 1
        }
        return blocked
    }

    private func isBlock(_ verdict: Verdict) -> Bool {
        if case .blocked = verdict { return true }
        return false
    }

    private func mean(_ duration: Duration, _ count: Int) -> Int64 {
        duration.wholeNanoseconds / Int64(max(1, count))
    }
}
