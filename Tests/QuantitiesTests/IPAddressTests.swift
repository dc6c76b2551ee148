import Foundation
import Quantities
import Testing
import WireFixtures

@Suite struct IPAddressTests {
    /// RFC 5952 §4 and §5: the one text of each address, and other texts of it (RFC 4291 §2.2).
    @Test(arguments: [
        ("0:0:0:0:0:0:0:0", "::"),
        ("::1", "::1"),
        ("2001:0DB8:0000:0000:0000:0000:0000:0001", "2001:db8::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("fe80::", "fe80::"),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("192.0.2.1", "192.0.2.1"),
        ("0.0.0.0", "0.0.0.0"),
        ("255.255.255.255", "255.255.255.255"),
    ])
    func textIsCanonical(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text: text))
        #expect(address.description == canonical)
        #expect(IPAddress(text: canonical) == address)
    }

    /// RFC 4291 §2.2: what is no address is refused whole.
    @Test(arguments: [
        "", ":", ":::", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "1..2.3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1%eth0", "[::1]",
        "1:2:3:4:5:6:7:8::", "::1.2.3", "1.2.3.4::", "::1:", ":1::2", "1:2:3:4:5:6:7:1.2.3.4",
        "٣.1.1.1", "+1.2.3.4", "1:2:3:4:5:6:7:",
    ])
    func badTextIsRefused(text: String) {
        #expect(IPAddress(text: text) == nil)
    }

    /// The C library agrees on every text, most of them damaged ones.
    @Test func agreesWithTheSystemsParser() throws {
        var random = SeededGenerator(seed: 0x5A17)
        let seeds = [
            "2001:db8::1", "::ffff:192.0.2.1", "1:2:3:4:5:6:7:8", "192.168.10.254", "::",
            "fe80::1:2", "1:2:3:4:5:6:192.0.2.1",
        ]
        let alphabet = Array("0123456789abcdefF:.g")
        var accepted = 0
        for round in 0..<40_000 {
            var text = Array(seeds[round % seeds.count])
            for _ in 0..<Int.random(in: 0...3, using: &random) where !text.isEmpty {
                let index = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text.remove(at: index)
                case 1: text[index] = alphabet.randomElement(using: &random) ?? "0"
                default: text.insert(alphabet.randomElement(using: &random) ?? "0", at: index)
                }
            }
            let candidate = String(text)
            let ours = IPAddress(text: candidate)?.octets
            #expect(ours == systemOctets(candidate), "\(candidate), round \(round)")
            if ours != nil { accepted += 1 }
        }
        #expect(accepted > 5000)
    }

    private func systemOctets(_ text: String) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &octets) == 1 { return Array(octets[..<4]) }
        return unsafe inet_pton(AF_INET6, text, &octets) == 1 ? octets : nil
    }

    @Test func textOfAnyAddressParsesToIt() {
        var random = SeededGenerator(seed: 7)
        for round in 0..<20_000 {
            var octets = (0..<(round % 3 == 0 ? 4 : 16)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            for index in octets.indices where Bool.random(using: &random) { octets[index] = 0 }
            let address = IPAddress(octetCount: octets.count) { octets[$0] }
            #expect(address.octets == octets)
            #expect(IPAddress(text: address.description) == address, "\(octets)")
        }
    }

    /// RFC 4291 §2.5.5.2
    @Test func mappedAddressCountsAsIPv4() throws {
        let mapped = try #require(IPAddress(text: "::ffff:10.1.2.3"))
        #expect(mapped.unmapped == IPAddress(text: "10.1.2.3"))
        let plain = try #require(IPAddress(text: "::fffe:10.1.2.3"))
        #expect(plain.unmapped == plain)
    }
}
