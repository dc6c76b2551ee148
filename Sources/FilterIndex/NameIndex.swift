import DomainNames
import Quantities

/// A sorted set of names with scopes that answers in one search whether a name or anything above
/// it is listed.
///
/// Front coding: in a block of 32 entries each one says how many octets of its key it shares with
/// the one before and writes the others.
///
/// ```
/// 0   4  entries, n                                             u32, little-endian
/// 4   4  blocks, b = ⌈n / 32⌉                                   u32
/// 8   4b offset of each block from the end of this directory    u32 each
/// …      blocks: entry, entry …
/// entry  varint shared (not for the first of a block) · varint (tail size × 4 + scope) · tail
/// ```
/// Entry number *i* of the file is the entry's *rank*; tables beside the index are addressed by it.
///
/// Invariant (the compiler's, see `CoveringPass`): keys ascend strictly in byte order, and no key
/// lies below an entry of scope subtree or below.
///
/// **One search settles all suffixes.** Let C be an entry that covers the query Q. If C is not Q's
/// own key, C is a proper beginning of Q, so of every key between C and Q as well: such a key would
/// lie below C, whose scope reaches below, and was dropped. So C is the greatest key ≤ Q. If C is
/// Q's own key, it is that as well. Hence only the greatest key ≤ Q can cover Q; exact entries of
/// names above or beside it never stand in the way.
package struct NameIndex: ~Escapable {
    /// Where the parts of an index lie in its section, checked once when the file is opened.
    package struct Shape: Sendable {
        /// Entries.
        package let entryCount: Int
        /// Blocks.
        let blockCount: Int
        /// Offset of the first block.
        var blocksOffset: Int { NameIndex.directoryOffset + 4 * blockCount }

        /// The shape of a section; `nil` when the section cannot hold what it says.
        package init?(_ section: Span<UInt8>) {
            guard let entries = section.littleEndian32(at: 0),
                let blocks = section.littleEndian32(at: 4)
            else { return nil }
            entryCount = Int(entries)
            blockCount = Int(blocks)
            let size = NameIndex.blockEntries
            guard blockCount == (entryCount + size - 1) / size else { return nil }
            guard blocksOffset <= section.count else { return nil }
        }
    }

    /// The greatest entry that is not after the key searched for.
    package struct Hit {
        /// Number of the entry.
        package let rank: Int
        /// Scope of the entry.
        package let scope: NameScope
        /// Octets of the entry's key.
        package let keySize: Int
    }

    /// Entries of a block.
    package static let blockEntries = 32
    /// Offset of the directory in the section.
    package static let directoryOffset = 8

    /// Octets that a block takes of the directory.
    private static let directoryEntrySize = 12

    /// Octets of the directory of an index of so many names: what a look-up always needs.
    package static func directorySize(names: Int) -> ByteCount {
        ByteCount((names + blockEntries - 1) / blockEntries * directoryEntrySize)
    }

    private let section: Span<UInt8>
    private let shape: Shape

    /// A view of a section whose shape is known.
    @_lifetime(copy section)
    package init(_ section: Span<UInt8>, shape: Shape) {
        self.section = section
        self.shape = shape
    }

    /// The one entry that covers the name of `key`: its own or, with a scope that reaches below,
    /// one above it.
    /// - Complexity: O(log blocks) key comparisons, then one block's entries; no allocation.
    package func find(covering key: Span<UInt8>) -> Hit? {
        guard let (hit, matched) = predecessor(of: key), matched == hit.keySize else { return nil }
        let isOwn = hit.keySize == key.count
        return (isOwn ? hit.scope.includesName : hit.scope.includesBelow) ? hit : nil
    }

    /// The entry of exactly this key, whatever its scope.
    package func find(named key: Span<UInt8>) -> Hit? {
        guard let (hit, matched) = predecessor(of: key) else { return nil }
        return matched == hit.keySize && hit.keySize == key.count ? hit : nil
    }

    /// Whether an entry, of whatever scope, covers all names below that of `key`.
    func coversAll(below key: Span<UInt8>) -> Bool {
        guard let (hit, matched) = predecessor(of: key) else { return false }
        return matched == hit.keySize && hit.scope.includesBelow
    }

    /// Whether an entry's own name lies below that of `key`.
    func hasEntry(below key: Span<UInt8>) -> Bool {
        // A label has at most 63 octets and then a zero: 64 times 0xFF come after all of them.
        var last = InlineArray<640, UInt8>(repeating: 0xFF)
        var index = 0
        while index < key.count {
            last[index] = key[index]
            index += 1
        }
        guard let (hit, matched) = predecessor(of: last.span.extracting(0..<(key.count + 64)))
        else { return false }
        return matched >= key.count && hit.keySize > key.count
    }

    /// The greatest entry not after `key`, and how many octets the two share.
    private func predecessor(of key: Span<UInt8>) -> (hit: Hit, matched: Int)? {
        var low = 0
        var high = shape.blockCount
        while low < high {
            let middle = (low + high) / 2
            if isHead(ofBlock: middle, after: key) { high = middle } else { low = middle + 1 }
        }
        return low == 0 ? nil : scan(block: low - 1, for: key)
    }

    private func offset(ofBlock block: Int) -> Int? {
        guard let offset = section.littleEndian32(at: NameIndex.directoryOffset + 4 * block) else {
            return nil
        }
        return shape.blocksOffset + Int(offset)
    }

    private func isHead(ofBlock block: Int, after key: Span<UInt8>) -> Bool {
        guard let offset = offset(ofBlock: block),
            let (header, start) = section.varint(at: offset),
            header >> 2 <= section.count - start
        else { return true }
        return key.precedes(section.extracting(start..<(start + header >> 2)))
    }

    /// Walks a block without rebuilding a key.
    ///
    /// `matched` is what the query shares with the entry before, which is not after the query. An
    /// entry that shares more with its predecessor differs from the query at the same octet, so it
    /// too comes before; one that shares less has grown where the predecessor equalled the query,
    /// so it comes after; only at equality do its octets matter.
    private func scan(block: Int, for key: Span<UInt8>) -> (hit: Hit, matched: Int)? {
        guard var offset = offset(ofBlock: block) else { return nil }
        let first = block * NameIndex.blockEntries
        let end = min(first + NameIndex.blockEntries, shape.entryCount)
        var found: (hit: Hit, matched: Int)?
        var matched = 0
        var rank = first
        while rank < end {
            var shared = 0
            if rank > first {
                guard let (value, next) = section.varint(at: offset) else { return nil }
                shared = value
                offset = next
            }
            guard let (header, start) = section.varint(at: offset),
                let scope = NameScope(rawValue: UInt8(truncatingIfNeeded: header & 3))
            else { return nil }
            let size = header >> 2
            guard size <= section.count - start else { return nil }
            if shared < matched { break }
            if shared == matched {
                let tail = section.extracting(start..<(start + size))
                let common = commonCount(tail, key, from: matched)
                if common < size {
                    let isKeyOver = matched + common == key.count
                    if isKeyOver || tail[common] > key[matched + common] { break }
                }
                matched += common
            }
            found = (Hit(rank: rank, scope: scope, keySize: shared + size), matched)
            offset = start + size
            rank += 1
        }
        return found
    }

    private func commonCount(_ tail: Span<UInt8>, _ key: Span<UInt8>, from start: Int) -> Int {
        guard start <= key.count else { return 0 }
        return tail.sharedPrefix(with: key.extracting(start..<key.count))
    }
}
