import DomainNames
import FilterIndex

/// The listed names below one name that are blocked: what a rule that allows the whole subtree
/// would let through.
///
/// Each name counts once, however many lists and rules have it. Seen names are kept as 64-bit
/// hashes, so that the memory is bounded; beyond the limit the count says "at least".
package struct NamesBelow: Sendable {
    /// Names that are told apart: 8 octets each, twice that with the table's free places.
    static let limit = 200_000
    /// Names that are shown.
    package static let exampleLimit = 10

    /// Blocked names found.
    package private(set) var count = 0
    /// Whether there may be more than were counted.
    package private(set) var isCapped = false
    /// The first names found, in the order of the lists.
    package private(set) var examples: [DomainName] = []
    private let snapshot: Snapshot
    private let type: UInt16
    private let occasion: Occasion
    private var seen: Set<Int> = []
    private var scratch = MatchScratch()
    private var name = CanonicalName()

    /// None found yet; `snapshot` decides which are blocked for queries of `type` on `occasion`.
    package init(snapshot: Snapshot, type: UInt16, occasion: Occasion) {
        self.occasion = occasion
        self.snapshot = snapshot
        self.type = type
    }

    /// Notes the name of a block rule that lies below the name in question.
    /// - Complexity: a look-up in the snapshot for each name not seen before.
    mutating func note(wire: Span<UInt8>) {
        var hasher = Hasher()
        for index in wire.indices { hasher.combine(wire[index]) }
        let hash = hasher.finalize()
        guard !isCapped, !seen.contains(hash) else { return }
        guard seen.count < Self.limit else {
            isCapped = true
            return
        }
        seen.insert(hash)
        guard (try? name.assign(wire: wire)) != nil,
            case .blocked = snapshot.match(name, type: type, on: occasion, into: &scratch)
        else { return }
        count += 1
        if examples.count < Self.exampleLimit, let shown = try? DomainName(wire: wire) {
            examples.append(shown)
        }
    }
}
