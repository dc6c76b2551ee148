import DomainNames
import FilterCompiler
import FilterIndex
import Testing
import WireFixtures

/// The coded name index: exact, read alike by two readers, one of them written from the page.
@Suite struct NameIndexTests {
    typealias Labels = NaiveFilter.Labels

    /// Sizes around the blocks of 32 and past the choice of each order of the code.
    private static let sizes = [0, 1, 2, 31, 32, 33, 63, 64, 65, 400, 1500]

    @Test(arguments: sizes)
    func bothReadersGiveBackWhatWasCompiled(size: Int) throws {
        let rules = NameSample.rules(size, seed: UInt64(size) + 5)
        let image = try SnapshotFixture.image(rules)
        let slow = try SlowSnapshotReader(image)
        for tier in RuleTier.allCases {
            let expected = CoveredNames(rules.filter { $0.policyTier == tier })
            let found = slow.tables[tier.rawValue]
            #expect(found.count == expected.entries.count, "\(size) rules")
            #expect(Set(found) == Set(expected.entries), "\(size) rules")
            try IndexFixture.read(tier, of: image) { index, _ in
                var rank = 0
                index.forEach { key, scope, number in
                    #expect(number == rank)
                    let labels = IndexFixture.labels(of: key)
                    #expect(labels == found[rank].labels, "rank \(rank)")
                    #expect(Int(scope.rawValue) == found[rank].scope, "rank \(rank)")
                    rank += 1
                }
                #expect(rank == found.count && index.entryCount == found.count)
            }
        }
    }

    @Test(arguments: sizes)
    func everySearchEqualsANaiveScan(size: Int) throws {
        var rules = NameSample.rules(size, seed: UInt64(size) + 77)
        for index in rules.indices {
            rules[index].isAllow = false
            rules[index].isImportant = false
        }
        let image = try SnapshotFixture.image(rules)
        let truth = NaiveIndex(try SlowSnapshotReader(image).tables[0])
        var generator = SeededGenerator(seed: 3)
        try IndexFixture.read(.block, of: image) { index, code in
            let searches = IndexSearches(index, code)
            for rule in rules {
                for query in NameSample.around(rule.name, &generator) {
                    let problem = searches.disagreement(with: truth, on: query)
                    #expect(problem == nil, "\(domainName(query))")
                }
            }
            #expect(searches.disagreement(with: truth, on: []) == nil)
        }
    }

    /// A small list pays for few tables: the builder takes more context as the list grows.
    @Test(arguments: [(1, 0), (60, 0), (1000, 1), (12000, 2)])
    func theOrderOfTheCodeFollowsTheSizeOfTheList(size: Int, order: Int) throws {
        let rules = NameSample.spoken(size, seed: 9)
        let image = try SnapshotFixture.image(rules)
        let slow = try SlowSnapshotReader(image)
        #expect(slow.order == order)
        #expect(slow.ownContexts <= [1, 40, 1600][order])
        let expected = Set(rules.map(\.name))
        #expect(Set(slow.tables[0].map(\.labels)) == expected)
        let truth = NaiveIndex(slow.tables[0])
        var generator = SeededGenerator(seed: 4)
        try IndexFixture.read(.block, of: image) { index, code in
            #expect(code.order == order)
            let searches = IndexSearches(index, code)
            for rule in rules.prefix(1000) {
                for query in NameSample.around(rule.name, &generator) {
                    #expect(
                        searches.disagreement(with: truth, on: query) == nil,
                        "\(domainName(query))")
                }
            }
        }
    }

    /// Every octet may stand in a label (RFC 2181 §11); upper case is folded before.
    @Test func everyOctetOfALabelIsKept() throws {
        let octets = (UInt8.min...UInt8.max).filter { !(0x41...0x5A).contains($0) }
        let rules = octets.map { NaiveFilter.Rule(name: [[0x78, $0], [$0]], scope: .exact) }
        let image = try SnapshotFixture.image(rules)
        let slow = try SlowSnapshotReader(image)
        #expect(Set(slow.tables[0].map(\.labels)) == Set(rules.map(\.name)))
        let truth = NaiveIndex(slow.tables[0])
        try IndexFixture.read(.block, of: image) { index, code in
            let searches = IndexSearches(index, code)
            for one in octets {
                for other in octets where one == other || (one &+ other) % 11 == 0 {
                    let query = [[0x78, one], [other]]
                    #expect(searches.disagreement(with: truth, on: query) == nil)
                }
            }
        }
    }

    @Test func theLongestNamesHaveRoom() throws {
        let deep = [[UInt8]](repeating: [0x61], count: 127)
        let wide = [UInt8](repeating: 0, count: 63)
        let wider: Labels = [[UInt8](repeating: 0xFF, count: 61), wide, wide, wide]
        let rules = [deep, Array(deep.dropFirst()), wider, [wide, wide, wide], []].map {
            NaiveFilter.Rule(name: $0, scope: .exact)
        }
        // A thousand other names make escapes and zeros rare, so that their codewords are long.
        let image = try SnapshotFixture.image(rules + NameSample.spoken(1000, seed: 2))
        let slow = try SlowSnapshotReader(image)
        #expect(Set(slow.tables[0].map(\.labels)).isSuperset(of: rules.map(\.name)))
        let truth = NaiveIndex(slow.tables[0])
        var generator = SeededGenerator(seed: 8)
        try IndexFixture.read(.block, of: image) { index, code in
            let searches = IndexSearches(index, code)
            for rule in rules {
                for query in NameSample.around(rule.name, &generator) {
                    #expect(searches.disagreement(with: truth, on: query) == nil)
                }
            }
        }
    }

    /// The page shows a small file in full; this is that file.
    @Test func theExampleOfTheFormatPageIsWhatTheBuilderWrites() throws {
        let names: [Labels] = [
            [Array("ads".utf8), Array("test".utf8)],
            [Array("x".utf8), Array("y".utf8), Array("test".utf8)],
        ]
        let image = try SnapshotFixture.image([
            .init(name: names[0], scope: .subtree), .init(name: names[1], scope: .exact),
        ])
        let page = try FormatPage.example()
        try IndexFixture.sections(of: image) { contents in
            #expect(page["name code"] == Array(image[contents.sections[.nameCode]]))
            #expect(page["blocked names"] == Array(image[contents.sections[.block]]))
        }
    }
}
