import DomainNames
import Testing
import WireFixtures

/// The folded name of the query path, and the case that goes beside it.
@Suite struct CanonicalNameTests {
    private static func text(_ span: Span<UInt8>) -> String {
        var octets: [UInt8] = []
        for index in span.indices { octets.append(span[index]) }
        return String(decoding: octets, as: UTF8.self)
    }

    private static func octets(_ span: Span<UInt8>) -> [UInt8] {
        var octets: [UInt8] = []
        for index in span.indices { octets.append(span[index]) }
        return octets
    }

    @Test func eachSuffixIsThereAsTextAndAsWire() throws {
        let name = CanonicalName(try DomainName(text: "WWW.Shop.Example"))
        #expect(name.labelCount == 3 && name.wireCount == 18)
        let suffixes = ["www.shop.example", "shop.example", "example"]
        for (index, suffix) in suffixes.enumerated() {
            #expect(Self.text(name.text(fromLabel: index)) == suffix)
            #expect(Self.octets(name.wire(fromLabel: index)) == MessageDraft.wire(suffix))
            #expect(
                Self.text(name.label(index)) == suffix.split(separator: ".").first.map(String.init))
        }
        #expect(Self.octets(name.wire(fromLabel: 3)) == [0])
    }

    @Test func theRootHasNoLabelsAndNoText() {
        var name = CanonicalName()
        #expect(name.labelCount == 0 && name.wireCount == 1 && name.description == ".")
        #expect(Self.octets(name.wire) == [0] && Self.octets(name.wire(fromLabel: 0)) == [0])
        #expect(Self.octets(name.text(fromLabel: 0)).isEmpty)
        name.assignRoot()
        #expect(Self.octets(name.wire) == [0])
    }

    /// S07, RFC 4343 §3: A to Z and nothing else; C4 and E4 stay apart.
    @Test func onlyASCIILettersAreFolded() throws {
        for octet in UInt8.min...UInt8.max {
            let wire: [UInt8] = [1, octet, 0]
            let isUpper = (65...90).contains(octet)
            #expect(octet.asciiLowercased == (isUpper ? octet + 32 : octet))
            let name = CanonicalName(try DomainName(wire: wire.span))
            #expect(Self.octets(name.wire) == [1, isUpper ? octet + 32 : octet, 0])
        }
        #expect(try DomainName(text: #"\196"#) != DomainName(text: #"\228"#))
        #expect(try DomainName(text: "AbC.x") == DomainName(text: "aBc.X"))
    }

    /// S09, RFC 2181 §11: `text` is alike, the labels are not.
    @Test func aDotInsideALabelIsSeenInTheLabels() throws {
        let one = CanonicalName(try DomainName(text: #"a\.b.c"#))
        let two = CanonicalName(try DomainName(text: "a.b.c"))
        #expect(Self.text(one.text(fromLabel: 0)) == Self.text(two.text(fromLabel: 0)))
        #expect(one.labelCount == 2 && two.labelCount == 3)
        #expect(Self.octets(one.wire) != Self.octets(two.wire))
        #expect(Self.text(one.label(0)) == "a.b")
    }

    @Test func aRefillLeavesNothingOfTheNameBefore() throws {
        var name = CanonicalName(try DomainName(text: "a.very.long.name.example"))
        try name.assign(wire: MessageDraft.wire("b.c").span)
        #expect(name.description == "b.c" && name.labelCount == 2)
        #expect(Self.text(name.text(fromLabel: 0)) == "b.c")
        #expect(Self.text(name.text(fromLabel: 1)) == "c")
    }

    /// A label that does not fit leaves the name as it was.
    @Test func aLabelTooMuchChangesNothing() throws {
        let label63 = [UInt8](repeating: 97, count: 63)
        var name = CanonicalName()
        for _ in 0..<3 { try name.append(label: label63.span) }
        #expect(throws: NameError.nameTooLong) { try name.append(label: label63.span) }
        let label1: [UInt8] = [97]
        let label61 = [UInt8](repeating: 97, count: 61)
        #expect(name.labelCount == 3 && name.wireCount == 193)
        try name.append(label: label61.span)
        #expect(name.wireCount == 255)
        #expect(throws: NameError.nameTooLong) { try name.append(label: label1.span) }
        #expect(Self.octets(name.text(fromLabel: 0)).count == 253)
    }

    /// RFC 4343 §4.1: the case that was sent comes back.
    @Test(arguments: 1..<20 as Range<UInt64>)
    func caseComesBackOctetForOctet(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let wire = random.wireName()
            let spelling = NameCase(wire: wire.span)
            let canonical = CanonicalName(try DomainName(wire: wire.span))
            let front = random.octets(random.number(0..<30))
            var octets = front + Self.octets(canonical.wire)
            spelling.restore(in: &octets, at: front.count)
            #expect(octets == front + wire, "seed \(seed)")
        }
    }

    /// A message that ends early is no reason to write past it.
    @Test func restoringStopsAtTheEnd() {
        let wire: [UInt8] = [3, 65, 66, 67, 0]
        let spelling = NameCase(wire: wire.span)
        var octets: [UInt8] = [3, 97, 98]
        spelling.restore(in: &octets, at: 0)
        #expect(octets == [3, 65, 66])
    }

    @Test func namesKnowWhatTheyLieBelow() throws {
        let name = try DomainName(text: "a.b.Example")
        for above in ["a.b.example", "B.example", "example", "."] {
            #expect(name.isSubdomain(of: try DomainName(text: above)))
        }
        for other in ["b.a.example", "x.a.b.example", "xample", #"a.b\.example"#] {
            #expect(!name.isSubdomain(of: try DomainName(text: other)))
        }
        #expect(try name.parent == DomainName(text: "b.example"))
        #expect(DomainName.root.parent == nil && DomainName.root.isRoot)
        #expect(Set([name, name.lowercased]).count == 1)
    }
}
