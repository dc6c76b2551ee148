import DomainNames
import FilterIndex

/// Which allow rules of dnsmasq, unbound and RPZ lists are no more than exceptions of their lists.
///
/// In such a list the more specific entry wins. Flat precedence lets an allow rule win over every
/// block, of any list. That is right for an allow entry A unless the same list blocks something
/// below it: that block is more specific and must win. Such an A becomes an exception of the
/// list's blocks that enclose it, and of nothing else.
///
/// One pass over the ascending names finds them. What lies below a name comes directly after it,
/// so for each list a stack of the allow entries that enclose the current name is enough.
struct SpecificityPass {
    /// The exceptions of each list, ascending by key.
    private(set) var exceptions: [UInt16: [RuleException]] = [:]
    /// Allow entries that enclose the current name and have no block below yet, by list.
    private var open: [UInt16: [RuleException]] = [:]

    /// Nothing is an exception.
    init() {}

    /// Settles the allow entries among the names of the block tier.
    /// - Parameters:
    ///   - merge: the names.
    ///   - conditional: the rules that are not among them.
    ///   - values: where the exceptions are counted.
    /// - Throws: `.scratch`, `.tooManyRulesInMemory`.
    /// - Complexity: O(octets of the keys), and O(rules × log rules).
    init(
        _ merge: inout NameMerge, conditional: [PolicyRule], values: inout ValueCount
    ) throws(CompilationError) {
        let others = conditional.indices.filter { !conditional[$0].isAllow }.sorted {
            conditional[$0].key.lexicographicallyPrecedes(conditional[$1].key)
        }
        var next = 0
        while try merge.next() {
            let records = merge.records
            let hasAllow = records.contains { $0.purpose == .listAllow }
            guard hasAllow || !open.isEmpty else { continue }
            while next < others.count {
                let rule = conditional[others[next]]
                if merge.key.precedes(rule.key.span) { break }
                try meetBlock(rule.key.span, of: rule.list, &values)
                next += 1
            }
            for record in records where record.purpose == .rule {
                guard !records.isRewriteZone(record.list) else { continue }
                try meetBlock(merge.key, of: record.list, &values)
            }
            for record in records where record.purpose == .listAllow {
                open(merge.key, record)
            }
        }
        while next < others.count {
            let rule = conditional[others[next]]
            try meetBlock(rule.key.span, of: rule.list, &values)
            next += 1
        }
        for list in exceptions.keys { exceptions[list]?.sort(by: RuleException.precedes) }
        open = [:]
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

    /// A block of a list is on `key`: the allow entries of the list above it are exceptions.
    private mutating func meetBlock(
        _ key: Span<UInt8>, of list: UInt16, _ values: inout ValueCount
    ) throws(CompilationError) {
        guard let entries = open[list] else { return }
        for entry in entries where entry.key.count < key.count && entry.isAtOrAbove(key) {
            exceptions[list, default: []].append(entry)
            try values.add(entry.memorySize, of: list)
        }
        // The others: those on the very name, which may enclose what comes, and those passed by.
        let left = entries.filter { $0.key.count == key.count && $0.isAtOrAbove(key) }
        open[list] = left.isEmpty ? nil : left
    }

    private mutating func open(_ key: Span<UInt8>, _ record: NameRecord) {
        var entries = open[record.list] ?? []
        while let last = entries.last, !last.isAtOrAbove(key) { entries.removeLast() }
        var octets: [UInt8] = []
        octets.append(octets: key)
        entries.append(RuleException(key: octets, scope: record.scope))
        open[record.list] = entries
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
