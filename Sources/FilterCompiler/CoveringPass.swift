import DomainNames
import FilterIndex

/// A sorted table in which every name stands once and none lies below one that covers it.
///
/// `list` of each entry is now the number that the file writes: of a list, or, from the count of
/// lists on, of a pair.
struct CoveredTable: Sendable {
    /// Keys and entries.
    var table: NameTable
    /// Lists for the name itself and for names below it, where the two differ.
    var pairs: [ListPair] = []

    /// Who speaks of a name, and who of the names below it.
    struct ListPair: Hashable, Sendable {
        /// The list for the name itself.
        let own: UInt16
        /// The list for the names below.
        let below: UInt16
    }
}

/// One pass over the sorted names of a tier: merges what is said of one name, drops covered names.
///
/// Invariant of the result, on which `NameIndex` rests: keys ascend strictly, and no key lies below
/// an entry whose scope reaches below. Byte order puts everything below a name directly after it,
/// so the last kept entry that reaches below is the only one that can cover the next key.
struct CoveringPass {
    /// Lists of the policy.
    let listCount: Int
    /// Keys at or below which plain rules must stay single rules: some rule of the tier there has
    /// an answer of its own, and which of the two is on the longer name decides. Ascending, none
    /// below another.
    var separateKeys: [[UInt8]] = []
    /// Plain rules that `$badfilter` disables, and in which lists.
    var disabled: Set<DisabledName> = []
    /// Lists in which `disabled` counts.
    var listsWithBadFilter: Set<UInt16> = []

    /// A plain rule that is disabled.
    struct DisabledName: Hashable {
        /// Its key.
        let key: [UInt8]
        /// Its scope.
        let scope: NameScope
    }

    /// The table after the pass, and the rules that must stay single.
    /// - Complexity: O(n log n) for the sort, then O(n).
    func run(_ table: consuming NameTable) -> (covered: CoveredTable, separate: [NameTable.Entry]) {
        var table = table
        removeDisabled(from: &table)
        table.sort()
        var separate: [NameTable.Entry] = []
        var pairNumbers: [CoveredTable.ListPair: UInt16] = [:]
        var pairs: [CoveredTable.ListPair] = []
        var kept = 0
        var cover: Range<Int>?
        var separateIndex = 0
        var start = 0
        while start < table.entries.count {
            let first = table.entries[start]
            var end = start + 1
            while end < table.entries.count, isSameKey(first, table.entries[end], table.keys) {
                end += 1
            }
            defer { start = end }
            if isSeparate(first, in: table.keys, &separateIndex) {
                separate.append(contentsOf: table.entries[start..<end])
                continue
            }
            if let cover, isKey(first, in: table.keys, startingWith: cover) { continue }
            let (scope, pair) = table.merged(start..<end)
            var entry = first
            entry.scope = scope
            entry.list = number(of: pair, scope: scope, &pairNumbers, &pairs)
            table.entries[kept] = entry
            kept += 1
            if scope.includesBelow { cover = entry.range }
        }
        table.entries.removeSubrange(kept...)
        return (CoveredTable(table: table, pairs: pairs), separate)
    }

    private func removeDisabled(from table: inout NameTable) {
        let keys = table.keys
        table.entries.removeAll { entry in
            if entry.list == NameTable.Entry.deleted { return true }
            guard !disabled.isEmpty, listsWithBadFilter.contains(entry.list) else { return false }
            return disabled.contains(
                DisabledName(key: Array(keys[entry.range]), scope: entry.scope))
        }
    }

    private func isSameKey(
        _ left: NameTable.Entry, _ right: NameTable.Entry, _ keys: [UInt8]
    ) -> Bool {
        left.head == right.head && left.size == right.size
            && isKey(left, in: keys, startingWith: right.range)
    }

    private func isKey(
        _ entry: NameTable.Entry, in keys: [UInt8], startingWith prefix: Range<Int>
    ) -> Bool {
        let octets = keys.span
        return octets.extracting(entry.range).hasPrefix(octets.extracting(prefix))
    }

    private func isSeparate(
        _ entry: NameTable.Entry, in keys: [UInt8], _ index: inout Int
    ) -> Bool {
        guard !separateKeys.isEmpty else { return false }
        let key = keys[entry.range]
        while index < separateKeys.count {
            if key.starts(with: separateKeys[index]) { return true }
            if key.lexicographicallyPrecedes(separateKeys[index]) { return false }
            index += 1
        }
        return false
    }

    private func number(
        of pair: CoveredTable.ListPair, scope: NameScope,
        _ numbers: inout [CoveredTable.ListPair: UInt16], _ pairs: inout [CoveredTable.ListPair]
    ) -> UInt16 {
        if pair.own == pair.below { return pair.own }
        if let number = numbers[pair] { return number }
        // At most 255 lists: 255 + 255 · 254 numbers fit in 16 bits.
        let number = UInt16(listCount + pairs.count)
        numbers[pair] = number
        pairs.append(pair)
        return number
    }
}

extension NameTable {
    /// The scope of entries of one key together, and who speaks first for each half of it.
    fileprivate func merged(
        _ range: Range<Int>
    ) -> (scope: NameScope, lists: CoveredTable.ListPair) {
        var own: UInt16?
        var below: UInt16?
        for index in range {
            let list = entries[index].list
            if entries[index].scope.includesName { own = min(own ?? list, list) }
            if entries[index].scope.includesBelow { below = min(below ?? list, list) }
        }
        guard let own else { return (.below, .init(own: below ?? 0, below: below ?? 0)) }
        guard let below else { return (.exact, .init(own: own, below: own)) }
        return (.subtree, .init(own: own, below: below))
    }
}
