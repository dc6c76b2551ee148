import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Testing
import WireFixtures

@Suite struct NameWalkTests {
    /// Every name that was compiled comes by, once, in its scope and tier, in key order.
    @Test(arguments: [UInt64(1), 2, 3])
    func everyNameComesByOnceInOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var expected: [RuleTier: Set<String>] = [:]
        var text = ""
        for number in 0..<(random.number(1..<400)) {
            let name = "n\(number).\(random.chance(50) ? "a" : "bb").example"
            let tier = RuleTier.allCases[random.number(0..<4)]
            text += tier.isAllow ? "@@" : ""
            text += "||\(name)^" + (tier.isImportant ? "$important\n" : "\n")
            expected[tier, default: []].insert(name)
        }
        let snapshot = try SnapshotFixture.compile([(.adblock, text)]).snapshot
        for tier in RuleTier.allCases {
            var names: [String] = []
            var keys: [[UInt8]] = []
            snapshot.forEachName(of: tier) { name, scope in
                #expect(scope == .subtree)
                names.append(NameText.text(of: name.wire))
                var key = IndexKey()
                key.assign(name)
                keys.append((0..<key.octets.count).map { key.octets[$0] })
            }
            #expect(Set(names) == expected[tier] ?? [], "seed \(seed)")
            #expect(names.count == expected[tier]?.count ?? 0, "seed \(seed)")
            let isAscending = zip(keys, keys.dropFirst()).allSatisfy { left, right in
                left.lexicographicallyPrecedes(right)
            }
            #expect(isAscending, "seed \(seed)")
        }
    }
}
