import Cryptography

extension SnapshotLayout {
    /// The snapshot id of an image whose section table is complete: SHA-256 over, in this order,
    ///
    /// ```
    /// 4  version of the snapshot format          8  false-positive rate of the prefilter, binary64
    /// 4  format of the prefilter section         1  order of its FNV steps
    /// then of each section but the prefilter, in file order: kind u32, size u64, its octets
    /// ```
    /// The bits and the seed of the prefilter follow from these and stay out: the seed is by
    /// default taken from the id itself.
    /// - Parameter read: hands a range of the file to its argument, in any number of pieces.
    package static func identity<Failure: Error>(
        sections: SectionRanges, prefilter: Prefilter.Parameters,
        read: (Range<Int>, (Span<UInt8>) -> Void) throws(Failure) -> Void
    ) throws(Failure) -> SHA256Digest {
        var computation = SHA256()
        var octets: [UInt8] = []
        octets.append(littleEndian: SnapshotLayout.version)
        octets.append(littleEndian: Prefilter.Parameters.format)
        octets.append(littleEndian: prefilter.falsePositiveRate.bitPattern)
        octets.append(prefilter.order.rawValue)
        computation.update(octets.span)
        for kind in SectionKind.allCases where kind != .prefilter {
            let range = sections[kind]
            var header: [UInt8] = []
            header.append(littleEndian: kind.rawValue)
            header.append(littleEndian: UInt64(range.count))
            computation.update(header.span)
            try read(range) { piece in computation.update(piece) }
        }
        return finish(computation)
    }

    /// The checksum of an image: its SHA-256, the checksum's own octets taken as zeros.
    package static func checksum(of image: Span<UInt8>) -> SHA256Digest {
        var computation = SHA256()
        computation.update(image.extracting(0..<checksumOffset))
        let zeros = [UInt8](repeating: 0, count: SHA256Digest.size)
        computation.update(zeros.span)
        computation.update(image.extracting((checksumOffset + SHA256Digest.size)..<image.count))
        return computation.finish()
    }

    /// The checksum of a file of at least a header.
    /// - Parameter read: hands a range of the file to its argument, in any number of pieces.
    package static func checksum<Failure: Error>(
        size: Int, read: (Range<Int>, (Span<UInt8>) -> Void) throws(Failure) -> Void
    ) throws(Failure) -> SHA256Digest {
        var computation = SHA256()
        try read(0..<checksumOffset) { piece in computation.update(piece) }
        let zeros = [UInt8](repeating: 0, count: SHA256Digest.size)
        computation.update(zeros.span)
        try read((checksumOffset + SHA256Digest.size)..<size) { piece in
            computation.update(piece)
        }
        return finish(computation)
    }

    private static func finish(_ computation: consuming SHA256) -> SHA256Digest {
        computation.finish()
    }
}

/// Where each section lies in the file.
package struct SectionRanges: Sendable {
    private var ranges: InlineArray<14, Range<Int>>

    /// All sections empty, at offset 0.
    package init() {
        ranges = .init(repeating: 0..<0)
    }

    /// The octets of a section, as offsets of the file.
    package subscript(kind: SectionKind) -> Range<Int> {
        get { ranges[kind.position] }
        set { ranges[kind.position] = newValue }
    }
}
