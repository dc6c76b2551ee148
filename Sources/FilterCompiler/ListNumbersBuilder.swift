import FilterIndex

/// Writes the section that `ListNumbers` reads.
struct ListNumbersBuilder {
    /// The names and their numbers.
    let covered: CoveredTable
    /// Lists of the policy.
    let listCount: Int

    /// Appends the section.
    func append(to image: inout [UInt8]) {
        let numbers = max(1, listCount + covered.pairs.count)
        let bits = Int.bitWidth - (numbers - 1).leadingZeroBitCount
        image.append(littleEndian: UInt32(covered.table.entries.count))
        image.append(littleEndian: UInt16(bits))
        image.append(littleEndian: UInt16(covered.pairs.count))
        for pair in covered.pairs {
            image.append(littleEndian: pair.own)
            image.append(littleEndian: pair.below)
        }
        var word: UInt32 = 0
        var filled = 0
        for entry in covered.table.entries {
            word |= UInt32(entry.list) << UInt32(filled)
            filled += bits
            while filled >= 8 {
                image.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
                filled -= 8
            }
        }
        if filled > 0 { image.append(UInt8(truncatingIfNeeded: word)) }
    }
}
