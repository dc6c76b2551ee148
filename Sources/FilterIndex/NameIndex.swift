import DomainNames
import Quantities

/// A sorted set of names with scopes that answers in one search whether a name or anything above
/// it is listed.
///
/// Names are coded in bits (`NameCode`) and front-coded bit by bit: in a block of 32 each entry
/// says how many bits it shares with the one before. The first difference of two entries is a 0
/// before and a 1 after, so that bit is left out. A search compares raw bits and decodes nothing.
///
/// ```
/// 0   4   entries, n                                            u32, little-endian
/// 4   4   blocks, b = ⌈n / 32⌉                                  u32
/// 8   1   bits of one scope, w: 0, 1 or 2
/// 9   3   the scopes that the numbers 0, 1 and 2 mean
/// 12  4   zero
/// 16  8b  heads: the first 64 bits of each block's first entry  u64 each
/// …   4b  offset of each block in bits of the stream            u32 each
/// …       n scopes of w bits, least significant bit first, then zero bits up to an octet
/// …       stream: blocks, then zero bits up to an octet
/// block   size (tail code) · bits from the 65th · entry · entry …
/// entry   shared bits (shared code) · size of the tail (tail code) · tail, the 1 left out
/// ```
/// Entry number *i* of the file is the entry's *rank*; tables beside the index are addressed by it.
///
/// Invariant (the compiler's, see `CoveringPass`): keys ascend strictly in byte order, which is the
/// order of coded names, and no key lies below an entry of scope subtree or below.
///
/// **One search settles all suffixes.** Let C be an entry that covers the query Q. If C is not Q's
/// own name, all but C's last bit begins Q, so every name between C and Q as well: such a name
/// would lie below C, whose scope reaches below, and was dropped. So C is the greatest entry ≤ Q.
/// If C is Q's own name, it is that as well. Hence only the greatest entry ≤ Q can cover Q; exact
/// entries of names above or beside it never stand in the way.
package struct NameIndex: ~Escapable {
    /// The greatest entry that is not after the name searched for.
    package struct Hit {
        /// Number of the entry.
        package let rank: Int
        /// Scope of the entry.
        package let scope: NameScope
        /// Labels of the entry's name.
        package let labels: Int
    }

    /// Entries.
    package var entryCount: Int { shape.entryCount }

    /// Entries of a block.
    package static let blockEntries = 32

    /// Octets that a block takes of the directory.
    private static let directoryEntrySize = 12

    /// Octets of the directory of an index of so many names: what a look-up always needs.
    package static func directorySize(names: Int) -> ByteCount {
        ByteCount((names + blockEntries - 1) / blockEntries * directoryEntrySize)
    }

    /// The octets of the section.
    let section: Span<UInt8>
    /// Where its parts lie.
    let shape: Shape
    /// See `NameCode.codewords`.
    let codewords: Span<UInt32>
    /// Symbols that make a context.
    let order: Int
    /// See `SizeCode.table`.
    let sharedSizes: Span<UInt16>
    /// Likewise for tails and first entries.
    let tailSizes: Span<UInt16>

    /// A view of a section whose shape is known, its names written in `code`.
    @_lifetime(copy section, borrow code)
    package init(_ section: Span<UInt8>, shape: Shape, code: borrowing NameCode) {
        self.section = section
        self.shape = shape
        codewords = code.codewords.span
        order = code.order
        sharedSizes = code.sharedSizes.table.span
        tailSizes = code.tailSizes.table.span
    }

    /// The one entry that covers a name: its own or, with a scope that reaches below, one above it.
    /// - Complexity: O(log blocks) comparisons of 64 bits, then one block's entries; no allocation.
    package func find(covering name: borrowing CodedKey.View) -> Hit? {
        guard let found = predecessor(of: name.bits),
            let labels = found.labels(in: name), let scope = scope(ofRank: found.rank)
        else { return nil }
        let isOwn = labels == name.labelCount
        guard isOwn ? scope.includesName : scope.includesBelow else { return nil }
        return Hit(rank: found.rank, scope: scope, labels: labels)
    }

    /// The entry of exactly the name of the last `labels` labels, whatever its scope.
    package func find(named name: borrowing CodedKey.View, labels: Int) -> Hit? {
        let wanted = name.suffix(ofLabels: labels)
        guard let found = predecessor(of: wanted.bits), found.matched == found.size,
            found.size == wanted.size, let scope = scope(ofRank: found.rank)
        else { return nil }
        return Hit(rank: found.rank, scope: scope, labels: labels)
    }

    /// Whether an entry, of whatever scope, covers all names below a name.
    func coversAll(below name: borrowing CodedKey.View) -> Bool {
        guard let found = predecessor(of: name.bits), found.labels(in: name) != nil else {
            return false
        }
        return scope(ofRank: found.rank)?.includesBelow ?? false
    }

    /// Whether an entry's own name lies below a name.
    func hasEntry(below name: borrowing CodedKey.View) -> Bool {
        let last = name.afterAllBelow()
        guard let found = predecessor(of: last.bits) else { return false }
        return found.matched >= name.size
    }

    /// The scope of an entry; `nil` when the file has none.
    func scope(ofRank rank: Int) -> NameScope? {
        var number = 0
        if shape.scopeBits > 0 {
            let bit = rank * shape.scopeBits
            let offset = shape.scopesOffset + bit / 8
            guard offset < section.count else { return nil }
            number = Int(section[offset] >> UInt8(bit & 7)) & (1 << shape.scopeBits - 1)
        }
        guard number < 3 else { return nil }
        return NameScope(rawValue: section[Shape.scopeNamesOffset + number])
    }

    // MARK: Search

    /// An entry that is not after the name searched for.
    private struct Found {
        /// Its number.
        var rank: Int
        /// Its bits.
        var size: Int
        /// Bits that it shares with the name.
        var matched: Int

        /// Labels of the entry, if it is the name or above it.
        @inline(__always)
        func labels(in name: borrowing CodedKey.View) -> Int? {
            guard matched >= size - 1 else { return nil }
            var labels = name.labelCount
            while labels >= 0 {
                let own = Int(name.sizes[labels])
                if own == size { return labels }
                if own < size { return nil }
                labels -= 1
            }
            return nil
        }
    }

    /// The bits of the blocks.
    var stream: CodedBits {
        @_lifetime(copy self)
        get { CodedBits(section.extracting(shape.streamOffset..<section.count)) }
    }

    /// The greatest entry not after a coded name, whose bits are followed by zeros.
    private func predecessor(of name: Span<UInt64>) -> Found? {
        let stream = stream
        let head = name[0]
        var low = 0
        var high = shape.blockCount
        while low < high {
            let middle = (low + high) / 2
            let isAfter: Bool
            let first = self.head(ofBlock: middle)
            if first != head {
                isAfter = first > head
            } else {
                isAfter = isRestAfter(name, block: middle, in: stream)
            }
            if isAfter { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? nil : scan(block: low - 1, for: name, in: stream)
    }

    /// The first 64 bits of a block's first entry.
    @inline(__always)
    func head(ofBlock block: Int) -> UInt64 {
        section.littleEndianWord(at: Shape.headsOffset + 8 * block)
    }

    /// Where a block begins in the stream.
    @inline(__always)
    func offset(ofBlock block: Int) -> Int {
        Int(section.littleEndian32(at: shape.offsetsOffset + 4 * block) ?? 0)
    }

    /// Whether the first entry of a block, whose head equals that of the name, is after the name.
    private func isRestAfter(
        _ name: Span<UInt64>, block: Int, in stream: borrowing CodedBits
    ) -> Bool {
        let start = offset(ofBlock: block)
        let (size, bitCount) = SizeCode.read(stream.bits(at: start), by: tailSizes)
        guard bitCount > 0, size > 64 else { return false }
        let shared = stream.shared(
            at: start + bitCount, count: size - 64, with: name, at: 64)
        return shared < size - 64 && !name.isSet(bit: 64 + shared)
    }

    /// Walks a block without decoding a symbol.
    ///
    /// `matched` is what the name shares with the entry before, which is not after the name. An
    /// entry that shares more with its predecessor differs from the name at the same bit, so it too
    /// comes before; one that shares less has a 1 where its predecessor and the name have a 0, so
    /// it comes after; only at equality do its bits matter.
    private func scan(
        block: Int, for name: Span<UInt64>, in stream: borrowing CodedBits
    ) -> Found? {
        var rank = block * NameIndex.blockEntries
        let end = min(rank + NameIndex.blockEntries, shape.entryCount)
        var position = offset(ofBlock: block)
        let (size, bitCount) = SizeCode.read(
            stream.bits(at: position), by: tailSizes)
        guard bitCount > 0 else { return nil }
        position += bitCount
        var found = Found(rank: rank, size: size, matched: 0)
        found.matched = min(size, (head(ofBlock: block) ^ name[0]).leadingZeroBitCount)
        if found.matched == 64, size > 64 {
            found.matched += stream.shared(at: position, count: size - 64, with: name, at: 64)
        }
        position += max(0, size - 64)
        if found.matched == size { return found }
        if !name.isSet(bit: found.matched) { return nil }
        rank += 1
        while rank < end {
            var bits = stream.bits(at: position)
            let (shared, sharedBits) = SizeCode.read(bits, by: sharedSizes)
            bits = bits << UInt64(sharedBits)
            let (tail, tailBits) = SizeCode.read(bits, by: tailSizes)
            guard sharedBits > 0, tailBits > 0 else { return found }
            position += sharedBits + tailBits
            if shared < found.matched { return found }
            if shared == found.matched {
                let common = stream.shared(
                    at: position, count: tail, with: name, at: shared + 1)
                if common < tail, !name.isSet(bit: shared + 1 + common) { return found }
                found.matched = shared + 1 + common
            }
            found.rank = rank
            found.size = shared + 1 + tail
            if found.matched == found.size { return found }
            position += tail
            rank += 1
        }
        return found
    }
}

extension Span where Element == UInt64 {
    /// Whether a bit, counted from the most significant of the first word, is 1; 0 past the end.
    @inline(__always)
    fileprivate func isSet(bit: Int) -> Bool {
        let index = bit >> 6
        guard index < count else { return false }
        return (self[index] << UInt64(bit & 63)) >> 63 != 0
    }
}
