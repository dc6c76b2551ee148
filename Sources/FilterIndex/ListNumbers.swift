/// Which list each entry of a name index comes from.
///
/// ```
/// 0   4  entries, n                               u32, little-endian
/// 4   2  bits of one number, w ≤ 16               u16
/// 6   2  pairs, p                                 u16
/// 8   4p pairs: list for the name itself, list for names below it      u16 each
/// …      n numbers of w bits, least significant bit first, then zero bits up to an octet
/// ```
/// A number below the count of lists is a list; number `lists + i` is pair *i*, for an entry that
/// different lists made: one speaks of the name, the other of the names below.
package struct ListNumbers: ~Escapable {
    private let section: Span<UInt8>
    private let listCount: Int

    /// A view of the section of a policy of `listCount` lists.
    @_lifetime(copy section)
    package init(_ section: Span<UInt8>, listCount: Int) {
        self.section = section
        self.listCount = listCount
    }

    /// Whether the section has the size that its header says, for `entryCount` entries.
    static func isWellFormed(_ section: Span<UInt8>, entryCount: Int) -> Bool {
        guard let entries = section.littleEndian32(at: 0),
            let bits = section.littleEndian16(at: 4), bits <= 16,
            let pairs = section.littleEndian16(at: 6)
        else { return false }
        let size = 8 + 4 * Int(pairs) + (Int(entries) * Int(bits) + 7) / 8
        return Int(entries) == entryCount && size == section.count
    }

    /// The list that entry `rank` names for its own name, or for names below it.
    /// - Returns: 0 for a rank or number that the file does not have.
    package func list(rank: Int, isOwnName: Bool) -> UInt16 {
        guard let bits = section.littleEndian16(at: 4), let pairs = section.littleEndian16(at: 6)
        else { return 0 }
        let start = 8 + 4 * Int(pairs)
        let bit = rank * Int(bits)
        var word: UInt32 = 0
        for index in 0..<3 where start + bit / 8 + index < section.count {
            word |= UInt32(section[start + bit / 8 + index]) << (8 * UInt32(index))
        }
        let number = Int((word >> UInt32(bit & 7)) & (1 << UInt32(bits) - 1))
        if number < listCount { return UInt16(truncatingIfNeeded: number) }
        let pair = 8 + 4 * (number - listCount)
        guard number - listCount < Int(pairs) else { return 0 }
        let list = section.littleEndian16(at: isOwnName ? pair : pair + 2) ?? 0
        return Int(list) < listCount ? list : 0
    }
}
