import LinuxSystem

/// Why a file is refused as a snapshot.
package enum SnapshotError: Error, Equatable, Sendable {
    /// The system does not give the file.
    case unreadable(path: String, cause: SystemError)
    /// The first octets are not those of a snapshot.
    case notASnapshot(path: String)
    /// Written in a format that this program does not read.
    case unsupportedVersion(path: String, found: UInt32, supported: UInt32)
    /// The file ends before its header says.
    case truncated(path: String, size: Int, expected: UInt64)
    /// The file goes on after its header says.
    case overlong(path: String, size: Int, expected: UInt64)
    /// The octets are not those that were written.
    case checksumDiffers(path: String)
    /// The header or its section table contradicts itself.
    case malformedHeader(path: String)
    /// A section contradicts itself.
    case malformedSection(path: String, kind: SectionKind)
}

extension SnapshotError: CustomStringConvertible {
    /// One phrase for a person: the file and the reason.
    package var description: String {
        switch self {
        case .unreadable(_, let cause):
            "\(cause)"
        case .notASnapshot(let path):
            "\(path): not a Sluice snapshot"
        case .unsupportedVersion(let path, let found, let supported) where found > supported:
            "\(path): version \(found) is newer than this program (\(supported))"
        case .unsupportedVersion(let path, let found, let supported):
            "\(path): version \(found) is older than this program reads (\(supported))"
        case .truncated(let path, let size, let expected):
            "\(path): truncated: \(size) of \(expected) octets"
        case .overlong(let path, let size, let expected):
            "\(path): \(size) octets where its header says \(expected)"
        case .checksumDiffers(let path):
            "\(path): checksum differs"
        case .malformedHeader(let path):
            "\(path): malformed header"
        case .malformedSection(let path, let kind):
            "\(path): malformed section: \(kind.title)"
        }
    }
}
