import DomainNames
import FilterIndex

/// Settles dnsmasq, unbound and RPZ lists, in which the more specific entry wins, so that flat
/// precedence says the same.
///
/// Flat precedence lets an allow rule win over every block and rewrite, of any list. That is right
/// for an allow entry A unless the same list blocks or rewrites something below it: that entry is
/// more specific and must win. Such an A becomes an exception of the list's blocks and rewrites
/// that enclose it, and of nothing else.
///
/// Flat precedence lets a rewrite win over every block. A block of the same list below it is more
/// specific and becomes an exception of the rewrite. An Unbound zone with data of its own that
/// leads somewhere is a rewrite of all names below.
///
/// One pass over the ascending names finds all that. What lies below a name comes directly after
/// it, so for each list a stack of the entries that enclose the current name is enough.
struct SpecificityPass {
    /// The allow entries of each list that are exceptions, ascending by key.
    private(set) var exceptions: [UInt16: [RuleException]] = [:]
    /// Allow entries that enclose the current name and have no block or rewrite below yet, by list.
    private var open: [UInt16: [RuleException]] = [:]
    /// Rewrites that enclose the current name, by list, the outermost first.
    private var openRewrites: [UInt16: [OpenRewrites]] = [:]

    /// The rewrites of one list on one name that speak of the names below.
    private struct OpenRewrites {
        let key: [UInt8]
        /// Their places.
        let places: [Int]
        /// Blocks of the list below, each under no other that covers it, ascending.
        var blocks: [RuleException] = []
    }

    /// A rule that is not among the names of the tier.
    private struct Other {
        let key: [UInt8]
        let list: UInt16
        /// Of a block which names it speaks of whatever is asked; `nil` of a block that depends on
        /// more than the name.
        let scope: NameScope?
        /// Of a rewrite its place.
        let rewrite: Int?
    }

    /// Nothing is an exception.
    init() {}

    /// Settles the allow entries among the names of the block tier, and the rewrites.
    /// - Parameters:
    ///   - merge: the names.
    ///   - conditional: the rules that are not among them.
    ///   - rewrites: the rewrites of all lists; blocks below become exceptions of them.
    ///   - settledLists: the lists in which the more specific entry wins.
    ///   - values: where the exceptions are counted.
    /// - Throws: `.scratch`, `.tooManyRulesInMemory`.
    /// - Complexity: O(octets of the keys), and O(rules × log rules).
    init(
        _ merge: inout NameMerge, conditional: [PolicyRule], rewrites: inout [PolicyRewrite],
        settledLists: Set<UInt16>, values: inout ValueCount
    ) throws(CompilationError) {
        let others = SpecificityPass.others(conditional, rewrites, settledLists)
        var next = 0
        while try merge.next() {
            while next < others.count {
                let key = others[next].key
                guard key.span.precedes(merge.key) else { break }
                let end = SpecificityPass.end(ofKeyAt: next, in: others)
                try meet(key.span, [], others[next..<end], &rewrites, &values)
                next = end
            }
            var end = next
            if next < others.count {
                let key = others[next].key
                if !merge.key.precedes(key.span) {
                    end = SpecificityPass.end(ofKeyAt: next, in: others)
                }
            }
            try meet(merge.key, merge.records, others[next..<end], &rewrites, &values)
            next = end
        }
        while next < others.count {
            let key = others[next].key
            let end = SpecificityPass.end(ofKeyAt: next, in: others)
            try meet(key.span, [], others[next..<end], &rewrites, &values)
            next = end
        }
        for list in Array(openRewrites.keys) { close(list, downTo: 0, &rewrites) }
        for list in exceptions.keys { exceptions[list]?.sort(by: RuleException.precedes) }
        open = [:]
    }

    /// The blocks that are not among the names, and the rewrites of settled lists, by key.
    private static func others(
        _ conditional: [PolicyRule], _ rewrites: [PolicyRewrite], _ settledLists: Set<UInt16>
    ) -> [Other] {
        var others: [Other] = []
        for rule in conditional where !rule.isAllow && settledLists.contains(rule.list) {
            let holdsAlways = rule.types.isEmpty && !rule.dependsOnOccasion
            others.append(
                Other(
                    key: rule.key, list: rule.list, scope: holdsAlways ? rule.scope : nil,
                    rewrite: nil))
        }
        for (place, rewrite) in rewrites.enumerated()
        where !rewrite.rule.isAllow && settledLists.contains(rewrite.rule.list) {
            others.append(
                Other(key: rewrite.key, list: rewrite.rule.list, scope: nil, rewrite: place))
        }
        others.sort { $0.key.lexicographicallyPrecedes($1.key) }
        return others
    }

    private static func end(ofKeyAt start: Int, in others: [Other]) -> Int {
        var end = start + 1
        while end < others.count, others[end].key == others[start].key { end += 1 }
        return end
    }

    /// Takes all that is said of one name. Keys come in ascending order, each once.
    private mutating func meet(
        _ key: Span<UInt8>, _ records: [NameRecord], _ others: ArraySlice<Other>,
        _ rewrites: inout [PolicyRewrite], _ values: inout ValueCount
    ) throws(CompilationError) {
        let hasAllow = records.contains { $0.purpose == .listAllow }
        if !hasAllow && others.isEmpty && open.isEmpty && openRewrites.isEmpty { return }
        for other in others {
            if let place = other.rewrite, records.isRewriteZone(other.list) {
                rewrites[place].rule.scope = .subtree
            }
        }
        // What is said of the name itself is not below it: the new entries open last.
        for record in records where record.purpose == .rule {
            guard !records.isRewriteZone(record.list) else { continue }
            try meetEntry(key, of: record.list, &values)
            try meetBlock(key, of: record.list, record.scope, &rewrites, &values)
        }
        for other in others {
            try meetEntry(key, of: other.list, &values)
            if let scope = other.scope {
                try meetBlock(key, of: other.list, scope, &rewrites, &values)
            }
        }
        for record in records where record.purpose == .listAllow {
            let isRewritten = others.contains { $0.rewrite != nil && $0.list == record.list }
            var octets: [UInt8] = []
            octets.append(octets: key)
            let entry = RuleException(key: octets, scope: record.scope)
            if isRewritten && record.scope.includesName {
                try makeException(entry, of: record.list, &values)
            } else {
                open(entry, of: record.list)
            }
        }
        openRewrites(on: key, among: others, &rewrites)
    }

    /// The exceptions of `list` at or below `key`.
    /// - Complexity: O(log exceptions).
    func exceptions(of list: UInt16, atOrBelow key: Span<UInt8>) -> ArraySlice<RuleException> {
        guard let all = exceptions[list] else { return [] }
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            let other = all[middle].key
            if other.span.precedes(key) { low = middle + 1 } else { high = middle }
        }
        let end = all[low...].firstIndex { !$0.isAtOrBelow(key) } ?? all.count
        return all[low..<end]
    }

    /// Whether an allow entry is an exception and no rule.
    func isException(_ key: Span<UInt8>, _ record: NameRecord) -> Bool {
        for exception in exceptions(of: record.list, atOrBelow: key) {
            guard exception.key.count == key.count else { return false }
            if exception.scope == record.scope { return true }
        }
        return false
    }

    /// A block or rewrite of a list is on `key`: the allow entries of the list above it are
    /// exceptions.
    private mutating func meetEntry(
        _ key: Span<UInt8>, of list: UInt16, _ values: inout ValueCount
    ) throws(CompilationError) {
        // Those that are not above were passed by.
        guard let entries = open.removeValue(forKey: list) else { return }
        for entry in entries where entry.isAtOrAbove(key) {
            try makeException(entry, of: list, &values)
        }
    }

    private mutating func makeException(
        _ entry: RuleException, of list: UInt16, _ values: inout ValueCount
    ) throws(CompilationError) {
        exceptions[list, default: []].append(entry)
        try values.add(entry.memorySize, of: list)
    }

    private mutating func open(_ entry: RuleException, of list: UInt16) {
        var entries = open.removeValue(forKey: list) ?? []
        while let last = entries.last, !last.isAtOrAbove(entry.key.span) { entries.removeLast() }
        entries.append(entry)
        open[list] = entries
    }

    /// A block of a list is on `key`, whatever is asked: the rewrites of the list above it do not
    /// reach the names that it speaks of.
    private mutating func meetBlock(
        _ key: Span<UInt8>, of list: UInt16, _ scope: NameScope,
        _ rewrites: inout [PolicyRewrite], _ values: inout ValueCount
    ) throws(CompilationError) {
        close(list, notAbove: key, &rewrites)
        guard var stack = openRewrites.removeValue(forKey: list) else { return }
        for index in stack.indices {
            let count = stack[index].blocks.count
            if let last = stack[index].blocks.last, last.isAtOrAbove(key) {
                if last.key.count == key.count {
                    stack[index].blocks[count - 1].scope = last.scope.union(scope)
                    continue
                }
                if last.scope.includesBelow { continue }
            }
            var octets: [UInt8] = []
            octets.append(octets: key)
            let block = RuleException(key: octets, scope: scope)
            stack[index].blocks.append(block)
            for _ in stack[index].places { try values.add(block.memorySize, of: list) }
        }
        openRewrites[list] = stack
    }

    private mutating func openRewrites(
        on key: Span<UInt8>, among others: ArraySlice<Other>, _ rewrites: inout [PolicyRewrite]
    ) {
        var places: [UInt16: [Int]] = [:]
        for other in others {
            guard let place = other.rewrite, rewrites[place].rule.scope.includesBelow else {
                continue
            }
            places[other.list, default: []].append(place)
        }
        for (list, places) in places {
            close(list, notAbove: key, &rewrites)
            openRewrites[list, default: []].append(
                OpenRewrites(key: rewrites[places[0]].key, places: places))
        }
    }

    /// Ends the rewrites of a list that were passed by.
    private mutating func close(
        _ list: UInt16, notAbove key: Span<UInt8>, _ rewrites: inout [PolicyRewrite]
    ) {
        guard let stack = openRewrites[list] else { return }
        var count = stack.count
        while count > 0 {
            let innermost = stack[count - 1].key
            if key.hasPrefix(innermost.span) { break }
            count -= 1
        }
        close(list, downTo: count, &rewrites)
    }

    /// Ends the innermost rewrites of a list, but for so many: what lies below them is known.
    private mutating func close(
        _ list: UInt16, downTo count: Int, _ rewrites: inout [PolicyRewrite]
    ) {
        guard var stack = openRewrites.removeValue(forKey: list) else { return }
        for group in stack[count...] {
            for place in group.places { rewrites[place].rule.add(group.blocks) }
        }
        stack.removeSubrange(count...)
        if !stack.isEmpty { openRewrites[list] = stack }
    }
}

extension [NameRecord] {
    /// Whether `list` has the name as a zone that answers with local data that leads somewhere.
    func isRewriteZone(_ list: UInt16) -> Bool {
        var isZone = false
        var isRewritten = false
        for record in self where record.list == list {
            isZone = isZone || record.purpose == .redirectZone
            isRewritten = isRewritten || record.purpose == .rewrite
        }
        return isZone && isRewritten
    }
}

extension RuleException {
    /// Whether its name is that of `key` or below it.
    func isAtOrBelow(_ key: Span<UInt8>) -> Bool { self.key.span.hasPrefix(key) }

    /// Whether its name is that of `key` or above it.
    func isAtOrAbove(_ key: Span<UInt8>) -> Bool { key.hasPrefix(self.key.span) }

    /// Octets of memory that it takes, the block of its key included.
    var memorySize: Int { MemoryLayout<RuleException>.stride + 48 + key.count }

    /// Order by key, then by scope.
    static func precedes(_ left: RuleException, _ right: RuleException) -> Bool {
        left.key == right.key
            ? left.scope.rawValue < right.scope.rawValue
            : left.key.lexicographicallyPrecedes(right.key)
    }
}

extension NameScope {
    /// The scope that speaks of what either speaks of.
    fileprivate func union(_ other: NameScope) -> NameScope { self == other ? self : .subtree }
}
