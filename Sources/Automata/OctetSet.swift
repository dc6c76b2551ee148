/// A set of octets: one bit for each of the 256.
package struct OctetSet: Hashable, Sendable {
    /// Bits 0–63 of the set; the other words hold the next 64 each.
    private var word0: UInt64 = 0
    private var word1: UInt64 = 0
    private var word2: UInt64 = 0
    private var word3: UInt64 = 0

    /// No octet.
    package init() {}

    /// One octet.
    package init(_ octet: UInt8) { insert(octet) }

    /// All octets from the first to the last, both included.
    package init(_ range: ClosedRange<UInt8>) { insert(range) }

    /// The octets of a text.
    package init(_ text: String) {
        for octet in text.utf8 { insert(octet) }
    }

    /// Every octet.
    package static let all = OctetSet(0...255)

    /// Whether no octet is in it.
    package var isEmpty: Bool { word0 | word1 | word2 | word3 == 0 }

    /// The number of octets.
    package var count: Int {
        word0.nonzeroBitCount + word1.nonzeroBitCount + word2.nonzeroBitCount
            + word3.nonzeroBitCount
    }

    /// The octet when there is just one.
    package var onlyOctet: UInt8? { count == 1 ? first : nil }

    /// The least octet.
    package var first: UInt8? {
        if word0 != 0 { return UInt8(word0.trailingZeroBitCount) }
        if word1 != 0 { return UInt8(64 + word1.trailingZeroBitCount) }
        if word2 != 0 { return UInt8(128 + word2.trailingZeroBitCount) }
        return word3 == 0 ? nil : UInt8(192 + word3.trailingZeroBitCount)
    }

    /// Whether an octet is in it.
    package func contains(_ octet: UInt8) -> Bool {
        let word =
            switch octet >> 6 {
            case 0: word0
            case 1: word1
            case 2: word2
            default: word3
            }
        return word >> UInt64(octet & 63) & 1 == 1
    }

    /// Adds an octet.
    package mutating func insert(_ octet: UInt8) {
        let bit = 1 << UInt64(octet & 63) as UInt64
        switch octet >> 6 {
        case 0: word0 |= bit
        case 1: word1 |= bit
        case 2: word2 |= bit
        default: word3 |= bit
        }
    }

    /// Adds all octets from the first to the last.
    package mutating func insert(_ range: ClosedRange<UInt8>) {
        for octet in range { insert(octet) }
    }

    /// Adds the octets of another set.
    package mutating func formUnion(_ other: OctetSet) {
        word0 |= other.word0
        word1 |= other.word1
        word2 |= other.word2
        word3 |= other.word3
    }

    /// The octets that are in both sets.
    package func intersection(_ other: OctetSet) -> OctetSet {
        var result = self
        result.word0 &= other.word0
        result.word1 &= other.word1
        result.word2 &= other.word2
        result.word3 &= other.word3
        return result
    }

    /// The octets that are not in it.
    package var complement: OctetSet {
        var result = OctetSet()
        result.word0 = ~word0
        result.word1 = ~word1
        result.word2 = ~word2
        result.word3 = ~word3
        return result
    }

    /// This set, and for each ASCII letter in it the letter of the other case.
    package var ignoringCase: OctetSet {
        var result = self
        for letter in UInt8(ascii: "a")...UInt8(ascii: "z") {
            if contains(letter) || contains(letter ^ 0x20) {
                result.insert(letter)
                result.insert(letter ^ 0x20)
            }
        }
        return result
    }
}
