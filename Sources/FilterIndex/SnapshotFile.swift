import Cryptography
import LinuxSystem
import Quantities

/// A snapshot file that is read piece by piece and never mapped: for a program that only has to
/// know whether the file is good and what it was made from, and that must stay small.
package struct SnapshotFile: ~Copyable {
    private let descriptor: FileDescriptor
    private let path: String
    private let header: [UInt8]
    /// Size of the file.
    package let size: ByteCount

    private static let chunkSize = 64 << 10

    /// Opens the file at `path`; whether it is good, `verify` tells.
    /// - Throws: `.unreadable`, `.notASnapshot`, `.truncated`, `.unsupportedVersion`.
    package init(path: String) throws(SnapshotError) {
        let file = try SnapshotFile.open(path)
        let header: [UInt8]
        let size: Int
        do throws(SystemError) {
            size = try file.size()
            header = try SnapshotFile.header(of: file)
        } catch {
            throw .unreadable(path: path, cause: error)
        }
        guard header.starts(with: SnapshotLayout.magic) else { throw .notASnapshot(path: path) }
        guard header.count == SnapshotLayout.firstSectionOffset,
            let version = header.span.littleEndian32(at: SnapshotLayout.versionOffset)
        else {
            throw .truncated(
                path: path, size: size, expected: UInt64(SnapshotLayout.firstSectionOffset))
        }
        guard version == SnapshotLayout.version else {
            throw .unsupportedVersion(
                path: path, found: version, supported: SnapshotLayout.version)
        }
        self.header = header
        self.size = ByteCount(size)
        self.path = path
        descriptor = file
    }

    /// The snapshot id, as the header has it.
    package var identity: SHA256Digest? {
        SHA256Digest(
            header.span.extracting(SnapshotLayout.identityOffset..<SnapshotLayout.checksumOffset))
    }

    /// Reads the whole file and compares its checksum.
    /// - Throws: `.unreadable`, `.checksumDiffers`.
    /// - Complexity: O(octets), in one buffer.
    package func verify() throws(SnapshotError) {
        let found: SHA256Digest
        do {
            found = try SnapshotLayout.checksum(
                size: size.octets
            ) { range, body throws(SystemError) in
                try read(range, body)
            }
        } catch {
            throw .unreadable(path: path, cause: error)
        }
        let range = SnapshotLayout.checksumOffset..<SnapshotLayout.sectionCountOffset
        guard SHA256Digest(header.span.extracting(range)) == found else {
            throw .checksumDiffers(path: path)
        }
    }

    /// What the snapshot was made from.
    /// - Throws: `.unreadable`, `.malformedHeader`, `.malformedSection`.
    package func manifest() throws(SnapshotError) -> SnapshotManifest {
        let entry =
            SnapshotLayout.tableOffset
            + SnapshotLayout.tableEntrySize * SectionKind.manifest.position
        guard header.span.littleEndian32(at: entry) == SectionKind.manifest.rawValue,
            let start = header.span.littleEndian64(at: entry + 8),
            let count = header.span.littleEndian64(at: entry + 16),
            start <= UInt64(size.octets), count <= UInt64(size.octets) - start
        else { throw .malformedHeader(path: path) }
        var octets: [UInt8] = []
        do {
            try read(Int(start)..<Int(start + count)) { octets.append(octets: $0) }
        } catch {
            throw .unreadable(path: path, cause: error)
        }
        guard let manifest = SnapshotManifest(octets.span) else {
            throw .malformedSection(path: path, kind: .manifest)
        }
        return manifest
    }

    private func read(
        _ range: Range<Int>, _ body: (Span<UInt8>) -> Void
    ) throws(SystemError) {
        var chunk = [UInt8](repeating: 0, count: min(SnapshotFile.chunkSize, range.count))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let room = 0..<min(chunk.count, range.upperBound - offset)
            var span = chunk.mutableSpan
            let count = try descriptor.read(into: &span, room, at: offset)
            guard count > 0 else {
                throw SystemError("read", code: SystemError.Code.inputOutput, subject: path)
            }
            body(chunk.span.extracting(0..<count))
            offset += count
        }
    }

    private static func open(_ path: String) throws(SnapshotError) -> FileDescriptor {
        do { return try FileIO.open(path: path) } catch {
            throw .unreadable(path: path, cause: error)
        }
    }

    private static func header(
        of file: borrowing FileDescriptor
    ) throws(SystemError) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: SnapshotLayout.firstSectionOffset)
        var count = 0
        while count < octets.count {
            let room = count..<octets.count
            var span = octets.mutableSpan
            let more = try file.read(into: &span, room, at: count)
            if more == 0 { break }
            count += more
        }
        octets.removeSubrange(count...)
        return octets
    }
}
