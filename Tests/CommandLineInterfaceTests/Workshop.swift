import Foundation
import Testing

@testable import CommandLineInterface

/// A temporary directory with files, in which commands are run.
final class Workshop {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        let removed: Void? = try? FileManager.default.removeItem(at: directory)
        if removed == nil { print("\(directory.path) could not be removed") }
    }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: directory.appendingPathComponent(name))
        return path(name)
    }

    /// A configuration of these lists and policies, written as YAML; returns its path.
    func configure(_ yaml: String) throws -> String {
        try write(
            "sluice.yaml",
            """
            \(yaml)
            state-directory: '\(path("state"))'
            control-socket: '\(path("control.sock"))'
            """)
    }

    /// Names in a directory, sorted; none when it is not there.
    func names(_ directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(directory))) ?? []).sorted()
    }

    /// Runs a command.
    func run(_ words: String...) -> (outcome: CommandOutcome, output: String, errors: String) {
        let recorder = Recorder()
        let outcome = CommandRunner.run(words, console: recorder.console)
        return (outcome, recorder.output, recorder.errors)
    }
}

/// The object that a text is.
func object(_ text: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any])
}

/// The file at a path relative to the shared data beside the checkout; `nil` when it is not there.
func sharedFile(_ name: String) -> String? {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    let given = ProcessInfo.processInfo.environment["SLUICE_SHARED"].map { URL(filePath: $0) }
    let shared = given ?? root.deletingLastPathComponent().appending(path: "shared")
    let file = shared.appending(path: name).path
    return FileManager.default.fileExists(atPath: file) ? file : nil
}
