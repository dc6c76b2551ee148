import DomainNames
import FilterIndex

/// What one snapshot blocks that another does not, by list.
///
/// A name counts when it, or what is below it, is blocked by one and not by the other; a rule that
/// another one covers makes no difference. Names of conditional rules and rewrites are left out.
package struct SnapshotDifference: Sendable {
    /// What changed in the names of one list.
    package struct List: Equatable, Sendable {
        /// The list.
        package let name: String
        /// Names that it blocks now.
        package internal(set) var added = 0
        /// Names that it blocked before.
        package internal(set) var removed = 0
    }

    /// One name.
    package struct Change: Equatable, Sendable {
        /// The name, `*.` before it when only what is below is meant.
        package let name: String
        /// The list that blocks it now, or did before.
        package let list: String
        /// Whether it is blocked now.
        package let isAdded: Bool
    }

    /// The lists with a change, in the order of the newer snapshot, then of the older.
    package private(set) var lists: [List] = []

    /// Names added, and names removed.
    package var counts: (added: Int, removed: Int) {
        lists.reduce((0, 0)) { ($0.0 + $1.added, $0.1 + $1.removed) }
    }

    /// The difference between two snapshots.
    /// - Parameter each: called with every change, those added first, each kind in key order.
    /// - Complexity: O(names of both), a look-up in both snapshots each.
    package init(
        from before: Snapshot, to after: Snapshot, each: (Change) -> Void = { _ in }
    ) {
        var counts: [String: List] = [:]
        if before.snapshotID != after.snapshotID {
            Self.walk(after, against: before) { name, list in
                counts[list, default: List(name: list)].added += 1
                each(Change(name: name, list: list, isAdded: true))
            }
            Self.walk(before, against: after) { name, list in
                counts[list, default: List(name: list)].removed += 1
                each(Change(name: name, list: list, isAdded: false))
            }
        }
        var order = after.manifest.lists.map(\.name)
        for list in before.manifest.lists where !order.contains(list.name) {
            order.append(list.name)
        }
        lists = order.compactMap { counts[$0] }
    }

    /// Calls `body` with the names that `snapshot` blocks and `other` does not.
    private static func walk(
        _ snapshot: Snapshot, against other: Snapshot,
        _ body: (_ name: String, _ list: String) -> Void
    ) {
        var own = NameProbe(snapshot)
        var others = NameProbe(other)
        for tier in [RuleTier.block, .importantBlock] {
            snapshot.forEachName(of: tier) { name, scope in
                var list: String?
                if scope.includesName, let found = own.blockingList(name),
                    others.blockingList(name) == nil
                {
                    list = snapshot.listName(found)
                } else if scope.includesBelow, let found = own.blockingList(below: name),
                    others.blockingList(below: name) == nil
                {
                    list = snapshot.listName(found)
                }
                guard let list else { return }
                let text = (scope == .below ? "*." : "") + NameText.text(of: name.wire)
                body(text, list)
            }
        }
    }
}
