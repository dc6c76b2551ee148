import DomainNames
import FilterIndex
import Testing

/// The order and the escapes of `IndexKey`.
@Suite struct IndexKeyTests {
    private func octets(_ name: DomainName) -> [UInt8] {
        var key = IndexKey()
        key.assign(CanonicalName(name))
        var octets: [UInt8] = []
        octets.append(octets: key.octets)
        return octets
    }

    @Test func aKeyHasTheLabelsFromTheTopDown() throws {
        let name = try DomainName(text: "Ads.Example.com")
        #expect(octets(name) == Array("com\0example\0ads\0".utf8))
        #expect(octets(.root) == [])
    }

    @Test func octetsZeroAndOneAreEscaped() throws {
        let name = try DomainName(text: "a\\000\\001b.c")
        #expect(octets(name) == [0x63, 0, 0x61, 1, 1, 1, 2, 0x62, 0])
    }

    @Test func keysOfSuffixesAreBeginningsOfTheKey() throws {
        var key = IndexKey()
        key.assign(CanonicalName(try DomainName(text: "a.b\\000.c")))
        #expect(key.view.labelCount == 3)
        #expect((0...3).map { key.view.octets(ofLastLabels: $0).count } == [0, 2, 6, 8])
    }

    @Test func byteOrderPutsAParentDirectlyBeforeItsChildren() throws {
        let texts = [
            "b", "a.b", "\\000.a.b", "\\001.a.b", "z.a.b", "a\\000.b", "a\\001.b", "a-.b", "aa.b",
        ]
        let keys = try texts.map { octets(try DomainName(text: $0)) }
        for (left, right) in zip(keys, keys.dropFirst()) {
            #expect(left.lexicographicallyPrecedes(right))
        }
        #expect(keys[1..<5].allSatisfy { $0.starts(with: keys[1]) })
        #expect(keys[5...].allSatisfy { !$0.starts(with: keys[1]) })
    }

    @Test func theLongestNamesFitAndComeBack() throws {
        let zeros = String(repeating: "\\000", count: 63)
        let short = String(repeating: "\\001", count: 61)
        for text in [
            "\(zeros).\(zeros).\(zeros).\(short)",
            Array(repeating: "a", count: 127).joined(separator: "."), "a", ".",
        ] {
            let name = try DomainName(text: text)
            let key = octets(name)
            var back = CanonicalName()
            #expect(IndexKey.read(key.span, into: &back))
            #expect(back.description == name.description)
        }
    }

    @Test(
        arguments: [[0], [0x61], [0x61, 0, 0], [1, 0], [0x61, 1, 219, 0], [0x21, 0], [1, 1]]
            as [[UInt8]])
    func octetsThatAreNoKeyAreRefused(octets: [UInt8]) {
        var name = CanonicalName()
        let isKey = IndexKey.read(octets.span, into: &name)
        #expect(!isKey)
        #expect(name.labelCount == 0)
    }
}
