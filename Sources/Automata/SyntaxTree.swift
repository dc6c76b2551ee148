/// What a pattern says, as a tree: a language over octets, and where the text must start or end.
///
/// Trees are values without a direction. What reads a text from its end turns the tree around by
/// `reversed`.
package indirect enum SyntaxTree: Hashable, Sendable {
    /// An edge of the text.
    package enum Anchor: Hashable, Sendable {
        /// Nothing comes before.
        case start
        /// Nothing comes after.
        case end

        /// The edge at the other side.
        var opposite: Anchor { self == .start ? .end : .start }
    }

    /// Nothing.
    case empty
    /// One octet of a set.
    case octet(OctetSet)
    /// Nothing, at an edge of the text.
    case anchor(Anchor)
    /// One after the other.
    case concatenation([SyntaxTree])
    /// One of several.
    case alternation([SyntaxTree])
    /// The same again and again; `most` is `nil` without an upper bound.
    case repetition(SyntaxTree, least: Int, most: Int?)

    /// Any text at all.
    package static let anything = SyntaxTree.repetition(.octet(.all), least: 0, most: nil)

    /// The start of the text.
    package static let start = SyntaxTree.anchor(.start)
    /// The end of the text.
    package static let end = SyntaxTree.anchor(.end)

    /// One octet, or a letter of either case.
    ///
    /// Patterns are made of little else, so these trees are made once and shared.
    package static func octet(_ octet: UInt8, ignoresCase: Bool = false) -> SyntaxTree {
        ignoresCase ? eitherCase[Int(octet)] : single[Int(octet)]
    }

    private static let single = (0...255 as ClosedRange<UInt8>).map {
        SyntaxTree.octet(OctetSet($0))
    }
    private static let eitherCase = (0...255 as ClosedRange<UInt8>).map {
        SyntaxTree.octet(OctetSet($0).ignoringCase)
    }

    /// The trees one after the other, nested sequences taken apart.
    package static func sequence(_ items: [SyntaxTree]) -> SyntaxTree {
        var flat: [SyntaxTree] = []
        for item in items { flat.append(contentsOf: item.items) }
        switch flat.count {
        case 0: return .empty
        case 1: return flat[0]
        default: return .concatenation(flat)
        }
    }

    /// These octets, one after the other.
    package static func text(_ octets: some Sequence<UInt8>) -> SyntaxTree {
        .sequence(octets.map { .octet($0) })
    }

    /// The parts that follow one another; one part for all but sequences, none for nothing.
    package var items: [SyntaxTree] {
        switch self {
        case .empty: []
        case .concatenation(let items): items
        default: [self]
        }
    }

    /// Octets, choices and repetitions once counts are written out: what an automaton grows with.
    /// Stops counting above `limit`.
    /// - Complexity: O(parts of the tree).
    package func size(limit: Int) -> Int {
        switch self {
        case .empty: return 0
        case .octet, .anchor: return 1
        case .concatenation(let parts), .alternation(let parts):
            var total = 1
            for part in parts where total <= limit { total += part.size(limit: limit) }
            return total
        case .repetition(let part, let least, let most):
            let copies = max(most ?? (least + 1), 1)
            let (size, overflow) = (part.size(limit: limit) + 1).multipliedReportingOverflow(
                by: copies)
            return overflow ? Int.max / 2 : min(size, Int.max / 2)
        }
    }

    /// Octets of memory that it takes, but for trees that are shared: about.
    package var memorySize: Int {
        let block = 64
        switch self {
        case .empty, .anchor: return 0
        case .octet(let set):
            guard let first = set.first else { return block }
            return set == OctetSet(first) || set == OctetSet(first).ignoringCase ? 0 : block
        case .concatenation(let parts), .alternation(let parts):
            return parts.reduce(block) {
                $0 + MemoryLayout<SyntaxTree>.stride + $1.memorySize
            }
        case .repetition(let part, _, _):
            return self == .anything ? 0 : block + part.memorySize
        }
    }

    /// The tree of the mirrored texts.
    package var reversed: SyntaxTree {
        switch self {
        case .empty, .octet: self
        case .anchor(let edge): .anchor(edge.opposite)
        case .concatenation(let parts): .concatenation(parts.reversed().map(\.reversed))
        case .alternation(let parts): .alternation(parts.map(\.reversed))
        case .repetition(let part, let least, let most):
            .repetition(part.reversed, least: least, most: most)
        }
    }

    /// Whether a text of octets of `alphabet` alone can match, edges left aside.
    package func canMatch(only alphabet: OctetSet) -> Bool {
        switch self {
        case .empty, .anchor: true
        case .octet(let set): !set.intersection(alphabet).isEmpty
        case .concatenation(let parts): parts.allSatisfy { $0.canMatch(only: alphabet) }
        case .alternation(let parts): parts.contains { $0.canMatch(only: alphabet) }
        case .repetition(let part, let least, _): least == 0 || part.canMatch(only: alphabet)
        }
    }

    /// Whether it matches nothing at all, wherever it stands.
    var canBeEmpty: Bool {
        switch self {
        case .empty: true
        case .octet, .anchor: false
        case .concatenation(let parts): parts.allSatisfy(\.canBeEmpty)
        case .alternation(let parts): parts.contains(where: \.canBeEmpty)
        case .repetition(let part, let least, _): least == 0 || part.canBeEmpty
        }
    }

    /// Whether an edge of the text is spoken of.
    var hasAnchor: Bool {
        switch self {
        case .empty, .octet: false
        case .anchor: true
        case .concatenation(let parts), .alternation(let parts): parts.contains(where: \.hasAnchor)
        case .repetition(let part, _, _): part.hasAnchor
        }
    }

    /// Whether the number of its DFA states is near its size: octets, stars over all octets, and
    /// choices between single octets or edges, one after the other.
    var isLinear: Bool {
        items.allSatisfy { item in
            switch item {
            case .empty, .octet, .anchor: return true
            case .repetition: return item == .anything
            case .alternation(let parts):
                return parts.allSatisfy { part in
                    switch part {
                    case .octet, .anchor, .empty: true
                    default: false
                    }
                }
            case .concatenation: return false
            }
        }
    }
}
