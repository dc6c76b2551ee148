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

    /// Sets the bits of one text in an array whose bits start at octet `start`.
    /// - Complexity: O(octets + hashes).
    package static func insert(
        _ text: Span<UInt8>, parameters: Prefilter.Parameters, into image: inout [UInt8],
        at start: Int
    ) {
        let step = PrefilterHashes.murmur3(text, seed: parameters.seed)
        var position = PrefilterHashes.fnv(text, order: parameters.order)
        for _ in 0..<parameters.hashCount {
            let bit = Int(position % parameters.bitCount)
            image[start + bit >> 3] |= 1 << UInt8(bit & 7)
            position &+= step
        }
    }
}

/// The names of block kind of a policy, over all tables, each once.
struct BlockNames {
    /// Plain blocks.
    let block: NameTable
    /// Important plain blocks.
    let importantBlock: NameTable
    /// Names of conditional blocks.
    let conditional: NameTable

    /// Calls `body` with each key in ascending order.
    /// - Complexity: O(names).
    func forEach(_ body: (Span<UInt8>) -> Void) {
        var plainIndex = 0
        var importantIndex = 0
        var conditionalIndex = 0
        while true {
            let plain = key(plainIndex, of: block)
            let important = key(importantIndex, of: importantBlock)
            let other = key(conditionalIndex, of: conditional)
            guard let least = lesser(lesser(plain, important), other) else { return }
            if isEqual(plain, least) { plainIndex += 1 }
            if isEqual(important, least) { importantIndex += 1 }
            if isEqual(other, least) { conditionalIndex += 1 }
            body(least)
        }
    }

    @_lifetime(borrow table)
    private func key(_ index: Int, of table: borrowing NameTable) -> Span<UInt8>? {
        guard index < table.entries.count else { return nil }
        return table.keys.span.extracting(table.entries[index].range)
    }

    @_lifetime(copy left, copy right)
    private func lesser(_ left: Span<UInt8>?, _ right: Span<UInt8>?) -> Span<UInt8>? {
        guard let left else { return right }
        guard let right else { return left }
        return right.precedes(left) ? right : left
    }

    private func isEqual(_ key: Span<UInt8>?, _ other: Span<UInt8>) -> Bool {
        guard let key else { return false }
        return key.count == other.count && key.hasPrefix(other)
    }
}
