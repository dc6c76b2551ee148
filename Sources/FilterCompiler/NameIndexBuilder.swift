import DomainNames
import FilterIndex

/// Writes the section that `NameIndex` reads: the third pass over the names.
///
/// ```
/// header · heads · offsets of blocks · scopes · stream
///          ^ patched in                        ^ appended
/// ```
/// All sizes but that of the stream are known beforehand: the parts before it are left open and
/// written over piece by piece, so that beside the output only these pieces are in memory.
struct NameIndexBuilder {
    private let code: NameCode
    private let sharedWords: SizeCodeWriter
    private let tailWords: SizeCodeWriter
    private let scopes: [NameScope]
    private let scopeBits: Int
    private var rank = 0
    private var names = CodedPair()
    private var heads: OutputPatch
    private var offsets: OutputPatch
    private var packedScopes: OutputPatch
    /// Scopes that do not fill an octet yet.
    private var openScopes: UInt8 = 0
    private var writer = BitWriter()

    /// Starts a section at the end of `output`.
    init(
        _ measure: NameIndexMeasure, code: NameCode, sizes: EntrySizeCounts,
        to output: inout SnapshotOutput
    ) throws(CompilationError) {
        let scopes = measure.scopes
        let scopeBits = [0, 0, 1, 2][scopes.count]
        let count = measure.entryCount
        let blocks = (count + NameIndex.blockEntries - 1) / NameIndex.blockEntries
        let start = output.size + NameIndex.Shape.headsOffset
        output.octets.append(littleEndian: UInt32(count))
        output.octets.append(littleEndian: UInt32(blocks))
        output.octets.append(UInt8(scopeBits))
        for number in 0..<3 {
            output.octets.append(number < scopes.count ? scopes[number].rawValue : 0)
        }
        output.octets.append(littleEndian: 0 as UInt32)
        try output.appendHole(12 * blocks + (count * scopeBits + 7) / 8)
        self.code = code
        self.scopes = scopes
        self.scopeBits = scopeBits
        sharedWords = SizeCodeWriter(frequencies: sizes.shared)
        tailWords = SizeCodeWriter(frequencies: sizes.tails)
        heads = OutputPatch(at: start)
        offsets = OutputPatch(at: start + 8 * blocks)
        packedScopes = OutputPatch(at: start + 12 * blocks)
    }

    /// Writes the next name, keys ascending.
    /// - Throws: `.tooMuchText` when the stream outgrows the 32-bit offsets of its blocks; those of
    ///   the output.
    mutating func add(
        _ key: Span<UInt8>, _ scope: NameScope, to output: inout SnapshotOutput
    ) throws(CompilationError) {
        names.assign(key, code: code)
        if rank % NameIndex.blockEntries == 0 {
            guard writer.bitCount <= Int(UInt32.max) else { throw .tooMuchText }
            offsets.octets.append(littleEndian: UInt32(writer.bitCount))
            heads.octets.append(littleEndian: names.bits[0])
            try offsets.writeWhenFull(to: &output)
            try heads.writeWhenFull(to: &output)
            tailWords.write(names.size, to: &writer, &output.octets)
            writer.append(names.bits, from: 64, to: names.size, in: &output.octets)
        } else {
            let shared = names.shared
            sharedWords.write(shared, to: &writer, &output.octets)
            tailWords.write(names.size - shared - 1, to: &writer, &output.octets)
            writer.append(names.bits, from: shared + 1, to: names.size, in: &output.octets)
        }
        try output.flushWhenFull()
        if scopeBits > 0 { try add(scope, to: &output) }
        rank += 1
    }

    private mutating func add(
        _ scope: NameScope, to output: inout SnapshotOutput
    ) throws(CompilationError) {
        let number = scopes.firstIndex(of: scope) ?? 0
        let shift = rank * scopeBits & 7
        openScopes |= UInt8(number << shift)
        guard shift + scopeBits == 8 else { return }
        packedScopes.octets.append(openScopes)
        openScopes = 0
        try packedScopes.writeWhenFull(to: &output)
    }

    /// Writes the last bits and what is left of the other parts.
    mutating func finish(_ output: inout SnapshotOutput) throws(CompilationError) {
        writer.finish(&output.octets)
        if rank * scopeBits & 7 != 0 { packedScopes.octets.append(openScopes) }
        try heads.write(to: &output)
        try offsets.write(to: &output)
        try packedScopes.write(to: &output)
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
        _ words: [UInt64], from start: Int, to end: Int, in image: inout [UInt8]
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
