import DomainNames
import FilterIndex

/// One pass over the sorted names of a tier: merges what is said of one name, drops covered names.
///
/// Invariant of the result, on which `NameIndex` rests: keys ascend strictly, and no key lies below
/// an entry whose scope reaches below. Byte order puts everything below a name directly after it,
/// so the last kept entry that reaches below is the only one that can cover the next key.
struct CoveringPass {
    private let tier: RuleTier
    private let listCount: Int
    /// Keys at or below which plain rules must stay single rules: some rule of the tier there has
    /// an answer of its own, and which of the two is on the longer name decides. Ascending, none
    /// below another.
    private let separateKeys: [[UInt8]]
    private var separateIndex = 0
    /// Plain rules that `$badfilter` disables, ascending by key.
    private let disabled: [PolicyRule]
    private var disabledIndex = 0
    private let listsWithBadFilter: Set<UInt16>
    private let specificity: SpecificityPass

    /// Rules that must stay single, or are so for their exceptions.
    private(set) var singles: [PolicyRule] = []
    /// Blocks that were dropped, by list: their zones answer with their own data.
    private(set) var answeredZones: [UInt16: Int] = [:]
    /// Octets of rules held as values.
    private(set) var values: ValueCount
    /// Allow entries that turned out to be rules of the allow tier.
    private var looseAllows: NameRunWriter
    private var writer: NameRunWriter
    private var pairNumbers: [CoveredNames.ListPair: UInt16] = [:]
    private var pairs: [CoveredNames.ListPair] = []
    private var cover = [UInt8](repeating: 0, count: NameTable.keySize)
    /// Octets of `cover`; `nil` when nothing reaches below.
    private var coverSize: Int?
    /// The records of one key, as they are narrowed down; kept for its memory.
    private var left: [NameRecord] = []

    /// A pass over the names of `tier`.
    init(
        _ tier: RuleTier, of rules: borrowing PolicyRules, own: [PolicyRule],
        specificity: SpecificityPass, listCount: Int, values: ValueCount, retainedSize: Int
    ) {
        self.tier = tier
        self.listCount = listCount
        self.specificity = specificity
        self.values = values
        separateKeys = CoveringPass.topmost(own.filter { $0.tier == tier }.map(\.key))
        disabled = rules.disabled.filter { $0.isPlain && $0.tier == tier }.sorted {
            $0.key.lexicographicallyPrecedes($1.key)
        }
        listsWithBadFilter = rules.listsWithBadFilter
        writer = NameRunWriter(directory: rules.scratchDirectory, retainedSize: retainedSize)
        looseAllows = NameRunWriter(
            directory: rules.scratchDirectory, retainedSize: retainedSize / 4)
    }

    /// Covers all names of the merge.
    /// - Throws: `.scratch`, `.tooManyRulesInMemory`.
    /// - Complexity: O(octets of the keys).
    mutating func run(
        _ merge: inout NameMerge, progress: (Int) -> Void
    ) throws(CompilationError) -> CoveredNames {
        var sinceProgress = 0
        while try merge.next() {
            try take(merge.key, merge.records)
            sinceProgress += merge.records.count
            if sinceProgress >= 4096 {
                progress(sinceProgress)
                sinceProgress = 0
            }
        }
        progress(sinceProgress)
        return CoveredNames(run: try writer.finish(), pairs: pairs)
    }

    /// The allow entries that turned out to be rules, ascending.
    mutating func finishLooseAllows() throws(CompilationError) -> NameRun {
        try looseAllows.finish()
    }

    private mutating func take(
        _ key: Span<UInt8>, _ records: [NameRecord]
    ) throws(CompilationError) {
        left.removeAll(keepingCapacity: true)
        let hasNotes = records.contains { $0.purpose != .rule }
        for record in records {
            switch record.purpose {
            case .redirectZone, .rewrite: continue
            case .listAllow:
                if specificity.isException(key, record) { continue }
                try looseAllows.append(key, NameRecord(scope: record.scope, list: record.list))
            case .rule:
                if hasNotes, records.isRewriteZone(record.list) {
                    answeredZones[record.list, default: 0] += 1
                    continue
                }
                if isDisabled(key, record) { continue }
                let exceptions = specificity.exceptions(of: record.list, atOrBelow: key)
                if exceptions.isEmpty {
                    left.append(record)
                } else {
                    try addSingle(key, record, exceptions: Array(exceptions))
                }
            }
        }
        guard !left.isEmpty else { return }
        if isSeparate(key) {
            for record in left { try addSingle(key, record, exceptions: []) }
            return
        }
        if let coverSize, key.hasPrefix(cover.span.extracting(0..<coverSize)) { return }
        let (scope, pair) = left.merged()
        let number = number(of: pair)
        try writer.append(key, NameRecord(scope: scope, list: number))
        coverSize = nil
        if scope.includesBelow {
            var copy = cover.mutableSpan
            for index in key.indices { copy[index] = key[index] }
            coverSize = key.count
        }
    }

    private mutating func addSingle(
        _ key: Span<UInt8>, _ record: NameRecord, exceptions: [RuleException]
    ) throws(CompilationError) {
        var octets: [UInt8] = []
        octets.append(octets: key)
        let rule = PolicyRule(
            key: octets, scope: record.scope, isAllow: tier.isAllow,
            isImportant: tier.isImportant, exceptions: exceptions, list: record.list)
        try values.add(rule.memorySize, of: record.list)
        singles.append(rule)
    }

    /// Whether `$badfilter` disables a rule. Keys are asked for in ascending order.
    private mutating func isDisabled(_ key: Span<UInt8>, _ record: NameRecord) -> Bool {
        guard disabledIndex < disabled.count, listsWithBadFilter.contains(record.list) else {
            return false
        }
        while disabledIndex < disabled.count {
            let other = disabled[disabledIndex].key
            guard other.span.precedes(key) else { break }
            disabledIndex += 1
        }
        for rule in disabled[disabledIndex...] {
            let other = rule.key
            guard other.count == key.count, key.hasPrefix(other.span) else { return false }
            if rule.scope == record.scope { return true }
        }
        return false
    }

    /// Whether the rules of a key must stay single. Keys are asked for in ascending order.
    private mutating func isSeparate(_ key: Span<UInt8>) -> Bool {
        while separateIndex < separateKeys.count {
            let separate = separateKeys[separateIndex]
            if key.hasPrefix(separate.span) { return true }
            if key.precedes(separate.span) { return false }
            separateIndex += 1
        }
        return false
    }

    private mutating func number(of pair: CoveredNames.ListPair) -> UInt16 {
        if pair.own == pair.below { return pair.own }
        if let number = pairNumbers[pair] { return number }
        // At most 255 lists: 255 + 255 · 254 numbers fit in 16 bits.
        let number = UInt16(listCount + pairs.count)
        pairNumbers[pair] = number
        pairs.append(pair)
        return number
    }

    /// Those of the keys that lie below no other of them, ascending, each once.
    private static func topmost(_ keys: [[UInt8]]) -> [[UInt8]] {
        var result: [[UInt8]] = []
        for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if let last = result.last, key.starts(with: last) { continue }
            result.append(key)
        }
        return result
    }
}

extension [NameRecord] {
    /// The scope of the rules of one key together, and who speaks first for each half of it.
    fileprivate func merged() -> (scope: NameScope, lists: CoveredNames.ListPair) {
        var own: UInt16?
        var below: UInt16?
        for record in self {
            let list = record.list
            if record.scope.includesName { own = Swift.min(own ?? list, list) }
            if record.scope.includesBelow { below = Swift.min(below ?? list, list) }
        }
        guard let own else { return (.below, .init(own: below ?? 0, below: below ?? 0)) }
        guard let below else { return (.exact, .init(own: own, below: own)) }
        return (.subtree, .init(own: own, below: below))
    }
}
