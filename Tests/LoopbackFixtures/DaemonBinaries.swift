import Foundation

/// The programs that the second runner plays on.
package struct DaemonBinaries: Sendable {
    /// `sluiced`.
    package var daemon: URL
    /// `sluice`.
    package var command: URL

    /// What was found: the programs, or why there are none.
    package enum Finding: Sendable {
        /// The programs.
        case found(DaemonBinaries)
        /// None, and why.
        case missing(String)
    }

    /// Those in `SLUICE_BIN`, else those of the release build, when no source is younger.
    ///
    /// A build that finds a program unchanged leaves its file alone: what counts is when the last
    /// build was planned.
    package static let finding: Finding = {
        if let folder = ProcessInfo.processInfo.environment["SLUICE_BIN"] {
            return look(in: URL(fileURLWithPath: folder), newest: nil)
        }
        let folder = root.appendingPathComponent(".build/release")
        return look(in: folder, newest: newestSource())
    }()

    /// The checkout.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func look(in folder: URL, newest: Date?) -> Finding {
        let binaries = DaemonBinaries(
            daemon: folder.appendingPathComponent("sluiced"),
            command: folder.appendingPathComponent("sluice"))
        let planned = modification(of: folder.appendingPathComponent("description.json"))
        for url in [binaries.daemon, binaries.command] {
            guard FileManager.default.isExecutableFile(atPath: url.path),
                let linked = modification(of: url)
            else { return .missing("there is no \(url.path)") }
            if let newest, max(linked, planned ?? linked) < newest {
                return .missing("\(url.path) is older than a source")
            }
        }
        return .found(binaries)
    }

    private static func newestSource() -> Date? {
        let folder = root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
        return files?.compactMap { ($0 as? URL).flatMap(modification) }.max()
    }

    private static func modification(of url: URL) -> Date? {
        let values = try? url.resolvingSymlinksInPath()
            .resourceValues(forKeys: [.contentModificationDateKey, .isDirectoryKey])
        return values?.isDirectory == true ? nil : values?.contentModificationDate
    }
}
