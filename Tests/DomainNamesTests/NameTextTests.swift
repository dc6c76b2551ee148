import DomainNames
import Testing
import WireFixtures

/// Between text and wire (RFC 1035 §5.1).
@Suite struct NameTextTests {
    @Test func textBecomesLabels() throws {
        let cases: [(String, [UInt8])] = [
            (".", [0]), ("a", [1, 97, 0]), ("a.", [1, 97, 0]), ("a.bc", [1, 97, 2, 98, 99, 0]),
            ("A.", [1, 65, 0]), (#"a\.b"#, [3, 97, 46, 98, 0]), (#"\\"#, [1, 92, 0]),
            (#"\000\255"#, [2, 0, 255, 0]), (#"\046"#, [1, 46, 0]), (#"\."#, [1, 46, 0]),
            (#"a\ b"#, [3, 97, 32, 98, 0]), ("é", [2, 0xC3, 0xA9, 0]),
        ]
        for (text, wire) in cases { #expect(try DomainName(text: text).wire == wire, "\(text)") }
    }

    @Test func textThatIsNoNameSaysWhere() {
        let label63 = String(repeating: "a", count: 63)
        let cases: [(String, NameError)] = [
            ("", .empty), ("..", .emptyLabel(offset: 0)), (".a", .emptyLabel(offset: 0)),
            ("a..b", .emptyLabel(offset: 2)), ("a..", .emptyLabel(offset: 2)),
            (label63 + "a", .labelTooLong(offset: 0)),
            ("b." + label63 + "a", .labelTooLong(offset: 2)),
            (#"a\"#, .badEscape(offset: 1)), (#"a\1"#, .badEscape(offset: 1)),
            (#"a\12"#, .badEscape(offset: 1)), (#"\256"#, .badEscape(offset: 0)),
            (#"\1a2"#, .badEscape(offset: 0)),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") { try DomainName(text: text) }
        }
    }

    /// RFC 1035 §2.3.4: 255 octets with length octets and root, 63 in a label.
    @Test func theLimitsAreTakenToTheOctet() throws {
        let label63 = String(repeating: "a", count: 63)
        let three = [label63, label63, label63].joined(separator: ".")
        let longest = three + "." + String(repeating: "b", count: 61)
        #expect(try DomainName(text: longest).wire.count == 255)
        #expect(try DomainName(text: longest + ".").wire.count == 255)
        #expect(throws: NameError.nameTooLong) { try DomainName(text: longest + "b") }
        let labels127 = [String](repeating: "a", count: 127).joined(separator: ".")
        #expect(try DomainName(text: labels127).labelCount == 127)
        #expect(throws: NameError.nameTooLong) { try DomainName(text: labels127 + ".a") }
    }

    @Test func wireThatIsNoNameIsRefused() {
        let cases: [([UInt8], NameError)] = [
            ([], .malformedWire(offset: 0)), ([1], .malformedWire(offset: 0)),
            ([1, 97], .malformedWire(offset: 0)), ([0, 0], .malformedWire(offset: 1)),
            ([1, 97, 0, 5], .malformedWire(offset: 3)), ([64, 97], .labelTooLong(offset: 0)),
            ([1, 97, 0xC0, 0], .labelTooLong(offset: 2)),
            (
                [UInt8]((0..<4).flatMap { _ in [63] + [UInt8](repeating: 97, count: 63) }) + [0],
                .nameTooLong
            ),
        ]
        for (wire, error) in cases {
            #expect(throws: error, "\(wire)") { try DomainName(wire: wire.span) }
        }
    }

    @Test(arguments: 1..<30 as Range<UInt64>)
    func textAndWireAreEachOthersInverse(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let wire = random.wireName()
            let name = try DomainName(wire: wire.span)
            #expect(name.wire == wire, "seed \(seed)")
            let text = name.description
            #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "seed \(seed)")
            #expect(try DomainName(text: text).wire == wire, "seed \(seed): \(text)")
        }
    }

    /// Any text is a name or an error, never a trap.
    @Test(arguments: 1..<30 as Range<UInt64>)
    func randomTextDoesNotTrap(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var names = 0
        for _ in 0..<500 {
            let octets = (0..<random.number(0..<300)).map { _ in
                random.chance(60)
                    ? UInt8(random.number(97..<123)) : Array(#".\0129"#.utf8)[random.number(0..<6)]
            }
            guard let wire = try? NameText.wire(of: octets.span) else { continue }
            names += 1
            #expect((try? DomainName(wire: wire.span)) != nil, "seed \(seed)")
        }
        #expect(names > 0, "seed \(seed)")
    }
}
