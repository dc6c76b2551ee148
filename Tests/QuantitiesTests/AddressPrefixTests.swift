import Quantities
import Testing

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

    @Test(arguments: [
        ("::ffff:10.1.0.0/112", "10.1.0.0/16"), ("::ffff:10.1.2.3", "10.1.2.3"),
        ("::ffff:0.0.0.0/96", "0.0.0.0/0"), ("::fffe:0.0.0.0/95", "::fffe:0:0/95"),
        ("10.0.0.0/8", "10.0.0.0/8"), ("::/0", "::/0"),
    ])
    func aMappedPrefixIsAnIPv4One(text: String, unmapped: String) throws {
        #expect(try AddressPrefix(text: text).unmapped.description == unmapped)
    }
}
