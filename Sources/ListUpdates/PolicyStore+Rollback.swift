import Cryptography
import LinuxSystem

extension PolicyStore {
    /// Ids that are remembered as rolled back, the newest last.
    private static let rolledBackLimit = 16
    private static let noteSizeLimit = 4096

    private var rolledBackPath: String { "\(directory)/rolled-back" }

    /// The snapshots that a rollback took out of force: compiling the same lists again does not
    /// put one of them back.
    package var rolledBack: [SHA256Digest] {
        let text = (try? FileIO.readWhole(path: rolledBackPath, limit: Self.noteSizeLimit)) ?? []
        return text.split(separator: 0x0A).compactMap {
            SHA256Digest(text: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Turns the link to an older snapshot, or to a newer one that was rolled back.
    ///
    /// The marks go first: a process that ends between the two has not changed what is in force.
    func rollBack(to identity: SHA256Digest) throws(UpdateError) {
        var marks = rolledBack.filter { $0 != identity }
        let history = history()
        if let from = currentID, !marks.contains(from),
            let there = history.firstIndex(of: from), let here = history.firstIndex(of: identity),
            there < here
        {
            marks.append(from)
        }
        let lines = marks.suffix(Self.rolledBackLimit).map { "\($0)\n" }.joined()
        do throws(SystemError) {
            if marks != rolledBack {
                try FileIO.replace(path: rolledBackPath, with: Array(lines.utf8).span)
            }
            try FileIO.replaceLink(path: current, target: "\(identity).sluice")
        } catch {
            throw .stateDirectory(error)
        }
    }

    // MARK: What was compiled

    private var inputsPath: String { "\(directory)/inputs" }

    /// The snapshot that these inputs gave, when they are those of the last compilation.
    func snapshot(compiledFrom inputs: SHA256Digest) -> SHA256Digest? {
        guard let text = try? FileIO.readWhole(path: inputsPath, limit: Self.noteSizeLimit) else {
            return nil
        }
        let words = text.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 2, words[0] == "\(inputs)", words[1].hasSuffix("\n") else {
            return nil
        }
        return SHA256Digest(text: String(words[1].dropLast()))
    }

    /// Notes which snapshot these inputs gave, unless that is noted.
    func note(_ identity: SHA256Digest, compiledFrom inputs: SHA256Digest) throws(UpdateError) {
        guard snapshot(compiledFrom: inputs) != identity else { return }
        do {
            try FileIO.replace(
                path: inputsPath, with: Array("\(inputs) \(identity)\n".utf8).span)
        } catch {
            throw .stateDirectory(error)
        }
    }
}
