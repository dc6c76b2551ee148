/// A generator whose numbers follow from its seed (SplitMix64), so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    /// What it began with, for failure texts.
    package let seed: UInt64
    private var state: UInt64

    /// A generator that repeats all that this seed gave before.
    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number of the range.
    package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// `true` in `percent` of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    /// Random octets.
    package mutating func octets(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// A wire name of any octets, at most 255 octets long.
    package mutating func wireName() -> [UInt8] {
        var wire: [UInt8] = []
        for _ in 0..<number(0..<8) {
            let size = chance(5) ? 63 : number(1..<12)
            guard wire.count + size + 2 <= 255 else { break }
            wire.append(UInt8(size))
            for _ in 0..<size {
                wire.append(
                    chance(90)
                        ? UInt8(ascii: "a") + UInt8(number(0..<26)) - (chance(20) ? 32 : 0)
                        : UInt8(number(0..<256)))
            }
        }
        return wire + [0]
    }
}
