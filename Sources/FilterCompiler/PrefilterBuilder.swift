import DomainNames
import FilterIndex

/// How a prefilter is to be made.
package struct PrefilterOptions: Sendable {
    /// The rate of false positives for one probed suffix.
    package var falsePositiveRate: Double
    /// The seed of MurmurHash3; `nil` takes the first four octets of the snapshot id.
    package var seed: UInt32?
    /// The order of the FNV steps.
    package var order: PrefilterHashes.FNVOrder

    /// Options with the defaults: one in a thousand, seed by the id, the vendor's sample order.
    package init(
        falsePositiveRate: Double = 0.001, seed: UInt32? = nil,
        order: PrefilterHashes.FNVOrder = .multiplyFirst
    ) {
        self.falsePositiveRate = falsePositiveRate
        self.seed = seed
        self.order = order
    }
}

/// Sizes and fills the bits that `Prefilter` probes.
package struct PrefilterBuilder {
    /// Bits of a filter, m = ⌈−n ln p / ln²2⌉, and hashes, k = ⌈(m / n) ln 2⌉.
    /// - Returns: `nil` when the bits outgrow the 32-bit hashes: 298 million names at p = 0.001.
    package static func size(
        names: Int, falsePositiveRate: Double
    ) -> (bitCount: UInt32, hashCount: UInt32)? {
        guard names > 0 else { return (0, 0) }
        let ln2 = NaturalLogarithm.ofTwo
        let logarithm = NaturalLogarithm.of(falsePositiveRate)
        let bits = roundedUp(-Double(names) * logarithm / (ln2 * ln2))
        guard bits <= Int(UInt32.max) else { return nil }
        let hashes = roundedUp(Double(bits) / Double(names) * ln2)
        return (UInt32(bits), UInt32(hashes))
    }

    /// ⌈x⌉ of a positive number below 2⁵³; `Double.rounded` would need libm.
    private static func roundedUp(_ x: Double) -> Int {
        let whole = Int(x)
        return Double(whole) < x ? whole + 1 : whole
    }

    /// Sets those bits of one text that lie in a window of the filter.
    /// - Parameters:
    ///   - window: some octets of the bits.
    ///   - first: the number of its first octet.
    /// - Complexity: O(octets + hashes).
    package static func insert(
        _ text: Span<UInt8>, parameters: Prefilter.Parameters, into window: inout [UInt8],
        from first: Int = 0
    ) {
        var window = window.mutableSpan
        let step = PrefilterHashes.murmur3(text, seed: parameters.seed)
        var position = PrefilterHashes.fnv(text, order: parameters.order)
        for _ in 0..<parameters.hashCount {
            let bit = Int(position % parameters.bitCount)
            let octet = bit >> 3 - first
            if octet >= 0, octet < window.count { window[octet] |= 1 << UInt8(bit & 7) }
            position &+= step
        }
    }
}
