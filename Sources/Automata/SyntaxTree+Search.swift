/// A tree prepared for a search: a match may start and end anywhere unless it says otherwise.
extension SyntaxTree {
    /// The ways to match, as sequences that do not begin with a choice, at the start of the text or
    /// anywhere, as far as `limit` allows.
    ///
    /// What a search does not need is gone: parts at either end that may match nothing, and "any
    /// text up to the edge". So `.*ads.*` is `ads`, and neither keeps an automaton busy after the
    /// match nor doubles its states.
    package func searchAlternatives(limit: Int = 32) -> [[SyntaxTree]] {
        var found: [[SyntaxTree]] = []
        var open = [items]
        while let next = open.popLast() {
            let items = SyntaxTree.trimmed(next)
            let edge = items.prefix { $0 == .anchor(.start) }
            let rest = items.dropFirst(edge.count)
            guard case .alternation(let parts)? = rest.first,
                found.count + open.count + parts.count <= limit
            else {
                found.append(items)
                continue
            }
            // Turned around, since the last one is taken first.
            for part in parts.reversed() { open.append(edge + part.items + rest.dropFirst()) }
        }
        return found
    }

    /// Parts without those at either end that a search can do without.
    private static func trimmed(_ items: [SyntaxTree]) -> [SyntaxTree] {
        let tail = trimmedTail(items, edge: .end)
        return trimmedTail(tail.reversed(), edge: .start).reversed()
    }

    private static func trimmedTail(_ items: [SyntaxTree], edge: Anchor) -> [SyntaxTree] {
        var items = items
        while let last = items.last {
            if last == .anchor(edge) {
                guard items.count > 1, items[items.count - 2] == .anything else { break }
                items.removeLast(2)
            } else if last.canBeEmpty {
                items.removeLast()
            } else if case .repetition(let part, let least, let most) = last, most != least,
                !part.hasAnchor
            {
                items.removeLast()
                for _ in 0..<least { items.append(part) }
                break
            } else {
                break
            }
        }
        return items
    }
}
