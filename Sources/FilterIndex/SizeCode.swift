/// How sizes in bits are written: the bucket in a canonical Huffman code (Huffman, A method for the
/// construction of minimum-redundancy codes, 1952), then the bits that the bucket leaves open.
///
/// ```
/// bucket   sizes                                     bits that follow
/// 0–63     the bucket's number                       0
/// 64 …     four buckets a power of two 2ᵏ, k ≥ 6:     k − 2
///          64 + 4 (k − 6) + the two bits after the first
/// ```
package struct SizeCode: Sendable {
    /// Buckets: sizes up to 2¹³ − 1.
    package static let bucketCount = 92
    /// The longest codeword.
    package static let sizeLimit = 12
    /// The largest size that can be written.
    package static let valueLimit = (1 << 13) - 1

    /// Bucket × 16 + codeword size, by the next 12 bits; a size of 0 for bits that are no code.
    let table: [UInt16]

    /// The bucket of a size, and its bits that the bucket leaves open.
    package static func bucket(of value: Int) -> (bucket: Int, openBits: Int) {
        guard value >= 64 else { return (value, 0) }
        let power = Int.bitWidth - 1 - value.leadingZeroBitCount
        return (64 + (power - 6) * 4 + (value >> (power - 2)) & 3, power - 2)
    }

    /// Codewords by bucket, right-aligned, for sizes of codewords that make a code.
    /// - Returns: `nil` when they do not: more words than fit.
    package static func codewords(_ sizes: [UInt8]) -> [UInt16]? {
        var words = [UInt16](repeating: 0, count: sizes.count)
        var next = 0
        for size in 1...sizeLimit {
            next <<= 1
            for (bucket, own) in sizes.enumerated() where Int(own) == size {
                guard next < 1 << size else { return nil }
                words[bucket] = UInt16(next)
                next += 1
            }
        }
        return words
    }

    /// A code of these codeword sizes, 0 for a bucket that does not occur.
    package init?(_ sizes: [UInt8]) {
        guard sizes.count == SizeCode.bucketCount, sizes.allSatisfy({ $0 <= SizeCode.sizeLimit }),
            let words = SizeCode.codewords(sizes)
        else { return nil }
        var table = [UInt16](repeating: 0, count: 1 << SizeCode.sizeLimit)
        for (bucket, size) in sizes.enumerated() where size > 0 {
            let open = SizeCode.sizeLimit - Int(size)
            let first = Int(words[bucket]) << open
            for index in first..<(first + 1 << open) {
                table[index] = UInt16(bucket) << 4 | UInt16(size)
            }
        }
        self.table = table
    }

    /// The size that the first of these bits say, and how many bits say it.
    /// - Parameters:
    ///   - bits: left-aligned, at least 24 of them.
    ///   - table: of a code.
    /// - Returns: a count of 0 when the bits are no code.
    @inline(__always)
    static func read(_ bits: UInt64, by table: Span<UInt16>) -> (value: Int, bitCount: Int) {
        let entry = Int(table[Int(truncatingIfNeeded: bits >> 52)])
        let size = entry & 15
        let bucket = entry >> 4
        if bucket < 64 { return (bucket, size) }
        let open = (bucket - 64) >> 2 + 4
        let rest = Int(truncatingIfNeeded: (bits << UInt64(size)) >> UInt64(64 - open))
        return ((4 + (bucket - 64) & 3) << open | rest, size + open)
    }
}
