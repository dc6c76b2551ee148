import DomainNames
import FilterIndex
import FilterLists

/// All rules of a policy, gathered list by list, before they are compiled.
///
/// Plain rules go into the four tables as keys in one arena; the few others stay values.
package struct PolicyRules: Sendable {
    /// Plain rules, by tier.
    var tables = [NameTable](repeating: NameTable(), count: RuleTier.allCases.count)
    /// The other rules.
    var conditional: [PolicyRule] = []
    /// Rewrites and exceptions to them.
    var rewrites: [PolicyRewrite] = []
    /// Rules that `$badfilter` disables, list 0 in each.
    private(set) var disabled: Set<PolicyRule> = []
    /// Rewrites that `$badfilter` disables, list 0 in each.
    private(set) var disabledRewrites: Set<PolicyRewrite> = []
    /// Lists in which `$badfilter` counts, by number.
    private(set) var listsWithBadFilter: Set<UInt16> = []
    /// Names of all rules added.
    package private(set) var nameCount = 0
    /// What is kept of a list whose rules are settled inside the list.
    var current: SpecificityScope?
    private var action = ListAction.block
    private var takesRewrites = true
    private var name = CanonicalName()
    private var scratch = IndexKey()

    /// No rules.
    package init() {}

    /// Whether more text can be taken.
    var hasRoom: Bool { tables.allSatisfy { $0.keys.count <= NameTable.keysLimit } }

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
    /// In a dnsmasq, unbound or RPZ list the more specific entry wins; `endList` settles that. In
    /// an adblock list `$badfilter` counts.
    package mutating func beginList(
        _ number: UInt16, format: ListFormat, action: ListAction = .block, rewrites: Bool = true
    ) {
        self.action = action
        takesRewrites = rewrites && action == .block
        switch format {
        case .dnsmasq, .unbound, .rpz:
            current = SpecificityScope(
                list: number, firstEntry: tables[RuleTier.block.rawValue].entries.count,
                firstRule: conditional.count, firstRewrite: self.rewrites.count)
        case .adblock:
            listsWithBadFilter.insert(number)
            current = nil
        case .hosts, .domains, .wildcard:
            current = nil
        }
    }

    /// Ends the list that was begun last.
    /// - Returns: blocks of it that were none after all: zones that answer with their own data.
    @discardableResult
    package mutating func endList() -> Int {
        guard let scope = current else { return 0 }
        current = nil
        return settle(scope)
    }

    /// Adds one rule.
    package mutating func add(_ rule: PolicyRule) {
        nameCount += 1
        if rule.isAllow && !rule.isImportant && rule.isPlain && current != nil {
            current?.allows.append(rule)
        } else if rule.isPlain {
            append(rule)
        } else {
            conditional.append(rule)
        }
    }

    /// Puts a plain rule into its table.
    mutating func append(_ rule: PolicyRule) {
        tables[rule.tier.rawValue].append(
            key: rule.key.span, scope: rule.scope, list: rule.list)
    }

    /// Disables the rules that say the same, in every adblock list.
    package mutating func disable(_ rule: PolicyRule) { disabled.insert(rule.withoutList) }

    /// Adds a rewrite, or an exception to rewrites.
    package mutating func add(_ rewrite: PolicyRewrite) {
        nameCount += 1
        rewrites.append(rewrite)
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
    mutating func add(_ reading: borrowing LineReading, list: UInt16) -> LineCount? {
        if reading.kind == .rewrite {
            if reading.isSinkBlock(in: action) { return addRules(reading, list: list) }
            current?.noteRewrite(of: reading)
            return addRewrites(reading, list: list)
        }
        guard reading.kind == .block || reading.kind == .allow else { return nil }
        let isAllow = reading.kind == .allow
        if reading.isPlain && current == nil {
            let table = isAllow ? RuleTier.allow.rawValue : RuleTier.block.rawValue
            for name in reading.names {
                assignKey(of: name, in: reading)
                tables[table].append(key: scratch.octets, scope: name.scope, list: list)
            }
            nameCount += reading.names.count
            return isAllow ? .allow : .block
        }
        return addRules(reading, list: list)
    }

    /// Adds a reading that blocks or allows, name by name.
    private mutating func addRules(
        _ reading: borrowing LineReading, list: UInt16
    ) -> LineCount {
        let isAllow = reading.kind == .allow
        for name in reading.names {
            let rule = rule(on: name, of: reading, isAllow: isAllow, list: list)
            if reading.isBadFilter { disable(rule) } else { add(rule) }
            current?.noteZone(of: reading, key: rule.key)
        }
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
            if reading.isBadFilter {
                disabledRewrites.insert(rewrite.withoutList)
            } else {
                add(rewrite)
            }
        }
        return .rewrite
    }

    private mutating func rule(
        on name: RuleName, of reading: borrowing LineReading, isAllow: Bool, list: UInt16
    ) -> PolicyRule {
        PolicyRule(
            key: key(of: name, in: reading), scope: name.scope, isAllow: isAllow,
            isImportant: reading.important, answer: BlockAnswer(reading.answer),
            types: reading.types, typesAreExcluded: reading.typesAreExcluded,
            exceptions: reading.except.map {
                RuleException(key: key(of: $0, in: reading), scope: $0.scope)
            }, clients: reading.clients.compactMap(RuleClient.init), list: list)
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
