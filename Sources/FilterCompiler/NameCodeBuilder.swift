import FilterIndex

/// Counts the symbols of all names of a snapshot and chooses the codes that make them shortest.
///
/// Counted is what the index stores: of each name the symbols from the first one that differs from
/// the name before, all of them for the first name of a block.
struct NameCodeBuilder {
    /// Frequency of each symbol after each two symbols: context × 40 + symbol.
    private var counts = [UInt64](
        repeating: 0, count: NameCode.contextCount * NameSymbol.count)

    /// Whether a symbol was counted after two symbols.
    private var isUsed = [Bool](repeating: false, count: NameCode.contextCount)

    /// Nothing counted.
    init() {}

    /// Counts one name.
    /// - Parameter shared: octets that its key shares with the one before in the same index; 0 for
    ///   the first of a block.
    mutating func count(_ key: Span<UInt8>, shared: Int) {
        NameCodeBuilder.count(key, shared: shared, in: &counts, &isUsed)
    }

    private static func count(
        _ key: Span<UInt8>, shared: Int, in counts: inout [UInt64], _ isUsed: inout [Bool]
    ) {
        var context = 0
        var before = NameSymbol.boundary
        if shared == 0 {
            counts[NameSymbol.boundary] += 1
            isUsed[0] = true
        }
        var index = 0
        while index < key.count {
            let octet = key[index]
            let symbol = octet == 0 ? NameSymbol.boundary : NameSymbol.of(octet)
            index += symbol == NameSymbol.escape ? 2 : 1
            if index > shared {
                counts[context * NameSymbol.count + symbol] += 1
                isUsed[context] = true
            }
            context = before * NameSymbol.count + symbol
            before = symbol
        }
    }

    /// The code that writes what was counted in the fewest bits, its own tables included.
    /// - Complexity: O(contexts used × symbols²).
    func code() -> NameCodeChoice {
        var best = choice(order: 0, limit: .max)
        for order in 1...2 {
            let choice = choice(order: order, limit: best.bitCount)
            if choice.bitCount < best.bitCount { best = choice }
        }
        return best
    }

    /// The code of an order; without contexts as soon as its tables alone reach `limit` bits.
    private func choice(order: Int, limit: UInt64) -> NameCodeChoice {
        let symbols = NameSymbol.count
        let contexts = NameCode.contexts(ofOrder: order)
        var sums = [Int: [UInt64]]()
        for context in usedContexts {
            let own = counts[(context * symbols)..<((context + 1) * symbols)]
            guard let sum = sums[context % contexts] else {
                sums[context % contexts] = Array(own)
                continue
            }
            sums[context % contexts] = zip(sum, own).map { $0 + $1 }
        }
        var bitCount = UInt64(sums.count * symbols * 4)
        var codes: [NameCodeChoice.Context] = []
        guard bitCount < limit else {
            return NameCodeChoice(order: order, contexts: codes, bitCount: .max)
        }
        var builder = AlphabeticCodeBuilder()
        for (context, own) in sums.sorted(by: { $0.key < $1.key }) {
            let sizes = builder.sizes(frequencies: own[...])
            for (count, size) in zip(own, sizes) { bitCount += count * UInt64(size) }
            codes.append(.init(number: context, sizes: sizes))
        }
        return NameCodeChoice(order: order, contexts: codes, bitCount: bitCount)
    }

    /// The contexts of order 2 in which a symbol was counted, ascending.
    private var usedContexts: [Int] { isUsed.indices.filter { isUsed[$0] } }
}

/// A code that was chosen, before the sizes of entries are known.
struct NameCodeChoice {
    /// Symbols that make a context.
    let order: Int
    /// The contexts that have a code of their own.
    let contexts: [Context]
    /// What it costs to write the symbols counted.
    let bitCount: UInt64

    /// The code of one context.
    struct Context {
        /// Its number.
        let number: Int
        /// Sizes of the codewords.
        let sizes: [UInt8]
    }

    /// The section that `NameCode` reads, with codes for the sizes counted.
    func section(_ sizes: EntrySizeCounts) -> [UInt8] {
        var section: [UInt8] = [UInt8(order), 0]
        section.append(littleEndian: UInt16(contexts.count))
        var isOwn = [UInt8](repeating: 0, count: NameCode.contextCount / 8)
        for context in contexts { isOwn[context.number / 8] |= 1 << UInt8(context.number & 7) }
        section.append(contentsOf: isOwn)
        for context in contexts { section.append(nibbles: context.sizes.map { $0 - 1 }) }
        let limit = SizeCode.sizeLimit
        section.append(
            nibbles: HuffmanSizes.sizes(frequencies: sizes.shared, limit: limit))
        section.append(nibbles: HuffmanSizes.sizes(frequencies: sizes.tails, limit: limit))
        return section
    }
}

/// How often each bucket of sizes occurs in the entries of all indexes of a snapshot.
struct EntrySizeCounts {
    /// Of shared bits.
    var shared = [UInt64](repeating: 0, count: SizeCode.bucketCount)
    /// Of tails, and of the first entries of blocks.
    var tails = [UInt64](repeating: 0, count: SizeCode.bucketCount)

    /// Counts an entry of a block but the first.
    mutating func count(shared: Int, tail: Int) {
        self.shared[SizeCode.bucket(of: shared).bucket] += 1
        tails[SizeCode.bucket(of: tail).bucket] += 1
    }

    /// Counts the first entry of a block.
    mutating func count(first size: Int) { tails[SizeCode.bucket(of: size).bucket] += 1 }
}

extension Array where Element == UInt8 {
    /// Appends numbers below 16, two an octet, the first in the low half.
    fileprivate mutating func append(nibbles: [UInt8]) {
        for index in stride(from: 0, to: nibbles.count, by: 2) {
            append(nibbles[index] | nibbles[index + 1] << 4)
        }
    }
}
