import Configuration
import LinuxSystem
import Quantities

/// The text of a list that is only looked at: what is fetched stays in a file without a name, which
/// is gone with this value.
package struct CandidateText: Sendable {
    /// Where to read it, packed or not.
    package let path: String
    private let file: ScratchFile?

    /// Whether it was fetched from an address.
    package var isFetched: Bool { file != nil }

    /// The text at `place`: a path, or an address as in a configuration.
    /// - Parameters:
    ///   - directory: whose file system holds what is fetched.
    ///   - version: as which version of this program to ask.
    ///   - progress: octets so far, and of the whole when the server tells.
    /// - Throws: `ListFault`; a file that is not there is the reader's to find.
    package static func get(
        _ place: String, _ settings: UpdateSettings, upstreams: [NetworkAddress],
        directory: String, version: String,
        progress: @escaping (ByteCount, ByteCount?) -> Void
    ) throws(ListFault) -> CandidateText {
        guard isAddress(place) else { return CandidateText(path: place, file: nil) }
        var fetcher = ListFetcher(
            settings, upstreams: upstreams, directory: directory, userAgent: "sluice/\(version)")
        let list = ListSettings(name: "candidate", url: place)
        switch try fetcher.fetch(list, url: place, validators: nil, progress: progress) {
        case .text(let file, _, contentType: _):
            return CandidateText(path: file.path, file: file)
        case .unchanged: preconditionFailure("only a text that is known is unchanged")
        }
    }

    /// Whether `place` begins with a scheme and `://` (RFC 3986 §3.1).
    private static func isAddress(_ place: String) -> Bool {
        guard let colon = place.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return place[colon...].hasPrefix("://") && colon > place.startIndex
            && place.utf8[..<colon].allSatisfy { octet in
                (octet | 0x20) &- 0x61 < 26 || octet &- 0x30 < 10 || "+-.".utf8.contains(octet)
            }
    }
}
