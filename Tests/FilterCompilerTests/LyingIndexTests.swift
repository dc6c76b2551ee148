import DomainNames
import FilterCompiler
import FilterIndex
import Testing
import WireFixtures

/// An index or name code made to lie may mislead, but never traps, loops or reads elsewhere.
@Suite struct LyingIndexTests {
    private static let rules = NameSample.rules(300, seed: 21).map { rule in
        NaiveFilter.Rule(name: rule.name, scope: rule.scope)
    }

    private struct Sections {
        var names: [UInt8]
        var code: [UInt8]

        init() throws {
            let image = try SnapshotFixture.image(LyingIndexTests.rules)
            let contents = try SnapshotContents(verifying: image.span, path: "image")
            names = Array(image[contents.sections[.block]])
            code = Array(image[contents.sections[.nameCode]])
        }

        /// Contexts that have a code of their own.
        var contexts: Int { (code.count - 296) / 20 }

        /// Exchanges two nibbles of the code: all sizes still add up.
        mutating func exchange(_ one: Int, _ other: Int) {
            func nibble(_ index: Int) -> UInt8 { code[index / 2] >> UInt8(index & 1 * 4) & 15 }
            func set(_ index: Int, _ value: UInt8) {
                let shift = UInt8(index & 1 * 4)
                code[index / 2] = code[index / 2] & ~(15 << shift) | value << shift
            }
            let (first, second) = (nibble(one), nibble(other))
            set(one, second)
            set(other, first)
        }
    }

    private static func lie(_ sections: inout Sections, _ generator: inout SeededGenerator) {
        switch generator.number(0..<6) {
        case 0:
            let start = 408 + 40 * sections.contexts
            let end = 2 * sections.code.count
            let half = generator.chance(50) ? start..<(start + 92) : (end - 92)..<end
            sections.exchange(generator.number(half), generator.number(half))
        case 1:
            let from = 204 + 20 * generator.number(0..<sections.contexts)
            let to = 204 + 20 * generator.number(0..<sections.contexts)
            for index in 0..<20 { sections.code[to + index] = sections.code[from + index] }
        case 2:
            sections.names.removeLast(generator.number(0..<sections.names.count / 4))
        case 3:
            sections.names[8 + generator.number(0..<4)] = UInt8(generator.number(0..<4))
        case 4:
            let index = generator.number(0..<16 + 12 * (300 / 32))
            sections.names[index] = [0, 1, 0x7F, 0xFF].randomElement(using: &generator) ?? 0
        default:
            for _ in 0..<generator.number(1..<20) {
                let index = generator.number(16..<sections.names.count)
                sections.names[index] = UInt8(generator.number(0..<256))
            }
        }
    }

    @Test func anIndexOrCodeThatLiesHarmsNothing() throws {
        let good = try Sections()
        var searched = 0
        for seed in 0..<800 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var sections = good
            for _ in 0..<generator.number(1..<4) { Self.lie(&sections, &generator) }
            guard let shape = NameIndex.Shape(sections.names.span),
                let code = NameCode(sections.code.span)
            else { continue }
            let octets = sections.names.span
            let index = NameIndex(octets, shape: shape, code: code)
            searched += 1
            var plain = IndexKey()
            var name = CodedKey()
            for rule in Self.rules.shuffled(using: &generator).prefix(20) {
                for query in NameSample.around(rule.name, &generator) {
                    plain.assign(CanonicalName(domainName(query)))
                    name.assign(plain.octets, code: code)
                    if let hit = index.find(covering: name.view) {
                        #expect(hit.rank < shape.entryCount, "seed \(seed)")
                        #expect(hit.labels <= query.count, "seed \(seed)")
                    }
                    let labels = generator.number(0..<query.count + 1)
                    let own = index.find(named: name.view, labels: labels)
                    #expect(own.map { $0.rank < shape.entryCount } ?? true, "seed \(seed)")
                }
            }
            var walked = 0
            index.forEach { key, _, rank in
                #expect(rank == walked && key.count <= 512, "seed \(seed)")
                walked += 1
            }
            #expect(walked <= shape.entryCount, "seed \(seed)")
        }
        #expect(searched > 400)
    }

    @Test func aNameCodeThatIsNoCodeIsRefused() throws {
        let good = try Sections()
        #expect(NameCode(good.code.span) != nil)
        func isRefused(_ change: (inout [UInt8]) -> Void) -> Bool {
            var code = good.code
            change(&code)
            return NameCode(code.span) == nil
        }
        #expect(isRefused { $0[0] = 3 })
        #expect(isRefused { $0[1] = 1 })
        #expect(isRefused { $0[2] += 1 })
        #expect(isRefused { $0[4] ^= 1 })
        #expect(isRefused { $0[203] |= 0x80 })
        #expect(isRefused { $0.append(0) })
        #expect(isRefused { $0.removeLast() })
        #expect(isRefused { $0.removeAll() })
        #expect(isRefused { code in for index in 204..<224 { code[index] = 0xFF } })
        #expect(isRefused { code in for index in 204..<224 { code[index] = 0 } })
        // Codewords of buckets that are too long, and too many short ones.
        #expect(isRefused { $0[$0.count - 1] = 0xDD })
        #expect(
            isRefused { code in for index in code.count - 46..<code.count { code[index] = 0x11 } })
    }

    @Test func anIndexThatCannotHoldWhatItSaysIsRefused() throws {
        let good = try Sections()
        #expect(NameIndex.Shape(good.names.span) != nil)
        func isRefused(_ change: (inout [UInt8]) -> Void) -> Bool {
            var names = good.names
            change(&names)
            return NameIndex.Shape(names.span) == nil
        }
        #expect(isRefused { $0[0] &+= 64 })
        #expect(isRefused { $0[4] += 1 })
        #expect(isRefused { $0[7] = 0xFF })
        #expect(isRefused { $0[8] = 3 })
        #expect(isRefused { $0.removeLast($0.count - 100) })
        #expect(isRefused { $0.removeLast($0.count - 15) })
    }
}
