/// How the names of a snapshot are written in bits, so that their order stays the order of keys.
///
/// Every symbol has a codeword that depends on the symbols before it, its *context*. In a context
/// the codewords of the 40 symbols ascend as the symbols do (an alphabetic code: Gilbert and Moore,
/// Variable-length binary encodings, 1959), so coded names sort as their keys do, and the boundary,
/// the first symbol, is all zeros. A name is
///
/// ```
/// boundary 1 · symbols of the top-level label · boundary 1 · symbols of the next · … · boundary 0
/// ```
/// and an escape is followed by the eight bits of its octet's number. No coded name begins another
/// one, and all names at or below a name begin as it does, up to its last bit.
///
/// ```
/// 0    1    order: symbols that make a context, 0 to 2
/// 1    1    zero
/// 2    2    contexts that have a code of their own, c                     u16, little-endian
/// 4    200  context number i has one: bit i mod 8, from the least significant, of octet i / 8
/// 204  20c  for each of them 40 sizes of codewords, less 1, four bits each, low half first
/// …    46   sizes of the codewords for shared sizes, four bits each
/// …    46   likewise for the sizes of tails
/// ```
/// The number of a context is 40 · (symbol before the last) + (last symbol), less what the order
/// leaves out; a name starts with two boundaries before it. A context that has no code of its own
/// never stands in a listed name; it uses the *flat code*, of equal weights.
package struct NameCode: Sendable {
    /// Contexts of order 2.
    package static let contextCount = NameSymbol.count * NameSymbol.count
    /// The longest codeword.
    package static let sizeLimit = 16
    /// Offset of the first code in the section.
    static let codesOffset = 204
    /// Octets of one context's code in the section.
    static let contextSize = NameSymbol.count / 2
    /// Octets of a size code in the section.
    static let sizeCodeSize = SizeCode.bucketCount / 2

    /// Symbols that make a context.
    package let order: Int
    /// Size << 16 | codeword, by context × 40 + symbol.
    let codewords: [UInt32]
    /// How the shared sizes of entries are written.
    let sharedSizes: SizeCode
    /// How the sizes of tails, and of first entries, are written.
    let tailSizes: SizeCode

    /// Reads a section.
    /// - Returns: `nil` when it holds no codes.
    /// - Complexity: O(contexts × symbols).
    package init?(_ section: Span<UInt8>) {
        guard section.count >= NameCode.codesOffset, section[0] <= 2, section[1] == 0 else {
            return nil
        }
        let order = Int(section[0])
        let own = Int(section[2]) | Int(section[3]) << 8
        let size = NameCode.codesOffset + own * NameCode.contextSize + 2 * NameCode.sizeCodeSize
        guard section.count == size else { return nil }
        let contexts = NameCode.contexts(ofOrder: order)
        var codewords: [UInt32] = []
        codewords.reserveCapacity(contexts * NameSymbol.count)
        guard let flat = NameCode.codewords(AlphabeticCode.flat) else { return nil }
        var offset = NameCode.codesOffset
        for context in 0..<NameCode.contextCount {
            let isOwn = section[4 + context / 8] >> UInt8(context & 7) & 1 != 0
            guard isOwn else {
                if context < contexts { codewords.append(contentsOf: flat) }
                continue
            }
            guard context < contexts, offset < size - 2 * NameCode.sizeCodeSize,
                let words = NameCode.codewords(
                    NameCode.nibbles(section, at: offset, count: NameSymbol.count).map { $0 + 1 })
            else { return nil }
            codewords.append(contentsOf: words)
            offset += NameCode.contextSize
        }
        guard offset == size - 2 * NameCode.sizeCodeSize,
            let shared = SizeCode(
                NameCode.nibbles(section, at: offset, count: SizeCode.bucketCount)),
            let tails = SizeCode(
                NameCode.nibbles(
                    section, at: offset + NameCode.sizeCodeSize, count: SizeCode.bucketCount))
        else { return nil }
        self.order = order
        self.codewords = codewords
        sharedSizes = shared
        tailSizes = tails
    }

    /// Contexts of an order.
    package static func contexts(ofOrder order: Int) -> Int {
        [1, NameSymbol.count, contextCount][order]
    }

    /// Size << 16 | codeword of each symbol, for sizes that make a whole alphabetic code.
    ///
    /// A codeword is the sum of 2^−size over the symbols before it, so its size must divide that
    /// sum, and all sizes together must fill the unit.
    package static func codewords(_ sizes: [UInt8]) -> [UInt32]? {
        var words: [UInt32] = []
        var sum: UInt32 = 0
        for size in sizes {
            guard size >= 1, Int(size) <= sizeLimit else { return nil }
            let step = 1 << UInt32(sizeLimit - Int(size)) as UInt32
            guard sum & (step - 1) == 0, sum < 1 << UInt32(sizeLimit) else { return nil }
            words.append(UInt32(size) << 16 | sum / step)
            sum += step
        }
        return sum == 1 << UInt32(sizeLimit) ? words : nil
    }

    private static func nibbles(_ section: Span<UInt8>, at offset: Int, count: Int) -> [UInt8] {
        (0..<count).map { section[offset + $0 / 2] >> UInt8($0 & 1 * 4) & 15 }
    }
}
