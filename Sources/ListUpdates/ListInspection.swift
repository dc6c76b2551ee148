import Cryptography
import LinuxSystem
import Quantities

/// A first look at a text: how long it is, what its digest is, how it begins.
struct ListInspection {
    /// SHA-256 of the text, unpacked.
    let digest: SHA256Digest
    /// Octets of it, unpacked.
    let size: ByteCount
    /// Its first octets, as many as a format is guessed by.
    let prefix: [UInt8]

    /// Reads the text at `path`, packed or not.
    /// - Throws: `.tooLarge` when it has more octets than `limit`, `.unreadable`.
    init(path: String, limit: ByteCount) throws(ListFault) {
        var hash = SHA256()
        var size = 0
        var prefix: [UInt8] = []
        do throws(SystemError) {
            try ListLibrary.read(path) { chunk throws(SystemError) in
                size += chunk.count
                guard size <= limit.octets else {
                    throw SystemError("read", code: SystemError.Code.tooLarge, subject: path)
                }
                for index in chunk.indices where prefix.count < ListInput.prefixSize {
                    prefix.append(chunk[index])
                }
                hash.update(chunk)
            }
        } catch {
            if error.code == SystemError.Code.tooLarge { throw .tooLarge(limit: limit) }
            throw .unreadable(error)
        }
        digest = Self.finish(hash)
        self.size = ByteCount(size)
        self.prefix = prefix
    }

    private static func finish(_ hash: consuming SHA256) -> SHA256Digest { hash.finish() }

    /// Whether there is nothing but white space in the text.
    var isEmpty: Bool { size.octets <= prefix.count && prefix.allSatisfy(Self.isSpace) }

    /// Whether it begins as a web page does; when the server calls it one, a tag is enough.
    func isWebPage(contentType: String) -> Bool {
        let hasMark = prefix.starts(with: [0xEF, 0xBB, 0xBF])
        let text = prefix.dropFirst(hasMark ? 3 : 0).drop(while: Self.isSpace)
        guard text.first == UInt8(ascii: "<") else { return false }
        let type = contentType.lowercased()
        if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return true }
        let start = String(decoding: text.prefix(16), as: UTF8.self).lowercased()
        return ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--", "<script"].contains {
            start.hasPrefix($0)
        }
    }

    private static func isSpace(_ octet: UInt8) -> Bool {
        octet == 0x20 || (9...13).contains(octet)
    }
}
