import Quantities
import Testing
import WireFixtures

@testable import Configuration

@Suite struct AddressPrefixTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
        ("::/0", "203.0.113.9", false), ("::/0", "2001:db8::1", true),
        ("2001:db8::/65", "2001:db8:0:0:7fff::1", true),
        ("2001:db8::/65", "2001:db8:0:0:8000::1", false),
        ("2001:db8::/64", "2001:db8::ffff:0:0:1", true),
        ("192.168.1.40", "192.168.1.40", true), ("192.168.1.40", "192.168.1.41", false),
        ("::1", "::1", true), ("::1", "::2", false),
    ])
    func prefixContainsItsAddresses(prefix: String, address: String, isInside: Bool) throws {
        let parsed = try AddressPrefix(text: prefix)
        #expect(parsed.contains(try #require(IPAddress(text: address))) == isInside)
        #expect(parsed.description == prefix)
    }

    @Test(arguments: [
        "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/+8", "/8", "x",
    ])
    func badPrefixIsRefused(text: String) {
        #expect(throws: AddressPrefix.TextError.malformed) { try AddressPrefix(text: text) }
    }

    @Test func bitsPastThePrefixNameWhatWasMeant() throws {
        let meant = try AddressPrefix(text: "192.168.1.0/24")
        #expect(throws: AddressPrefix.TextError.bitsPastPrefix(meant)) {
            try AddressPrefix(text: "192.168.1.40/24")
        }
    }

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
