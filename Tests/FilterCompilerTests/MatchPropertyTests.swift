import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Quantities
import Testing
import WireFixtures

/// `Snapshot.match` equals a naive scan of the same rules (DESIGN: one truth for precedence).
@Suite struct MatchPropertyTests {
    private typealias Labels = NaiveFilter.Labels

    /// Few labels, so that names meet; some with the octets that the key escapes, a dot, 0xFF.
    private static let labels: [[UInt8]] = [
        Array("a".utf8), Array("b".utf8), Array("ab".utf8), Array("com".utf8), [0], [1], [0, 1],
        [1, 1], Array("a.b".utf8), [0xFF], Array("-".utf8), [0x61, 0],
        [UInt8](repeating: 0x78, count: 63),
    ]

    private static func name(_ generator: inout SeededGenerator, fewest: Int = 0) -> Labels {
        let count = Int.random(in: fewest...4, using: &generator)
        let pool = generator.chance(70) ? labels[0..<4] : labels[...]
        return (0..<count).map { _ in pool.randomElement(using: &generator) ?? [] }
    }

    private static func scope(_ generator: inout SeededGenerator) -> NameScope {
        NameScope.allCases.randomElement(using: &generator) ?? .exact
    }

    private static func rule(_ generator: inout SeededGenerator) -> NaiveFilter.Rule {
        let fewest = generator.chance(6) ? 0 : generator.chance(10) ? 1 : 2
        var rule = NaiveFilter.Rule(
            name: name(&generator, fewest: fewest), scope: scope(&generator))
        rule.list = UInt16.random(in: 0..<4, using: &generator)
        rule.isAllow = generator.chance(25)
        rule.isImportant = generator.chance(15)
        if generator.chance(12) {
            rule.clients = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                client(&generator)
            }
        }
        if generator.chance(8) { rule.until = Int64.random(in: 1...3, using: &generator) }
        if !rule.isAllow, generator.chance(12) {
            rule.answer = BlockAnswer.allCases.randomElement(using: &generator) ?? .standard
        }
        if generator.chance(12) {
            rule.types = [1, 28, 65].filter { _ in generator.chance(50) }
            rule.typesAreExcluded = generator.chance(50) && !rule.types.isEmpty
        }
        if generator.chance(12) {
            rule.exceptions = (0..<2).map { _ in
                let below = name(&generator, fewest: 1)
                let full = generator.chance(70) ? below + rule.name : below
                return (full.suffix(4), scope(&generator))
            }
        }
        return rule
    }

    /// Few addresses of both families, so that clients meet rules.
    private static func address(_ generator: inout SeededGenerator) -> IPAddress {
        let word = UInt64.random(in: 0..<4, using: &generator) << 56
        let last = UInt64.random(in: 0..<2, using: &generator)
        return generator.chance(60)
            ? IPAddress(high: word | last << 32, low: 0, isIPv4: true)
            : IPAddress(high: word, low: last, isIPv4: false)
    }

    private static func client(_ generator: inout SeededGenerator) -> RuleClient {
        let address = address(&generator)
        let bits = [0, 6, 7, 8, 31, address.bitCount].randomElement(using: &generator) ?? 0
        return RuleClient(
            AddressPrefix(address, bits: bits), isExcluded: generator.chance(30))
    }

    private static func occasion(_ generator: inout SeededGenerator) -> Occasion {
        Occasion(
            client: generator.chance(10) ? nil : address(&generator),
            seconds: Int64.random(in: 0...3, using: &generator))
    }

    /// Names worth asking about: of rules and exceptions, above, below, one octet away, others.
    private static func queries(
        _ rules: [NaiveFilter.Rule], _ generator: inout SeededGenerator
    ) -> [Labels] {
        var queries: [Labels] = [[]]
        for name in rules.flatMap({ [$0.name] + $0.exceptions.map(\.name) }) {
            queries.append(name)
            queries.append(Array(name.dropFirst()))
            queries.append([labels.randomElement(using: &generator) ?? []] + name)
            queries.append([Array("b".utf8), Array("a".utf8)] + name)
            if let index = name.indices.randomElement(using: &generator) {
                var mutant = name
                let octet = Int.random(in: 0..<mutant[index].count, using: &generator)
                let other = UInt8.random(in: 0...255, using: &generator)
                // Case is folded by the name itself, so only lower case is asked for here.
                mutant[index][octet] = (0x41...0x5A).contains(other) ? 0x7A : other
                queries.append(mutant)
            }
        }
        for _ in 0..<20 { queries.append(name(&generator)) }
        return queries.filter { $0.reduce(1) { $0 + $1.count + 1 } <= 255 }
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func matchEqualsANaiveScan(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...60, using: &generator)
        var rules = (0..<count).map { _ in Self.rule(&generator) }
        if generator.chance(40) { rules.removeAll { $0.name.count < 2 } }
        let snapshot = try SnapshotFixture.open(SnapshotFixture.image(rules))
        #expect(
            snapshot.dependsOnOccasion
                == rules.contains { !$0.clients.isEmpty || $0.until != nil })
        let naive = NaiveFilter(rules: rules)
        for query in Self.queries(rules, &generator) {
            for type: UInt16 in [1, 28, 65, 16] {
                let occasion = Self.occasion(&generator)
                let expected = naive.decide(query, type: type, on: occasion)
                let found = snapshot.verdict(domainName(query), type: type, on: occasion)
                #expect(
                    expected.admits(found.decision),
                    """
                    seed \(seed): \(domainName(query)) type \(type) on \(occasion): \(found), not \
                    \(expected)
                    """)
            }
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func allowVerdictEqualsANaiveScanOfTheAllowRules(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rules = (0..<40).map { _ in Self.rule(&generator) }
        let snapshot = try SnapshotFixture.open(SnapshotFixture.image(rules))
        var scratch = MatchScratch()
        for query in Self.queries(rules, &generator) {
            let occasion = Self.occasion(&generator)
            var naive = NaiveFilter(
                rules: rules.filter { $0.isAllow && $0.applies(to: query, type: 1, on: occasion) })
            // An allow rule decides only over a block: give it one.
            naive.rules.append(NaiveFilter.Rule(name: [], scope: .subtree, list: 9))
            var expected = naive.decide(query, type: 1, on: occasion)
            if expected.isBlocked { expected = .init() }
            let found = snapshot.allowVerdict(
                CanonicalName(domainName(query)), type: 1, on: occasion, into: &scratch)
            #expect(expected.admits(found.decision), "seed \(seed): \(domainName(query))")
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func aWholeSubtreeIsBlockedOnlyWhenEveryNameBelowIs(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rules = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
            Self.rule(&generator)
        }
        let snapshot = try SnapshotFixture.open(SnapshotFixture.image(rules))
        let naive = NaiveFilter(rules: rules)
        let queries = Self.queries(rules, &generator)
        let occasion = Self.occasion(&generator)
        for query in queries.prefix(40)
        where snapshot.blocksWholeSubtree(of: CanonicalName(domainName(query)), on: occasion) {
            for other in queries
            where other.count > query.count && Array(other.suffix(query.count)) == query {
                for type: UInt16 in [1, 28, 65, 16] {
                    #expect(
                        naive.decide(other, type: type, on: occasion).isBlocked,
                        "seed \(seed): \(domainName(other)) below \(domainName(query))")
                }
            }
        }
        // One unconditional rule without any allow rule must be seen.
        guard rules.allSatisfy({ !$0.isAllow }) else { return }
        for rule in rules
        where rule.scope.includesBelow && rule.types.isEmpty && rule.exceptions.isEmpty
            && rule.applies(to: [Array("q".utf8)] + rule.name, type: 1, on: occasion)
        {
            let name = CanonicalName(domainName(rule.name))
            #expect(snapshot.blocksWholeSubtree(of: name, on: occasion), "seed \(seed): \(name)")
        }
    }

    @Test(arguments: [ListFormat.dnsmasq, .rpz], 0..<200 as Range<UInt64>)
    func theMoreSpecificEntryOfOneListWins(format: ListFormat, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var rules: [NaiveFilter.Rule] = []
        var seen: Set<String> = []
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
            let scopes: [NameScope] = format == .rpz ? [.exact, .below] : [.subtree]
            let scope = scopes.randomElement(using: &generator) ?? .exact
            var rule = NaiveFilter.Rule(
                name: Self.name(&generator, fewest: 1), scope: scope,
                isAllow: generator.chance(35))
            if !rule.isAllow, generator.chance(10) { rule.answer = .noData }
            guard seen.insert("\(domainName(rule.name)) \(scope)").inserted else { continue }
            rules.append(rule)
        }
        var policy = PolicyRules()
        policy.beginList(0, format: format)
        for rule in rules { policy.add(rule.policyRule) }
        policy.endList()
        let image = try SnapshotBuilder().image(
            of: policy, manifest: SnapshotFixture.manifest(lists: 1))
        let snapshot = try SnapshotFixture.open(image)
        for query in Self.queries(rules, &generator) {
            let best = rules.filter { $0.applies(to: query, type: 1) }.max { left, right in
                left.name.count == right.name.count
                    ? left.scope != .exact && right.scope == .exact
                    : left.name.count < right.name.count
            }
            let isBlocked = snapshot.verdict(domainName(query)).decision.isBlocked
            #expect(
                isBlocked == (best.map { !$0.isAllow } ?? false),
                "seed \(seed), \(format): \(domainName(query))")
        }
    }
}
