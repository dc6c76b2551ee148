import Automata

/// The slow twin: tries everything, straight from the tree, sharing nothing with the automata.
struct BacktrackingMatcher {
    let tree: SyntaxTree
    let text: [UInt8]

    static func finds(_ tree: SyntaxTree, in text: [UInt8]) -> Bool {
        let matcher = BacktrackingMatcher(tree: tree, text: text)
        return (0...text.count).contains { start in
            matcher.matches(tree, at: start) { _ in true }
        }
    }

    private func matches(
        _ tree: SyntaxTree, at offset: Int, then rest: (Int) -> Bool
    ) -> Bool {
        switch tree {
        case .empty: return rest(offset)
        case .octet(let set):
            return offset < text.count && set.contains(text[offset]) && rest(offset + 1)
        case .anchor(.start): return offset == 0 && rest(offset)
        case .anchor(.end): return offset == text.count && rest(offset)
        case .concatenation(let parts):
            guard let first = parts.first else { return rest(offset) }
            return matches(first, at: offset) { next in
                matches(.concatenation(Array(parts.dropFirst())), at: next, then: rest)
            }
        case .alternation(let parts):
            return parts.contains { matches($0, at: offset, then: rest) }
        case .repetition(let part, let least, let most):
            if least > 0 {
                return matches(part, at: offset) { next in
                    matches(
                        .repetition(part, least: least - 1, most: most.map { $0 - 1 }), at: next,
                        then: rest)
                }
            }
            if most == 0 { return rest(offset) }
            return rest(offset)
                || matches(part, at: offset) { next in
                    next > offset
                        && matches(
                            .repetition(part, least: 0, most: most.map { $0 - 1 }), at: next,
                            then: rest)
                }
        }
    }
}

extension PatternSet {
    /// The patterns found in a text by stepping through the automata.
    func finds(in text: [UInt8]) -> Set<Int> {
        var found: Set<Int> = []
        for automaton in automata {
            var state = automaton.start
            found.formUnion(automaton.patterns(foundIn: state).map { Int($0) })
            for octet in direction == .forward ? text : text.reversed() {
                state = automaton.next(state, octet)
                found.formUnion(automaton.patterns(foundIn: state).map { Int($0) })
            }
            found.formUnion(automaton.patterns(foundAtEndIn: state).map { Int($0) })
        }
        return found
    }

    /// The octets of the table of each automaton.
    var tables: [[UInt8]] {
        automata.map { automaton in
            var octets: [UInt8] = []
            AutomatonTableBuilder(automaton, direction: direction).append(to: &octets)
            return octets
        }
    }
}

/// The patterns that a table finds in a text; `nil` when it is refused.
func finds(_ table: [UInt8], in text: [UInt8]) -> Set<Int>? {
    guard let view = AutomatonTable(table.span) else { return nil }
    var run = view.finds(in: text.span)
    var found: Set<Int> = []
    while let pattern = run.next() { found.insert(pattern) }
    return found
}

/// Whether a table finds anything in a text; `nil` when it is refused.
func findsAny(_ table: [UInt8], in text: [UInt8]) -> Bool? {
    guard let view = AutomatonTable(table.span) else { return nil }
    return view.findsAny(in: text.span)
}

/// The tree of an expression, case ignored.
func tree(_ expression: String) throws(PatternError) -> SyntaxTree {
    let octets = Array(expression.utf8)
    return try RegularExpression.parse(octets.span, ignoresCase: true)
}
