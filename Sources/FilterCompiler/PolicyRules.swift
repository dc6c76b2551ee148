import DomainNames
import FilterIndex
import FilterLists

/// All rules of a policy, gathered list by list, before they are compiled.
///
/// Plain rules go into a table for each tier; when the tables are full they are sorted and written
/// out as runs. The few other rules stay values.
package struct PolicyRules: Sendable {
    /// How much may stay in memory.
    let memory: BuildMemory
    /// Where the runs go.
    let scratchDirectory: String
    /// Plain rules that are not in a run yet, by tier.
    var tables = [NameTable](repeating: NameTable(), count: RuleTier.allCases.count)
    /// Runs of plain rules, by tier, the oldest first.
    var runs = [[NameRun]](repeating: [], count: RuleTier.allCases.count)
    /// Runs that were written because the tables were full.
    package internal(set) var spillCount = 0
    /// Merges on the way, because there were too many runs for one.
    package internal(set) var earlyMergeCount = 0
    /// The other rules.
    private(set) var conditional: [PolicyRule] = []
    /// Rewrites and exceptions to them.
    private(set) var rewrites: [PolicyRewrite] = []
    /// Rules on patterns that have no automata yet.
    private var gatheredPatterns = GatheredPatterns()
    /// Rules on patterns, once `settlePatterns` made their automata.
    private(set) var patterns = PatternRulesBuilder()
    /// Octets of the other rules, the rewrites and the rules on patterns.
    private(set) var valuesSize = 0
    /// Rules that `$badfilter` disables, list 0 in each.
    private(set) var disabled: Set<PolicyRule> = []
    /// Rewrites that `$badfilter` disables, list 0 in each.
    private(set) var disabledRewrites: Set<PolicyRewrite> = []
    /// Lists in which `$badfilter` counts, by number.
    private(set) var listsWithBadFilter: Set<UInt16> = []
    /// Names of all rules added.
    package private(set) var nameCount = 0
    /// Lists in which the more specific entry wins, by number.
    private(set) var settledLists: Set<UInt16> = []
    /// Whether a list in which the more specific entry wins has allow rules.
    private(set) var hasListAllows = false
    private var currentFormat: ListFormat?
    private var action = ListAction.block
    private var takesRewrites = true
    private var name = CanonicalName()
    private var scratch = IndexKey()

    /// No rules.
    /// - Parameters:
    ///   - memory: how much may stay in memory; `spillWhenFull` holds to it.
    ///   - scratchDirectory: where the rest goes, into files without a name.
    package init(memory: BuildMemory = .unbounded, scratchDirectory: String = ".") {
        self.memory = memory
        self.scratchDirectory = scratchDirectory
    }

    /// The key of a name.
    package static func key(of name: DomainName) -> [UInt8] {
        var key = IndexKey()
        key.assign(CanonicalName(name))
        var octets: [UInt8] = []
        octets.append(octets: key.octets)
        return octets
    }

    /// Starts list number `number`.
    ///
    /// In a dnsmasq, unbound or RPZ list the more specific entry wins: see `SpecificityPass`. In
    /// an adblock list `$badfilter` counts.
    package mutating func beginList(
        _ number: UInt16, format: ListFormat, action: ListAction = .block, rewrites: Bool = true
    ) {
        self.action = action
        takesRewrites = rewrites && action == .block
        currentFormat = format
        if format == .adblock { listsWithBadFilter.insert(number) }
        if isSettledBySpecificity { settledLists.insert(number) }
    }

    /// Ends the list that was begun last.
    package mutating func endList() { currentFormat = nil }

    private var isSettledBySpecificity: Bool {
        switch currentFormat {
        case .dnsmasq, .unbound, .rpz: true
        case .hosts, .domains, .wildcard, .adblock, nil: false
        }
    }

    /// Adds one rule.
    package mutating func add(_ rule: PolicyRule) {
        nameCount += 1
        guard rule.isPlain else {
            conditional.append(rule)
            valuesSize += rule.memorySize
            return
        }
        // Flat precedence lets an allow rule win over every block; whether it may, of this list,
        // is known when all its blocks are: until then the rule stands among them.
        let isUnsettled = isSettledBySpecificity && rule.tier == .allow && rule.scope.includesBelow
        hasListAllows = hasListAllows || isUnsettled
        let tier: RuleTier = isUnsettled ? .block : rule.tier
        tables[tier.rawValue].append(
            key: rule.key.span,
            NameRecord(
                scope: rule.scope, purpose: isUnsettled ? .listAllow : .rule, list: rule.list))
    }

    /// Disables the rules that say the same, in every adblock list.
    package mutating func disable(_ rule: PolicyRule) {
        if disabled.insert(rule.withoutList).inserted { valuesSize += rule.memorySize }
    }

    /// Adds a rewrite, or an exception to rewrites.
    package mutating func add(_ rewrite: PolicyRewrite) {
        nameCount += 1
        rewrites.append(rewrite)
        valuesSize += rewrite.memorySize
    }

    /// Disables the rewrites that say the same, in every adblock list.
    package mutating func disable(_ rewrite: PolicyRewrite) {
        if disabledRewrites.insert(rewrite.withoutList).inserted {
            valuesSize += rewrite.memorySize
        }
    }

    /// What a line counts as.
    enum LineCount {
        /// A rule that blocks.
        case block
        /// A rule that allows.
        case allow
        /// A rule that rewrites, or an exception to such rules.
        case rewrite
    }

    /// Adds what a line was read as.
    /// - Returns: what it counts as, a `$badfilter` rule as what it disables; `nil` for no rule.
    mutating func add(
        _ reading: borrowing LineReading, list: UInt16, line: Int
    ) -> LineCount? {
        if reading.kind == .rewrite {
            if reading.isSinkBlock(in: action) {
                return reading.isUnconditional
                    ? addPlain(reading, to: .block, list: list)
                    : addRules(reading, list: list, line: line)
            }
            note(.rewrite, of: reading, list: list)
            return addRewrites(reading, list: list)
        }
        guard reading.kind == .block || reading.kind == .allow else { return nil }
        let isAllow = reading.kind == .allow
        if reading.isPlain && !(isAllow && isSettledBySpecificity) {
            if reading.isRedirectZone { note(.redirectZone, of: reading, list: list) }
            return addPlain(reading, to: isAllow ? .allow : .block, list: list)
        }
        return addRules(reading, list: list, line: line)
    }

    /// Adds a reading that blocks or allows by its names alone.
    private mutating func addPlain(
        _ reading: borrowing LineReading, to tier: RuleTier, list: UInt16
    ) -> LineCount {
        for name in reading.names {
            assignKey(of: name, in: reading)
            tables[tier.rawValue].append(
                key: scratch.octets, NameRecord(scope: name.scope, list: list))
        }
        nameCount += reading.names.count
        return tier.isAllow ? .allow : .block
    }

    /// Adds a reading that blocks or allows, name by name, and by its pattern.
    private mutating func addRules(
        _ reading: borrowing LineReading, list: UInt16, line: Int
    ) -> LineCount {
        let isAllow = reading.kind == .allow
        if let pattern = reading.hostPattern {
            let rule = rule(on: nil, of: reading, isAllow: isAllow, list: list)
            let before = gatheredPatterns.memorySize
            gatheredPatterns.add(pattern, of: reading, rule: rule, line: line)
            valuesSize += gatheredPatterns.memorySize - before
        }
        for name in reading.names {
            let rule = rule(on: name, of: reading, isAllow: isAllow, list: list)
            if reading.isBadFilter { disable(rule) } else { add(rule) }
        }
        if reading.isRedirectZone { note(.redirectZone, of: reading, list: list) }
        return isAllow ? .allow : .block
    }

    private mutating func addRewrites(
        _ reading: borrowing LineReading, list: UInt16
    ) -> LineCount? {
        let answer = RewriteAnswer(reading.answer)
        guard takesRewrites, answer != nil || reading.exceptsRewrites else { return nil }
        for name in reading.names {
            let rule = rule(
                on: name, of: reading, isAllow: reading.exceptsRewrites, list: list)
            let rewrite = PolicyRewrite(rule, answer: answer)
            if reading.isBadFilter { disable(rewrite) } else { add(rewrite) }
        }
        return .rewrite
    }

    /// The rule on one of its names, or on its pattern.
    private mutating func rule(
        on name: RuleName?, of reading: borrowing LineReading, isAllow: Bool, list: UInt16
    ) -> PolicyRule {
        PolicyRule(
            key: name.map { key(of: $0, in: reading) } ?? [], scope: name?.scope ?? .subtree,
            isAllow: isAllow,
            isImportant: reading.important, answer: BlockAnswer(reading.answer),
            types: reading.types, typesAreExcluded: reading.typesAreExcluded,
            exceptions: reading.except.map {
                RuleException(key: key(of: $0, in: reading), scope: $0.scope)
            }, clients: reading.clients.compactMap(RuleClient.init), list: list)
    }

    /// Makes the automata of all patterns.
    /// - Returns: the rules that found no place in them, and those that there was no room for.
    /// - Throws: `.tooMuchText`.
    mutating func settlePatterns() throws(CompilationError) -> [GatheredPatterns.Refusal] {
        var gathered = GatheredPatterns()
        swap(&gathered, &gatheredPatterns)
        guard !gathered.isEmpty else { return [] }
        valuesSize -= gathered.memorySize
        patterns = try PatternRulesBuilder(gathered, listsWithBadFilter: listsWithBadFilter)
        return patterns.refusals
    }

    /// Notes what an Unbound list says besides its rules: a zone that answers with its local data
    /// is a rewrite, not a block, when that data leads somewhere.
    private mutating func note(
        _ purpose: NameRecord.Purpose, of reading: borrowing LineReading, list: UInt16
    ) {
        guard currentFormat == .unbound else { return }
        for name in reading.names {
            assignKey(of: name, in: reading)
            tables[RuleTier.block.rawValue].append(
                key: scratch.octets, NameRecord(scope: .exact, purpose: purpose, list: list))
        }
    }

    private mutating func assignKey(of name: RuleName, in reading: borrowing LineReading) {
        let octets = reading.octets
        let isName = (try? self.name.assign(wire: octets.span.extracting(name.wire))) != nil
        precondition(isName, "a reading holds only names within the limits")
        scratch.assign(self.name)
    }

    private mutating func key(of name: RuleName, in reading: borrowing LineReading) -> [UInt8] {
        assignKey(of: name, in: reading)
        var octets: [UInt8] = []
        octets.append(octets: scratch.octets)
        return octets
    }
}

extension RuleClient {
    /// What a list says of a client; `nil` when it is one by name, which makes no rule.
    init?(_ condition: ClientCondition) {
        guard let prefix = condition.prefix else { return nil }
        self.init(prefix, isExcluded: condition.isExcluded)
    }
}

extension BlockAnswer {
    /// What a list states, as far as a block can answer with it.
    init(_ answer: RuleAnswer) {
        switch answer {
        case .standard, .addresses, .cname, .record, .rcode: self = .standard
        case .nodata: self = .noData
        case .refused: self = .refused
        case .drop: self = .drop
        }
    }
}

extension RewriteAnswer {
    /// What a list states; `nil` for what is no answer of a rewrite.
    init?(_ answer: RuleAnswer) {
        switch answer {
        case .standard, .nodata, .refused, .drop: return nil
        case .addresses(let addresses):
            self = .records(
                addresses.prefix(RewriteAnswer.recordLimit).map { address in
                    let octets = address.octets
                    return RewriteRecord(type: octets.count == 4 ? 1 : 28, data: octets)
                })
        case .record(let type, let data):
            self = .records([RewriteRecord(type: type, data: data)])
        case .rcode(let code): self = .rcode(code)
        case .cname(let target): self = .alias(target)
        }
    }
}
