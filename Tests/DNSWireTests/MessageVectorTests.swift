import DNSWire
import DomainNames
import Testing

/// The vectors of `Tests/Vectors/dns`.
@Suite struct MessageVectorTests {
    @Test func vectorsReadAsTheySay() throws {
        for vector in try MessageVector.all() {
            if let mustFail = vector.mustFail {
                #expect(MessageWalk.failure(vector.octets) == mustFail, "\(vector)")
            } else {
                #expect(try MessageWalk.lines(vector.octets) == vector.expected, "\(vector)")
            }
        }
    }

    @Test func everyKindOfErrorHasAVector() throws {
        let kinds = Set(
            try MessageVector.all().compactMap { $0.mustFail?.split(separator: " ").first })
        #expect(
            kinds == [
                "truncated", "pointerNotBackward", "reservedLabelType", "nameTooLong",
                "tooManyRecords", "misplacedOPT",
            ])
    }

    /// Cut at each octet: an error or less, never a trap.
    @Test func vectorsCutAnywhereDoNotTrap() throws {
        for vector in try MessageVector.all() {
            for count in 0..<vector.octets.count {
                let failure = MessageWalk.failure(Array(vector.octets[..<count]))
                if count < Header.size {
                    #expect(failure == "truncated \(count)", "\(vector) cut at \(count)")
                }
            }
        }
    }

    /// Each octet of each vector with each of its bits turned.
    @Test func vectorsWithOneBitTurnedDoNotTrap() throws {
        var failures = 0
        for vector in try MessageVector.all() {
            var octets = vector.octets
            for index in octets.indices {
                for bit in 0..<8 as Range<UInt8> {
                    octets[index] ^= 1 << bit
                    if MessageWalk.failure(octets) != nil { failures += 1 }
                    octets[index] ^= 1 << bit
                }
            }
        }
        #expect(failures > 1000)
    }
}
