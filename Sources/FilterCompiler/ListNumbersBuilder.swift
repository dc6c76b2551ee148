import FilterIndex

/// Writes the section that `ListNumbers` reads.
struct ListNumbersBuilder {
    /// The names and their numbers.
    let names: CoveredNames
    /// Lists of the policy.
    let listCount: Int

    /// Appends the section.
    func append(to output: inout SnapshotOutput) throws(CompilationError) {
        let numbers = max(1, listCount + names.pairs.count)
        let bits = Int.bitWidth - (numbers - 1).leadingZeroBitCount
        output.octets.append(littleEndian: UInt32(names.count))
        output.octets.append(littleEndian: UInt16(bits))
        output.octets.append(littleEndian: UInt16(names.pairs.count))
        for pair in names.pairs {
            output.octets.append(littleEndian: pair.own)
            output.octets.append(littleEndian: pair.below)
        }
        // A single list needs no number: its names are not even read.
        guard bits > 0 else { return }
        var word: UInt32 = 0
        var filled = 0
        try names.forEach { _, _, list throws(CompilationError) in
            word |= UInt32(list) << UInt32(filled)
            filled += bits
            while filled >= 8 {
                output.octets.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
                filled -= 8
            }
            try output.flushWhenFull()
        }
        if filled > 0 { output.octets.append(UInt8(truncatingIfNeeded: word)) }
    }
}
