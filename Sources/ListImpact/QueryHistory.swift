import DomainNames
import FilterLists

/// Queries that were asked, of which the list would block some: read line by line, judged at once.
///
/// A line is a name, or a name and a type as in a query file of dnsperf; without a type it is A.
/// Blank lines and those that start with `#` or `;` say nothing.
package struct QueryHistory: Sendable {
    /// A name that the list would block, and how often it was asked for.
    package struct Asked: Equatable, Sendable {
        /// The name.
        package let name: DomainName
        /// Queries for it that would be blocked.
        package let queries: Int
    }

    /// Names that are counted one by one; queries for others are counted in all only.
    package static let nameLimit = 100_000
    /// Names that are shown.
    package static let topLimit = 20

    /// Queries read.
    package private(set) var queries = 0
    /// Lines that are no query.
    package private(set) var unreadLines = 0
    /// Queries that the policy as it is blocks.
    package private(set) var blockedBefore = 0
    /// Queries that the list would block.
    package private(set) var newlyBlocked = 0
    /// Queries that an allow rule of the list would unblock.
    package private(set) var newlyAllowed = 0
    /// Whether there were more names than are counted one by one.
    package private(set) var isCapped = false
    private var names: [DomainName: Int] = [:]
    private var name = CanonicalName()

    /// Nothing read.
    package init() {}

    /// Different names that the list would block, as far as they are counted.
    package var newlyBlockedNames: Int { names.count }

    /// The names that the list would block, the most asked for first; of equal ones by the name.
    /// - Complexity: O(n log n) in the names counted.
    package var top: [Asked] {
        let sorted = names.sorted { left, right in
            left.value == right.value
                ? left.key.wire.dropFirst().lexicographicallyPrecedes(right.key.wire.dropFirst())
                : left.value > right.value
        }
        return sorted.prefix(Self.topLimit).map { Asked(name: $0.key, queries: $0.value) }
    }

    /// Reads one line.
    package mutating func read(_ line: Span<UInt8>, _ decision: inout JointDecision) {
        let text = line.trimmedBlanks
        guard !text.isEmpty else { return }
        let first = line[text.lowerBound]
        if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { return }
        let end = text.first { line[$0] <= 0x20 } ?? text.upperBound
        guard let type = type(line, end..<text.upperBound),
            name.assign(text: line.extracting(text.lowerBound..<end))
        else { return unreadLines += 1 }
        queries += 1
        let change = decision.change(of: name, type: type)
        if change.wasBlocked { blockedBefore += 1 }
        guard change.wasBlocked != change.isBlocked else { return }
        guard change.isBlocked else { return newlyAllowed += 1 }
        newlyBlocked += 1
        guard let owned = try? DomainName(wire: name.wire) else { return }
        if names.count == Self.nameLimit, names[owned] == nil {
            isCapped = true
        } else {
            names[owned, default: 0] += 1
        }
    }

    /// The type after a name: A when there is none, `nil` when the word is no type.
    private func type(_ line: Span<UInt8>, _ rest: Range<Int>) -> UInt16? {
        guard let start = rest.first(where: { line[$0] > 0x20 }) else { return 1 }
        let end = (start..<rest.upperBound).first { line[$0] <= 0x20 } ?? rest.upperBound
        return RecordTypeText.type(of: line.extracting(start..<end))
    }
}
