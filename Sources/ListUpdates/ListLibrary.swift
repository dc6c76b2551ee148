import Cryptography
import FilterLists
import LinuxSystem
import Quantities

/// The texts of compiled lists, packed, each under its digest: what `explain` reads again.
///
/// ```
/// STATE-DIRECTORY/lists/SHA-256.gz      of the text, unpacked
/// ```
package struct ListLibrary {
    /// The text of a list in the library.
    struct Kept {
        /// Its digest.
        let digest: SHA256Digest
        /// Octets of it.
        let size: ByteCount
        /// Its format, as told or as guessed.
        let format: ListFormat
        /// The packed file.
        let path: String
    }

    private let directory: String
    private static let ending = ".gz"
    private static let chunkSize = 64 << 10

    /// The library of a state directory.
    package init(stateDirectory: String) { directory = "\(stateDirectory)/lists" }

    /// Where the text of a digest is.
    package func path(of digest: SHA256Digest) -> String { "\(directory)/\(digest)\(Self.ending)" }

    /// The text of a digest, when it is there.
    func has(_ digest: SHA256Digest) -> Bool { FileIO.kind(path: path(of: digest)) == .file }

    /// Takes over the text of a list of the configuration, unless it is there already.
    /// - Throws: `.unreadableList`, `.listChanged`, `.stateDirectory`.
    /// - Complexity: O(octets) to hash; again to pack what is new.
    func keep(
        _ input: ListInput, configuration: String, progress: (ByteCount) -> Void
    ) throws(UpdateError) -> Kept {
        var prefix: [UInt8] = []
        var size = 0
        var hash = SHA256()
        do throws(SystemError) {
            try Self.read(input.path) { chunk throws(SystemError) in
                if prefix.count < ListInput.prefixSize {
                    for index in chunk.indices { prefix.append(chunk[index]) }
                }
                hash.update(chunk)
                size += chunk.count
                progress(ByteCount(size))
            }
        } catch {
            throw .unreadableList(name: input.name, cause: error, configuration: configuration)
        }
        let digest = digest(hash)
        try take(input.path, digest: digest, list: input.name)
        return Kept(
            digest: digest, size: ByteCount(size), format: input.format(fromPrefix: prefix),
            path: path(of: digest))
    }

    private func digest(_ hash: consuming SHA256) -> SHA256Digest { hash.finish() }

    /// Packs the text at `source`, whose digest is known, unless it is there already.
    /// - Throws: `.listChanged` when it has another digest by now, `.stateDirectory`.
    func take(_ source: String, digest: SHA256Digest, list: String) throws(UpdateError) {
        guard !has(digest) else { return }
        let path = path(of: digest)
        var again = SHA256()
        do throws(SystemError) {
            try FileIO.makeDirectories(path: directory)
            Process.ignoreBrokenPipes()
            try GzipFile.replace(path: path) { file throws(SystemError) in
                try Self.read(source) { chunk throws(SystemError) in
                    again.update(chunk)
                    try file.write(chunk)
                }
            }
        } catch {
            throw .stateDirectory(error)
        }
        guard self.digest(again) == digest else {
            try remove(path)
            throw .listChanged(name: list, path: source)
        }
    }

    /// Reads a text, unpacked, from start to end.
    package static func read(
        _ path: String, _ body: (Span<UInt8>) throws(SystemError) -> Void
    ) throws(SystemError) {
        var stream = try ByteStream.open(path: path)
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        while true {
            var span = chunk.mutableSpan
            let count = try stream.read(into: &span)
            if count == 0 { return }
            try body(chunk.span.extracting(0..<count))
        }
    }

    /// Removes a file of the library.
    func remove(_ path: String) throws(UpdateError) {
        do { try FileIO.remove(path: path) } catch { throw .stateDirectory(error) }
    }

    /// Removes the texts that none of `digests` names.
    func sweep(keeping digests: Set<SHA256Digest>) throws(UpdateError) {
        let kept = Set(digests.map { "\($0)\(Self.ending)" })
        for name in unknownFiles(kept) { try remove("\(directory)/\(name)") }
    }

    /// Whether a text is there that none of `digests` names.
    func hasMore(than digests: Set<SHA256Digest>) -> Bool {
        !unknownFiles(Set(digests.map { "\($0)\(Self.ending)" })).isEmpty
    }

    private func unknownFiles(_ kept: Set<String>) -> [String] {
        let names = (try? FileIO.list(directory: directory)) ?? []
        // Only what has the form of a kept text is ours to remove.
        let size = 2 * SHA256Digest.size + Self.ending.utf8.count
        return names.filter {
            !kept.contains($0) && $0.hasSuffix(Self.ending) && $0.utf8.count == size
        }
    }
}
