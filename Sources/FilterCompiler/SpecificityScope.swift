import DomainNames
import FilterIndex
import FilterLists

/// What is kept of a dnsmasq, unbound or RPZ list until its end, when the more specific entry wins.
struct SpecificityScope: Sendable {
    /// The list's number.
    let list: UInt16
    /// Its first entry in the table of plain blocks.
    let firstEntry: Int
    /// Its first conditional rule.
    let firstRule: Int
    /// Its plain allow rules, which are not in a table yet.
    var allows: [PolicyRule] = []
    /// Keys of zones that answer everything with local data of the zone's own name.
    private(set) var redirectZones: Set<[UInt8]> = []
    /// Keys of names that have addresses or an alias of their own.
    private(set) var rewrittenNames: Set<[UInt8]> = []

    /// Nothing of the list read yet.
    init(list: UInt16, firstEntry: Int, firstRule: Int) {
        self.list = list
        self.firstEntry = firstEntry
        self.firstRule = firstRule
    }

    /// Notes a zone that answers with its local data.
    mutating func noteZone(of reading: borrowing LineReading, key: [UInt8]) {
        if reading.isRedirectZone { redirectZones.insert(key) }
    }

    /// Notes the names of a rewrite that leads somewhere.
    mutating func noteRewrite(of reading: borrowing LineReading) {
        for name in reading.names {
            rewrittenNames.insert(PolicyRules.key(of: reading.domainName(name)))
        }
    }

    /// Zones that are rewrites, not blocks: their local data leads somewhere.
    var rewriteZones: Set<[UInt8]> { redirectZones.intersection(rewrittenNames) }
}

extension PolicyRules {
    /// Settles a list by specificity, so that flat precedence says the same.
    ///
    /// Flat precedence lets an allow rule win over every block, of any list. That is right for an
    /// allow entry A unless the same list blocks something below it: that block is more specific
    /// and must win. Such an A is written as an exception of the list's blocks that enclose it,
    /// and of nothing else.
    mutating func settle(_ scope: SpecificityScope) {
        drop(rewriteZones: scope.rewriteZones, from: scope)
        guard !scope.allows.isEmpty else { return }
        let blocks = ListBlocks(self, scope)
        var exceptions: [Int: [RuleException]] = [:]
        var ruleExceptions: [Int: [RuleException]] = [:]
        for allow in scope.allows {
            guard allow.scope.includesBelow, blocks.hasBlock(below: allow.key) else {
                append(allow)
                continue
            }
            let exception = RuleException(key: allow.key, scope: allow.scope)
            for end in allow.key.suffixEnds {
                let key = allow.key[..<end]
                for entry in blocks.entries(of: key) {
                    exceptions[entry, default: []].append(exception)
                }
                for rule in blocks.rules[key] ?? [] {
                    ruleExceptions[rule, default: []].append(exception)
                }
            }
        }
        for (rule, more) in ruleExceptions { conditional[rule].add(more) }
        for (entry, more) in exceptions.sorted(by: { $0.key < $1.key }) {
            except(more, fromEntry: entry)
        }
    }

    /// Turns a plain block into a conditional one with exceptions.
    private mutating func except(_ exceptions: [RuleException], fromEntry index: Int) {
        let table = RuleTier.block.rawValue
        let entry = tables[table].entries[index]
        let key = Array(tables[table].key(of: entry))
        conditional.append(
            PolicyRule(key: key, scope: entry.scope, exceptions: exceptions, list: entry.list))
        tables[table].entries[index].list = NameTable.Entry.deleted
    }

    private mutating func drop(rewriteZones: Set<[UInt8]>, from scope: SpecificityScope) {
        guard !rewriteZones.isEmpty else { return }
        let table = RuleTier.block.rawValue
        for index in scope.firstEntry..<tables[table].entries.count {
            let key = Array(tables[table].key(of: tables[table].entries[index]))
            guard rewriteZones.contains(key) else { continue }
            tables[table].entries[index].list = NameTable.Entry.deleted
        }
    }
}

/// The blocks of one list, by key.
private struct ListBlocks {
    private let table: NameTable
    /// Indices of the list's entries in the table, ascending by key.
    private let order: [Int]
    /// Indices of the list's conditional blocks, by key.
    let rules: [ArraySlice<UInt8>: [Int]]
    /// Keys of the conditional blocks, ascending.
    private let ruleKeys: [ArraySlice<UInt8>]

    init(_ policy: PolicyRules, _ scope: SpecificityScope) {
        let table = policy.tables[RuleTier.block.rawValue]
        let live = (scope.firstEntry..<table.entries.count).filter {
            table.entries[$0].list != NameTable.Entry.deleted
        }
        order = live.sorted { left, right in
            NameTable.precedes(table.entries[left], table.entries[right], table.keys)
        }
        self.table = table
        var rules: [ArraySlice<UInt8>: [Int]] = [:]
        for index in scope.firstRule..<policy.conditional.count
        where !policy.conditional[index].isAllow {
            rules[policy.conditional[index].key[...], default: []].append(index)
        }
        self.rules = rules
        ruleKeys = rules.keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Whether a block is on a name strictly below that of `key`.
    func hasBlock(below key: [UInt8]) -> Bool {
        let entry = order.partitionPoint {
            !key.lexicographicallyPrecedes(table.key(of: table.entries[$0]))
        }
        if entry < order.count, table.key(of: table.entries[order[entry]]).starts(with: key) {
            return true
        }
        let rule = ruleKeys.partitionPoint { !key.lexicographicallyPrecedes($0) }
        return rule < ruleKeys.count && ruleKeys[rule].starts(with: key)
    }

    /// The table's entries of exactly this key.
    func entries(of key: ArraySlice<UInt8>) -> ArraySlice<Int> {
        let first = order.partitionPoint {
            table.key(of: table.entries[$0]).lexicographicallyPrecedes(key)
        }
        let end = order.partitionPoint {
            !key.lexicographicallyPrecedes(table.key(of: table.entries[$0]))
        }
        return order[first..<end]
    }
}

extension Array {
    /// The first index whose element does not satisfy `belongsBefore`, all that do standing first.
    fileprivate func partitionPoint(_ belongsBefore: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Array where Element == UInt8 {
    /// Where the keys of this key's name and of all above it end, the root's first.
    var suffixEnds: [Int] { [0] + indices.filter { self[$0] == 0 }.map { $0 + 1 } }
}
