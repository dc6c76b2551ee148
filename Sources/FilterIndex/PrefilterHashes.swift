/// The two 32-bit hashes of the prefilter, as the NEURLFilter format takes them.
public enum PrefilterHashes {
    /// The order of the two steps of FNV.
    @frozen
    public enum FNVOrder: UInt8, Sendable {
        /// Multiply, then exclusive or: FNV-1, what the vendor's sample filter holds.
        case multiplyFirst = 0
        /// Exclusive or, then multiply: FNV-1a, what the vendor's text says.
        case xorFirst = 1
    }

    /// Fowler–Noll–Vo, 32 bits: offset basis 0x811C9DC5, prime 0x01000193.
    /// - Complexity: O(octets).
    @inlinable
    public static func fnv(_ octets: Span<UInt8>, order: FNVOrder) -> UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        var index = 0
        switch order {
        case .multiplyFirst:
            while index < octets.count {
                hash = (hash &* 0x0100_0193) ^ UInt32(octets[index])
                index += 1
            }
        case .xorFirst:
            while index < octets.count {
                hash = (hash ^ UInt32(octets[index])) &* 0x0100_0193
                index += 1
            }
        }
        return hash
    }

    /// MurmurHash3 x86_32.
    /// - Complexity: O(octets).
    @inlinable
    public static func murmur3(_ octets: Span<UInt8>, seed: UInt32) -> UInt32 {
        var hash = seed
        var offset = 0
        while offset + 4 <= octets.count {
            let low = UInt32(octets[offset]) | UInt32(octets[offset + 1]) << 8
            let high = UInt32(octets[offset + 2]) << 16 | UInt32(octets[offset + 3]) << 24
            hash ^= scramble(low | high)
            hash = rotate(hash, by: 13) &* 5 &+ 0xE654_6B64
            offset += 4
        }
        var rest: UInt32 = 0
        var shift: UInt32 = 0
        while offset < octets.count {
            rest |= UInt32(octets[offset]) << shift
            shift += 8
            offset += 1
        }
        hash ^= scramble(rest)
        hash ^= UInt32(truncatingIfNeeded: octets.count)
        hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
        return hash ^ (hash >> 16)
    }

    /// What MurmurHash3 does to each word of four octets before it joins the hash.
    @inlinable
    static func scramble(_ word: UInt32) -> UInt32 {
        rotate(word &* 0xCC9E_2D51, by: 15) &* 0x1B87_3593
    }

    /// The word rotated left.
    @inlinable
    static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word &<< count | word &>> (32 &- count)
    }
}
