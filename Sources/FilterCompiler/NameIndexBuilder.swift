import DomainNames
import FilterIndex

/// Writes the section that `NameIndex` reads: the third pass over the names.
///
/// Header and directory are written first, with zeros for what the stream will say; `finish` puts
/// that in. Beside the output it holds 12 octets a block and the scopes, two bits a name at most.
struct NameIndexBuilder {
    private let start: Int
    private let code: NameCode
    private let sharedWords: SizeCodeWriter
    private let tailWords: SizeCodeWriter
    private let scopes: [NameScope]
    private let scopeBits: Int
    private var rank = 0
    private var names = CodedPair()
    private var heads: [UInt64] = []
    private var offsets: [UInt32] = []
    private var packedScopes: [UInt8]
    private var writer = BitWriter()

    /// Starts a section at the end of `image`.
    init(
        _ measure: NameIndexMeasure, code: NameCode, sizes: EntrySizeCounts,
        to image: inout [UInt8]
    ) {
        start = image.count
        self.code = code
        sharedWords = SizeCodeWriter(frequencies: sizes.shared)
        tailWords = SizeCodeWriter(frequencies: sizes.tails)
        scopes = measure.scopes
        scopeBits = [0, 0, 1, 2][scopes.count]
        let count = measure.entryCount
        let blocks = (count + NameIndex.blockEntries - 1) / NameIndex.blockEntries
        packedScopes = [UInt8](repeating: 0, count: (count * scopeBits + 7) / 8)
        image.append(littleEndian: UInt32(count))
        image.append(littleEndian: UInt32(blocks))
        image.append(UInt8(scopeBits))
        for number in 0..<3 {
            image.append(number < scopes.count ? scopes[number].rawValue : 0)
        }
        image.append(littleEndian: 0 as UInt32)
        image.append(contentsOf: repeatElement(0, count: 12 * blocks + packedScopes.count))
    }

    /// Writes the next name, keys ascending.
    /// - Returns: `false` when the stream outgrows the 32-bit offsets of its blocks.
    mutating func add(_ key: Span<UInt8>, _ scope: NameScope, to image: inout [UInt8]) -> Bool {
        names.assign(key, code: code)
        if rank % NameIndex.blockEntries == 0 {
            guard writer.bitCount <= Int(UInt32.max) else { return false }
            offsets.append(UInt32(writer.bitCount))
            heads.append(names.name.bits[0])
            tailWords.write(names.size, to: &writer, &image)
            writer.append(names.name.bits, from: 64, to: names.size, in: &image)
        } else {
            let shared = names.shared
            sharedWords.write(shared, to: &writer, &image)
            tailWords.write(names.size - shared - 1, to: &writer, &image)
            writer.append(names.name.bits, from: shared + 1, to: names.size, in: &image)
        }
        if scopeBits > 0 {
            let number = scopes.firstIndex(of: scope) ?? 0
            let bit = rank * scopeBits
            packedScopes[bit / 8] |= UInt8(number << (bit & 7))
        }
        rank += 1
        return true
    }

    /// Writes the last bits and puts in the directory and the scopes.
    mutating func finish(_ image: inout [UInt8]) {
        writer.finish(&image)
        var offset = start + NameIndex.Shape.headsOffset
        for head in heads {
            image.set(head, at: offset)
            offset += 8
        }
        for block in offsets {
            image.set(block, at: offset)
            offset += 4
        }
        for octet in packedScopes {
            image[offset] = octet
            offset += 1
        }
    }
}

/// Writes sizes in the code that `SizeCode` reads.
struct SizeCodeWriter {
    private let sizes: [UInt8]
    private let words: [UInt16]

    /// The code for buckets of these frequencies.
    init(frequencies: [UInt64]) {
        sizes = HuffmanSizes.sizes(frequencies: frequencies, limit: SizeCode.sizeLimit)
        guard let words = SizeCode.codewords(sizes) else {
            preconditionFailure("Huffman's sizes make a code")
        }
        self.words = words
    }

    /// Writes one size, of a bucket that was counted.
    func write(_ value: Int, to writer: inout BitWriter, _ image: inout [UInt8]) {
        let (bucket, open) = SizeCode.bucket(of: value)
        writer.append(UInt64(words[bucket]), count: Int(sizes[bucket]), to: &image)
        if open > 0 {
            writer.append(UInt64(value & (1 << open - 1)), count: open, to: &image)
        }
    }
}

/// Appends bits to octets, most significant first.
struct BitWriter {
    /// Bits appended.
    private(set) var bitCount = 0
    private var word: UInt64 = 0
    private var filled = 0

    /// Nothing written.
    init() {}

    /// Appends the low `count` bits of `value`, at most 56.
    mutating func append(_ value: UInt64, count: Int, to image: inout [UInt8]) {
        word = word << UInt64(count) | value
        filled += count
        bitCount += count
        while filled >= 8 {
            filled -= 8
            image.append(UInt8(truncatingIfNeeded: word >> UInt64(filled)))
        }
    }

    /// Appends the bits `from` to `end` of words, most significant first; none when there are none.
    mutating func append(
        _ words: Span<UInt64>, from start: Int, to end: Int, in image: inout [UInt8]
    ) {
        var position = start
        while position < end {
            let count = min(48, end - position)
            let index = position >> 6
            let shift = UInt64(position & 63)
            let next = index + 1 < words.count ? words[index + 1] : 0
            let bits = words[index] << shift | next >> (64 - shift)
            append(bits >> UInt64(64 - count), count: count, to: &image)
            position += count
        }
    }

    /// Fills the last octet with zeros.
    mutating func finish(_ image: inout [UInt8]) {
        if filled > 0 { append(0, count: 8 - filled, to: &image) }
    }
}

extension Array where Element == UInt8 {
    /// Writes a little-endian 32-bit number over what stands at `offset`.
    mutating func set(_ value: UInt32, at offset: Int) {
        for index in 0..<4 {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index)))
        }
    }

    /// Writes a little-endian 64-bit number over what stands at `offset`.
    mutating func set(_ value: UInt64, at offset: Int) {
        for index in 0..<8 {
            self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
        }
    }
}
