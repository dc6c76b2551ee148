extension NameIndex {
    /// Where the parts of an index lie in its section, checked once when the file is opened.
    package struct Shape: Sendable {
        /// Entries.
        package let entryCount: Int
        /// Blocks.
        let blockCount: Int
        /// Bits of one scope.
        let scopeBits: Int

        /// Offset of the scopes that the numbers mean.
        static let scopeNamesOffset = 9
        /// Offset of the heads.
        package static let headsOffset = 16

        /// Offset of the blocks' offsets.
        var offsetsOffset: Int { Shape.headsOffset + 8 * blockCount }
        /// Offset of the scopes.
        var scopesOffset: Int { Shape.headsOffset + 12 * blockCount }
        /// Offset of the stream.
        var streamOffset: Int { scopesOffset + (entryCount * scopeBits + 7) / 8 }
        /// Heads and offsets: what every search reads.
        package var directory: Range<Int> { Shape.headsOffset..<scopesOffset }

        /// The shape of a section; `nil` when the section cannot hold what it says.
        package init?(_ section: Span<UInt8>) {
            guard section.count >= Shape.headsOffset,
                let entries = section.littleEndian32(at: 0),
                let blocks = section.littleEndian32(at: 4), section[8] <= 2
            else { return nil }
            entryCount = Int(entries)
            blockCount = Int(blocks)
            scopeBits = Int(section[8])
            let size = NameIndex.blockEntries
            guard blockCount == (entryCount + size - 1) / size,
                streamOffset <= section.count
            else { return nil }
        }
    }
}
