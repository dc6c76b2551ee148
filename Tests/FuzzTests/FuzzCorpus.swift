import Foundation

/// The files under `Fuzz/Corpus`.
enum FuzzCorpus {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/Corpus")

    /// The names of the targets that have a corpus.
    static func targets() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    /// The inputs of a target, by name.
    static func files(of target: String) throws -> [(name: String, octets: [UInt8])] {
        let folder = folder.appendingPathComponent(target)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            ($0, Array(try Data(contentsOf: folder.appendingPathComponent($0))))
        }
    }

    /// Writes an input anew.
    static func write(_ octets: [UInt8], as name: String, of target: String) throws {
        let folder = folder.appendingPathComponent(target)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(octets).write(to: folder.appendingPathComponent(name))
    }
}
