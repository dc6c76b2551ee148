/// The Bloom filter that decides almost every query: no bit pattern, no rule of block kind.
///
/// ```
/// 0   4  format, 1                                              u32, little-endian
/// 4   1  order of the FNV steps: 0 multiply first, 1 xor first
/// 5   1  flags: 1 no names · 2 a name of one label · 4 the root
/// 6   2  zero
/// 8   4  names                                                  u32
/// 12  4  bits, m                                                u32
/// 16  4  hashes, k                                              u32
/// 20  4  seed of MurmurHash3                                    u32
/// 24  8  false-positive rate asked for                          IEEE 754 binary64
/// 32     ⌈m / 8⌉ octets: bit j is bit j mod 8, from the least significant, of octet j / 8
/// ```
/// A name, as text in lower case without a final dot, sets bits (h1 + i·h2) mod m for i in 0..<k,
/// the sum in 32 bits with wrap-around, h1 by FNV and h2 by MurmurHash3: the very bits that a
/// NEURLFilterPrefilter takes.
package struct Prefilter: ~Escapable {
    /// What the section says of itself, checked once when the file is opened.
    package struct Parameters: Equatable, Sendable {
        /// Version of the section's layout.
        package static let format: UInt32 = 1
        /// Octets before the bits.
        package static let headerSize = 32

        /// Order of the FNV steps.
        package let order: PrefilterHashes.FNVOrder
        /// No names at all: nothing is ever blocked.
        package let isEmpty: Bool
        /// There are rules on names of one label, so that such suffixes are probed as well.
        package let hasOneLabelNames: Bool
        /// There is a rule on the root, so that every name is a candidate.
        package let hasRoot: Bool
        /// Names inserted.
        package let nameCount: UInt32
        /// Bits, m.
        package let bitCount: UInt32
        /// Hashes, k.
        package let hashCount: UInt32
        /// Seed of MurmurHash3.
        package var seed: UInt32
        /// The false-positive rate that sized the filter.
        package let falsePositiveRate: Double

        /// Parameters of a new filter.
        package init(
            order: PrefilterHashes.FNVOrder, isEmpty: Bool, hasOneLabelNames: Bool, hasRoot: Bool,
            nameCount: UInt32, bitCount: UInt32, hashCount: UInt32, seed: UInt32,
            falsePositiveRate: Double
        ) {
            self.order = order
            self.isEmpty = isEmpty
            self.hasOneLabelNames = hasOneLabelNames
            self.hasRoot = hasRoot
            self.nameCount = nameCount
            self.bitCount = bitCount
            self.hashCount = hashCount
            self.seed = seed
            self.falsePositiveRate = falsePositiveRate
        }

        /// The parameters of a section; `nil` when it is not of this layout and size.
        package init?(_ section: Span<UInt8>) {
            guard section.littleEndian32(at: 0) == Parameters.format, section.count >= 8,
                let order = PrefilterHashes.FNVOrder(rawValue: section[4]), section[5] < 8,
                section.littleEndian16(at: 6) == 0,
                let names = section.littleEndian32(at: 8),
                let bits = section.littleEndian32(at: 12),
                let hashes = section.littleEndian32(at: 16), hashes <= 64,
                let seed = section.littleEndian32(at: 20),
                let rate = section.littleEndian64(at: 24)
            else { return nil }
            self.init(
                order: order, isEmpty: section[5] & 1 != 0, hasOneLabelNames: section[5] & 2 != 0,
                hasRoot: section[5] & 4 != 0, nameCount: names, bitCount: bits, hashCount: hashes,
                seed: seed, falsePositiveRate: Double(bitPattern: rate))
            guard section.count == Parameters.headerSize + (Int(bits) + 7) / 8 else { return nil }
            guard (names == 0) == (bits == 0) else { return nil }
        }

        /// The header of the section.
        package func appendHeader(to octets: inout [UInt8]) {
            octets.append(littleEndian: Parameters.format)
            octets.append(order.rawValue)
            octets.append((isEmpty ? 1 : 0) | (hasOneLabelNames ? 2 : 0) | (hasRoot ? 4 : 0))
            octets.append(littleEndian: 0 as UInt16)
            for number in [nameCount, bitCount, hashCount, seed] {
                octets.append(littleEndian: number)
            }
            octets.append(littleEndian: falsePositiveRate.bitPattern)
        }
    }

    private let bits: Span<UInt8>
    private let parameters: Parameters

    /// A view of a section whose parameters are known.
    @_lifetime(copy section)
    package init(_ section: Span<UInt8>, parameters: Parameters) {
        let header = min(Parameters.headerSize, section.count)
        bits = section.extracting(header..<section.count)
        self.parameters = parameters
    }

    /// Whether a rule of block kind may be on the name or above it: `false` is certain.
    /// - Parameters:
    ///   - wire: the wire form of the name in lower case: where its labels start.
    ///   - text: the same with dots between labels, as `CanonicalName` holds both.
    /// - Complexity: O(octets × labels); no allocation. Two probes of bits for most suffixes.
    package func mightMatch(wire: Span<UInt8>, text: Span<UInt8>) -> Bool {
        if parameters.isEmpty { return false }
        if parameters.hasRoot { return true }
        var start = 0
        while wire[start] != 0 {
            let next = start + 1 + Int(wire[start])
            if wire[next] == 0 && !parameters.hasOneLabelNames { return false }
            if mightHold(text.extracting(start..<text.count)) { return true }
            start = next
        }
        return false
    }

    /// Whether `text` may have been inserted: `false` is certain.
    package func mightHold(_ text: Span<UInt8>) -> Bool {
        guard parameters.bitCount > 0 else { return false }
        let step = PrefilterHashes.murmur3(text, seed: parameters.seed)
        var position = PrefilterHashes.fnv(text, order: parameters.order)
        var left = parameters.hashCount
        while left > 0 {
            let bit = Int(position % parameters.bitCount)
            guard bit >> 3 < bits.count, bits[bit >> 3] & (1 << UInt8(bit & 7)) != 0 else {
                return false
            }
            position &+= step
            left -= 1
        }
        return true
    }
}
