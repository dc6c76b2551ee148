import Quantities
import Testing
import WireFixtures

@testable import Configuration

@Suite struct AddressPrefixTableTests {
    /// The table equals a scan over all prefixes for the longest.
    @Test func tableEqualsNaiveScan() {
        var random = SeededGenerator(seed: 99)
        for round in 0..<60 {
            // Few distinct octets, so that prefixes cover each other and addresses hit.
            let entries = (0..<80).map { index in
                let address = randomAddress(&random)
                let bits = Int.random(in: 0...address.bitCount, using: &random)
                return (prefix: AddressPrefix(address, bits: bits), value: index)
            }
            let table = AddressPrefixTable(entries)
            var hits = 0
            for _ in 0..<400 {
                let address = randomAddress(&random)
                var best: (bits: Int, value: Int)?
                for entry in entries where entry.prefix.contains(address) {
                    if entry.prefix.bits > best?.bits ?? -1 {
                        best = (entry.prefix.bits, entry.value)
                    }
                }
                #expect(table.longestMatch(address) == best?.value, "seed 99, round \(round)")
                if best != nil { hits += 1 }
            }
            #expect(hits > 0)
        }
    }

    @Test func tableTakesAMappedAddressAsIPv4() throws {
        let table = AddressPrefixTable([(prefix: try AddressPrefix(text: "10.0.0.0/8"), value: 3)])
        #expect(table.longestMatch(try #require(IPAddress(text: "::ffff:10.1.2.3"))) == 3)
        #expect(AddressPrefixTable([]).longestMatch(try #require(IPAddress(text: "::"))) == nil)
    }

    private func randomAddress(_ random: inout SeededGenerator) -> IPAddress {
        let count = Bool.random(using: &random) ? 4 : 16
        let octets = (0..<count).map { _ in
            UInt8([0, 1, 128, 255].randomElement(using: &random) ?? 0)
        }
        return IPAddress(octetCount: count) { octets[$0] }
    }
}
