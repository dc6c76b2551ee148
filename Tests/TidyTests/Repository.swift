import Foundation

/// One file of the tree, its path counted from the root.
struct TreeFile: Sendable {
    let path: String
    let text: String

    var name: String { String(path.split(separator: "/").last ?? "") }
    /// The module whose folder it lies in, for `Sources/MODULE/…` and `Tests/MODULE/…`.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    /// Lines as an editor counts them: a line end at the end of the file opens no further one.
    var lineCount: Int { lines.count - (text.hasSuffix("\n") ? 1 : 0) }
}

/// The tree that this test was compiled from.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Everything that belongs to the project as text: what is built and `.git` left out.
    static let files: [TreeFile] = {
        var files: [TreeFile] = []
        collect("", into: &files)
        return files.sorted { $0.path < $1.path }
    }()

    static var sources: [TreeFile] {
        files.filter { $0.path.hasPrefix("Sources/") && $0.path.hasSuffix(".swift") }
    }

    static var swiftFiles: [TreeFile] { files.filter { $0.path.hasSuffix(".swift") } }

    static func file(_ path: String) -> TreeFile? { files.first { $0.path == path } }

    private static let leftOut: Set<String> = [".git", ".build", ".run", ".swiftpm"]

    private static func collect(_ folder: String, into files: inout [TreeFile]) {
        let url = root.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        for name in names where !leftOut.contains(name) && !name.hasPrefix(".build-") {
            let path = folder.isEmpty ? name : folder + "/" + name
            let full = root.appendingPathComponent(path).path
            let facts = try? FileManager.default.attributesOfItem(atPath: full)
            let kind = facts?[.type] as? FileAttributeType
            if kind == .typeDirectory {
                collect(path, into: &files)
            } else if kind == .typeRegular,
                let text = try? String(contentsOfFile: full, encoding: .utf8)
            {
                files.append(TreeFile(path: path, text: text))
            }
        }
    }
}
