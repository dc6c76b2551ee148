import Foundation

/// The scenario files of the repository.
enum ScenarioFiles {
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let folder = root.appendingPathComponent("Tests/Scenarios")

    /// Their paths below `Tests/Scenarios`, sorted.
    static let all: [String] = {
        let found = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
        return found.compactMap { $0 as? String }.filter { $0.hasSuffix(".rpl") }.sorted()
    }()

    static func scenario(_ path: String) throws -> Scenario {
        let url = folder.appendingPathComponent(path)
        let text = try String(contentsOf: url, encoding: .utf8)
        return try ScenarioParser.parse(file: "Tests/Scenarios/\(path)", text: text)
    }
}
