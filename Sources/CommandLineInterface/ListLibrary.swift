import Cryptography
import FilterLists
import LinuxSystem
import Quantities

/// The texts of compiled lists, packed, each under its digest: what `explain` reads again.
///
/// ```
/// STATE-DIRECTORY/lists/SHA-256.gz      of the text, unpacked
/// ```
struct ListLibrary {
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
    init(stateDirectory: String) { directory = "\(stateDirectory)/lists" }

    /// Where the text of a digest is.
    func path(of digest: SHA256Digest) -> String { "\(directory)/\(digest)\(Self.ending)" }

    /// Takes over the text of a list, unless it is there already.
    /// - Throws: `.unreadableList`, `.listChanged`, `.stateDirectory`.
    /// - Complexity: O(octets) to hash; again to pack what is new.
    func keep(
        _ input: ListInput, configuration: String, progress: (ByteCount) -> Void
    ) throws(CommandError) -> Kept {
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
        let kept = digest(hash)
        let result = Kept(
            digest: kept, size: ByteCount(size), format: input.format(fromPrefix: prefix),
            path: path(of: kept))
        if FileIO.kind(path: result.path) == nil { try pack(input, result) }
        return result
    }

    private func digest(_ hash: consuming SHA256) -> SHA256Digest { hash.finish() }

    /// Packs the text of a list whose digest is known.
    private func pack(_ input: ListInput, _ kept: Kept) throws(CommandError) {
        var again = SHA256()
        do throws(SystemError) {
            try FileIO.makeDirectories(path: directory)
            Process.ignoreBrokenPipes()
            try GzipFile.replace(path: kept.path) { file throws(SystemError) in
                try Self.read(input.path) { chunk throws(SystemError) in
                    again.update(chunk)
                    try file.write(chunk)
                }
            }
        } catch {
            throw .stateDirectory(error)
        }
        guard digest(again) == kept.digest else {
            try remove(kept.path)
            throw .listChanged(name: input.name, path: input.path)
        }
    }

    /// Reads a text, unpacked, from start to end.
    static func read(
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
    func remove(_ path: String) throws(CommandError) {
        do { try FileIO.remove(path: path) } catch { throw .stateDirectory(error) }
    }

    /// Removes the texts that none of `digests` names.
    func sweep(keeping digests: Set<SHA256Digest>) throws(CommandError) {
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
