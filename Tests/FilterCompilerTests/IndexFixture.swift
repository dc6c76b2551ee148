import DomainNames
import FilterCompiler
import FilterIndex
import Foundation
import Testing
import WireFixtures

/// The indexes of a snapshot's octets, without a file.
enum IndexFixture {
    /// Verifies an image.
    static func sections(
        of image: [UInt8], _ body: (SnapshotContents) -> Void
    ) throws {
        body(try SnapshotContents(verifying: image.span, path: "image"))
    }

    /// Reads the index of a tier.
    static func read(
        _ tier: RuleTier, of image: [UInt8],
        _ body: (borrowing NameIndex, NameCode) throws -> Void
    ) throws {
        let contents = try SnapshotContents(verifying: image.span, path: "image")
        let octets = image.span
        let section = octets.extracting(contents.sections[.nameCode])
        guard let code = NameCode(section) else {
            Issue.record("the builder wrote no name code")
            return
        }
        let index = NameIndex(
            octets.extracting(contents.sections[tier.names]), shape: contents.shape(of: tier),
            code: code)
        try body(index, code)
    }

    /// The labels of a key, the leftmost first; no labels for octets that are no key.
    static func labels(of key: Span<UInt8>) -> NaiveFilter.Labels {
        var name = CanonicalName()
        guard IndexKey.read(key, into: &name) else { return [] }
        return (0..<name.labelCount).map { number in
            let label = name.label(number)
            return label.indices.map { label[$0] }
        }
    }
}

/// Searches of one index, held against the truth.
struct IndexSearches: ~Escapable {
    private let index: NameIndex
    private let code: NameCode

    @_lifetime(copy index)
    init(_ index: borrowing NameIndex, _ code: NameCode) {
        self.index = copy index
        self.code = code
    }

    /// What an index says otherwise than a naive scan: of the covering entry, and of the entries
    /// that the name and every name above it have.
    func disagreement(with truth: NaiveIndex, on query: NaiveFilter.Labels) -> String? {
        guard query.reduce(1, { $0 + $1.count + 1 }) <= 255 else { return nil }
        var plain = IndexKey()
        plain.assign(CanonicalName(domainName(query)))
        var name = CodedKey()
        name.assign(plain.octets, code: code)
        let covering = index.find(covering: name.view).map { Self.text($0) }
        let expected = truth.covering(query)
        if covering != expected {
            return "\(covering ?? "nothing") covers, not \(expected ?? "nothing")"
        }
        for labels in 0...query.count {
            let own = index.find(named: name.view, labels: labels).map { Self.text($0) }
            let expected = truth.entry(of: Array(query.suffix(labels)))
            if own != expected { return "\(own ?? "nothing") named, not \(expected ?? "nothing")" }
        }
        return nil
    }

    private static func text(_ hit: NameIndex.Hit) -> String {
        NaiveIndex.text(rank: hit.rank, scope: Int(hit.scope.rawValue), labels: hit.labels)
    }
}

/// The entries of an index by name, for a scan of the names above a query.
struct NaiveIndex {
    private var ranks: [NaiveFilter.Labels: (rank: Int, scope: Int)] = [:]

    init(_ entries: [SlowSnapshotReader.Entry]) {
        for (rank, entry) in entries.enumerated() { ranks[entry.labels] = (rank, entry.scope) }
    }

    /// How a hit reads.
    static func text(rank: Int, scope: Int, labels: Int) -> String {
        "entry \(rank) of scope \(scope) and \(labels) labels"
    }

    /// The entry of exactly this name.
    func entry(of name: NaiveFilter.Labels) -> String? {
        ranks[name].map { Self.text(rank: $0.rank, scope: $0.scope, labels: name.count) }
    }

    /// The entry that covers a name.
    func covering(_ query: NaiveFilter.Labels) -> String? {
        for count in (0...query.count).reversed() {
            let name = Array(query.suffix(count))
            guard let scope = ranks[name]?.scope else { continue }
            if count == query.count ? scope != 2 : scope != 0 { return entry(of: name) }
        }
        return nil
    }
}

/// What is left of the plain rules of one tier, found by comparing every rule with every other.
struct CoveredNames {
    private(set) var entries: [SlowSnapshotReader.Entry] = []

    init(_ rules: [NaiveFilter.Rule]) {
        let reaching = Set(rules.filter { $0.scope != .exact }.map(\.name))
        for (name, own) in Dictionary(grouping: rules, by: \.name) {
            let above = (0..<name.count).contains { reaching.contains(Array(name.suffix($0))) }
            if above { continue }
            let named = own.filter { $0.scope != .below }.map(\.list).min()
            let below = own.filter { $0.scope != .exact }.map(\.list).min()
            guard let first = named ?? below else { continue }
            entries.append(
                .init(
                    labels: name, scope: named == nil ? 2 : below == nil ? 0 : 1,
                    ownList: Int(named ?? first), belowList: Int(below ?? first)))
        }
    }
}

extension NaiveFilter.Rule {
    /// The table that the rule goes to.
    var policyTier: RuleTier { RuleTier(isAllow: isAllow, isImportant: isImportant) }
}

/// Names in the shapes of real lists, and names around them.
enum NameSample {
    /// Rules on names of many shapes, some of them above others.
    static func rules(_ count: Int, seed: UInt64) -> [NaiveFilter.Rule] {
        var generator = SeededGenerator(seed: seed)
        var names: [NaiveFilter.Labels] = []
        return (0..<count).map { _ in
            let name =
                generator.chance(15)
                ? names.randomElement(using: &generator).map { [word(&generator)] + $0 } : nil
            names.append(fitting(name ?? self.name(&generator)))
            let scope =
                generator.chance(50)
                ? .exact : NameScope.allCases.randomElement(using: &generator) ?? .below
            return NaiveFilter.Rule(
                name: names[names.count - 1], scope: scope, isAllow: generator.chance(20),
                isImportant: generator.chance(10), list: UInt16(generator.number(0..<4)))
        }
    }

    /// Blocks on different names of host octets, in syllables as real names have them.
    static func spoken(_ count: Int, seed: UInt64) -> [NaiveFilter.Rule] {
        var generator = SeededGenerator(seed: seed)
        var names: Set<NaiveFilter.Labels> = []
        while names.count < count {
            let top = ["com", "net", "org", "de", "example"].randomElement(using: &generator)
            names.insert([syllables(2..<9, &generator), Array((top ?? "com").utf8)])
        }
        return names.sorted { $0.joined().lexicographicallyPrecedes($1.joined()) }.map {
            NaiveFilter.Rule(name: $0, scope: .exact)
        }
    }

    /// The name, the names above it, names below it, and names that differ in one octet.
    static func around(
        _ name: NaiveFilter.Labels, _ generator: inout SeededGenerator
    ) -> [NaiveFilter.Labels] {
        var names = [name, [word(&generator)] + name, [[0]] + name, [[0x7A]] + name]
        names.append([[0xFF], [0x2D]] + name)
        if !name.isEmpty { names.append(Array(name.dropFirst())) }
        if name.count > 1 { names.append(Array(name.dropFirst(2))) }
        for (number, label) in name.enumerated().prefix(4) {
            var mutant = name
            let octet = generator.number(0..<label.count)
            let other = UInt8(generator.number(0..<256))
            mutant[number][octet] = (0x41...0x5A).contains(other) ? 0x7A : other
            names.append(mutant)
            mutant = name
            mutant[number].removeLast()
            if !mutant[number].isEmpty { names.append(mutant) }
            mutant = name
            mutant[number].append(0x61)
            if label.count < 63 { names.append(mutant) }
        }
        return names.filter { $0.reduce(1) { $0 + $1.count + 1 } <= 255 }
    }

    private static func name(_ generator: inout SeededGenerator) -> NaiveFilter.Labels {
        if generator.chance(2) {
            return [[UInt8]](repeating: [0x61], count: generator.number(0..<128))
        }
        let tops = ["com", "net", "org", "de", "co.uk", "cloudfront.net", "xn--p1ai", "test"]
        let top = tops.randomElement(using: &generator) ?? "com"
        var labels = top.split(separator: ".").map { Array($0.utf8) }
        for _ in 0..<generator.number(1..<4) { labels.insert(word(&generator), at: 0) }
        return labels
    }

    private static func word(_ generator: inout SeededGenerator) -> [UInt8] {
        if generator.chance(3) {
            return [UInt8](repeating: UInt8(generator.number(0..<65)), count: 63)
        }
        if generator.chance(4) {
            return generator.octets(generator.number(1..<12)).map {
                (0x41...0x5A).contains($0) ? 0x5F : $0
            }
        }
        return syllables(1..<5, &generator)
    }

    private static func syllables(
        _ count: Range<Int>, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        let parts = ["ad", "track", "met", "ri", "cs", "pixel", "s", "-", "img", "12", "_", "log"]
        return (0..<generator.number(count)).flatMap { _ in
            Array((parts.randomElement(using: &generator) ?? "a").utf8)
        }
    }

    /// The last labels of a name that are no more than a name may have.
    private static func fitting(_ name: NaiveFilter.Labels) -> NaiveFilter.Labels {
        var name = name
        while name.reduce(1, { $0 + $1.count + 1 }) > 255 { name.removeFirst() }
        return name
    }
}

/// The example of docs/SnapshotFormat.md.
enum FormatPage {
    /// The octets of the example, by the heading before them: lines of hexadecimal after `name:`,
    /// a run of equal octets written `00×9`.
    static func example() throws -> [String: [UInt8]] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/SnapshotFormat.md"), encoding: .utf8)
        var sections: [String: [UInt8]] = [:]
        var heading = ""
        for line in page.split(separator: "\n") {
            if line.hasSuffix(":"), line.hasPrefix("    ") {
                heading = String(line.dropLast().drop { $0 == " " })
            } else if line.hasPrefix("    "), !heading.isEmpty {
                for word in line.split(separator: " ") {
                    let parts = word.split(separator: "×")
                    guard let octet = UInt8(parts[0], radix: 16) else { continue }
                    let count = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
                    sections[heading, default: []] += [UInt8](repeating: octet, count: count)
                }
            } else {
                heading = ""
            }
        }
        return sections
    }
}
