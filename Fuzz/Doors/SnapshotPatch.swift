import Cryptography
import FilterIndex

/// Changes to a snapshot's octets that keep its frame whole.
package enum SnapshotPatch {
    /// A copy of `file` that states its own size and checksum; the octets alone when they are too
    /// few for that.
    package static func repaired(_ file: Span<UInt8>) -> [UInt8] {
        var image: [UInt8] = []
        image.append(octets: file)
        guard image.count >= SnapshotLayout.firstSectionOffset else { return image }
        put(UInt64(image.count), at: SnapshotLayout.fileSizeOffset, of: &image)
        let digest = SnapshotLayout.checksum(of: image.span)
        for index in digest.octets.indices {
            image[SnapshotLayout.checksumOffset + index] = digest.octets[index]
        }
        return image
    }

    /// The octets of each section; `nil` when the section table does not say where they are.
    package static func sections(of file: Span<UInt8>) -> [[UInt8]]? {
        guard file.count >= SnapshotLayout.firstSectionOffset else { return nil }
        var sections: [[UInt8]] = []
        for kind in SectionKind.allCases {
            let entry = SnapshotLayout.tableOffset + SnapshotLayout.tableEntrySize * kind.position
            let offset = number(at: entry + 8, of: file)
            let size = number(at: entry + 16, of: file)
            guard offset <= UInt64(file.count), size <= UInt64(file.count) - offset else {
                return nil
            }
            var octets: [UInt8] = []
            octets.append(octets: file.extracting(Int(offset)..<Int(offset + size)))
            sections.append(octets)
        }
        return sections
    }

    /// A file with the header of `file` and these sections, laid as the format says.
    package static func file(
        headedLike file: Span<UInt8>, sections: [[UInt8]]
    ) -> [UInt8] {
        var image: [UInt8] = []
        image.append(octets: file.extracting(0..<SnapshotLayout.firstSectionOffset))
        for (position, section) in sections.enumerated() {
            image.padToEight()
            let entry = SnapshotLayout.tableOffset + SnapshotLayout.tableEntrySize * position
            put(UInt64(image.count), at: entry + 8, of: &image)
            put(UInt64(section.count), at: entry + 16, of: &image)
            image.append(contentsOf: section)
        }
        return repaired(image.span)
    }

    private static func number(at offset: Int, of file: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(file[offset + index]) << UInt64(8 * index) }
        return value
    }

    private static func put(_ value: UInt64, at offset: Int, of image: inout [UInt8]) {
        for index in 0..<8 {
            image[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
        }
    }
}
