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
    /// Its first rewrite.
    let firstRewrite: Int
    /// Its plain allow rules, which are not in a table yet.
    var allows: [PolicyRule] = []
    /// Keys of zones that answer everything with local data of the zone's own name.
    private(set) var redirectZones: Set<[UInt8]> = []
    /// Keys of names that have addresses or an alias of their own.
    private(set) var rewrittenNames: Set<[UInt8]> = []

    /// Nothing of the list read yet.
    init(list: UInt16, firstEntry: Int, firstRule: Int, firstRewrite: Int) {
        self.list = list
        self.firstEntry = firstEntry
        self.firstRule = firstRule
        self.firstRewrite = firstRewrite
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
    /// A zone with data of its own that leads somewhere is a rewrite of all names below. Flat
    /// precedence lets a rewrite win over every plain block; a block of the same list below it is
    /// more specific and becomes an exception of the rewrite.
    ///
    /// Flat precedence lets an allow rule win over every block, of any list. That is right for an
    /// allow entry A unless the same list blocks or rewrites something below it: that entry is more
    /// specific and must win. Such an A is written as an exception of the list's blocks and
    /// rewrites that enclose it, and of nothing else.
    /// - Returns: blocks that were dropped, since their zones are rewrites.
    mutating func settle(_ scope: SpecificityScope) -> Int {
        let dropped = turnIntoRewrites(scope.rewriteZones, of: scope)
        let hasRewrites = scope.firstRewrite < rewrites.count
        guard !scope.allows.isEmpty || hasRewrites else { return dropped }
        let blocks = ListBlocks(self, scope)
        for index in scope.firstRewrite..<rewrites.count
        where rewrites[index].rule.scope.includesBelow {
            rewrites[index].rule.add(blocks.topmost(below: rewrites[index].rule.key))
        }
        except(scope.allows, from: blocks, of: scope)
        return dropped
    }

    /// Adds a list's plain allow entries, or makes them exceptions of what encloses them.
    private mutating func except(
        _ allows: [PolicyRule], from blocks: ListBlocks, of scope: SpecificityScope
    ) {
        let listRewrites = ListRewrites(rewrites[scope.firstRewrite...])
        var exceptions: [Int: [RuleException]] = [:]
        var ruleExceptions: [Int: [RuleException]] = [:]
        var rewriteExceptions: [Int: [RuleException]] = [:]
        for allow in allows {
            let isOverruled =
                blocks.hasBlock(below: allow.key) || listRewrites.hasRewrite(inside: allow)
            guard allow.scope.includesBelow, isOverruled else {
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
                for rewrite in listRewrites.indices[key] ?? [] where end < allow.key.count {
                    rewriteExceptions[rewrite, default: []].append(exception)
                }
            }
        }
        for (rewrite, more) in rewriteExceptions { rewrites[rewrite].rule.add(more) }
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

    /// Drops the blocks of zones that are rewrites and lets their data count for all below.
    private mutating func turnIntoRewrites(
        _ zones: Set<[UInt8]>, of scope: SpecificityScope
    ) -> Int {
        guard !zones.isEmpty else { return 0 }
        for index in scope.firstRewrite..<rewrites.count
        where zones.contains(rewrites[index].rule.key) {
            rewrites[index].rule.scope = .subtree
        }
        var dropped = 0
        let table = RuleTier.block.rawValue
        for index in scope.firstEntry..<tables[table].entries.count {
            let key = Array(tables[table].key(of: tables[table].entries[index]))
            guard zones.contains(key) else { continue }
            tables[table].entries[index].list = NameTable.Entry.deleted
            dropped += 1
        }
        return dropped
    }
}

/// The rewrites of one list, by key.
private struct ListRewrites {
    /// Places in the table of rewrites, by key.
    let indices: [ArraySlice<UInt8>: [Int]]
    /// The keys, ascending.
    private let keys: [ArraySlice<UInt8>]

    init(_ rewrites: ArraySlice<PolicyRewrite>) {
        var indices: [ArraySlice<UInt8>: [Int]] = [:]
        for index in rewrites.indices {
            indices[rewrites[index].rule.key[...], default: []].append(index)
        }
        self.indices = indices
        keys = indices.keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Whether a rewrite is more specific than an allow entry: on a longer name, or on its own.
    func hasRewrite(inside allow: PolicyRule) -> Bool {
        let key = allow.key
        if allow.scope.includesName, indices[key[...]] != nil { return true }
        let next = keys.partitionPoint { !key.lexicographicallyPrecedes($0) }
        return next < keys.count && keys[next].starts(with: key)
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
    /// Scopes of the conditional blocks that hold for every type, by index.
    private let scopes: [Int: NameScope]

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
        var scopes: [Int: NameScope] = [:]
        for index in scope.firstRule..<policy.conditional.count
        where !policy.conditional[index].isAllow {
            let rule = policy.conditional[index]
            rules[rule.key[...], default: []].append(index)
            if rule.types.isEmpty, !rule.dependsOnOccasion { scopes[index] = rule.scope }
        }
        self.scopes = scopes
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

    /// The unconditional blocks strictly below `key` that lie below no other of them that covers
    /// them.
    func topmost(below key: [UInt8]) -> [RuleException] {
        var found: [RuleException] = []
        let first = order.partitionPoint {
            !key.lexicographicallyPrecedes(table.key(of: table.entries[$0]))
        }
        for index in order[first...] {
            let entry = table.entries[index]
            let entryKey = table.key(of: entry)
            guard entryKey.starts(with: key) else { break }
            found.append(RuleException(key: Array(entryKey), scope: entry.scope))
        }
        let firstRule = ruleKeys.partitionPoint { !key.lexicographicallyPrecedes($0) }
        for ruleKey in ruleKeys[firstRule...] {
            guard ruleKey.starts(with: key) else { break }
            for index in rules[ruleKey] ?? [] {
                guard let scope = scopes[index] else { continue }
                found.append(RuleException(key: Array(ruleKey), scope: scope))
            }
        }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        var kept: [RuleException] = []
        var cover: [UInt8]?
        for exception in found {
            if let cover, exception.key.starts(with: cover) { continue }
            kept.append(exception)
            if exception.scope == .subtree { cover = exception.key }
        }
        return kept
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
