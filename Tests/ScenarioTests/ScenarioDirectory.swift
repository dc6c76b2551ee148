import Configuration
import FilterCompiler
import FilterIndex
import FilterLists
import Foundation

/// A directory for one play: the lists of the scenario and its configuration.
final class ScenarioDirectory {
    let url: URL
    private let scenario: Scenario
    private(set) var lists: [ScenarioList]

    init(_ scenario: Scenario) throws {
        self.scenario = scenario
        lists = scenario.lists
        // Short, since a Unix socket's path has 107 octets at most.
        let name = "sluice-\(UUID().uuidString.prefix(8))"
        url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try writeLists()
    }

    deinit {
        do { try FileManager.default.removeItem(at: url) } catch {
            print("scenario: \(url.path) stays behind: \(error)")
        }
    }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Puts lists in the place of those with the same names; a new name comes last.
    func replace(_ changed: [ScenarioList]) throws {
        for list in changed {
            if let index = lists.firstIndex(where: { $0.name == list.name }) {
                lists[index] = list
            } else {
                lists.append(list)
            }
        }
        try writeLists()
    }

    private func writeLists() throws {
        for list in lists {
            try Data(list.text.utf8).write(to: url.appendingPathComponent("\(list.name).txt"))
        }
    }

    /// The configuration: the scenario's own settings after those of the play.
    func configuration(listen: String, upstreams: [String]) -> String {
        var text = "listen: [\"\(listen)\"]\n"
        text += "upstreams: [\(upstreams.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
        text += "workers: 1\nlog: { level: warning }\n"
        text += "state-directory: \(path("state"))\n"
        text += "control-socket: \(path("control.sock"))\n"
        text += lists.isEmpty ? "" : "lists:\n"
        for list in lists {
            var facts = ["file: \(path("\(list.name).txt"))", "format: \(list.format)"]
            if let scope = list.scope { facts.append("scope: \(scope)") }
            if list.isAllowList { facts.append("action: allow") }
            if list.allowsPublicSuffixes { facts.append("allow-public-suffixes: true") }
            text += "  \(list.name): { \(facts.joined(separator: ", ")) }\n"
        }
        return text + scenario.configuration
    }

    /// The settings that a configuration says.
    /// - Throws: `ScenarioError` with every problem.
    func settings(_ text: String) throws -> Settings {
        let (settings, problems) = Settings.load(text: Array(text.utf8), file: "sluice.yaml")
        guard let settings else {
            let reasons = problems.map { "\($0)" }.joined(separator: "; ")
            throw ScenarioError(file: scenario.file, line: 1, kind: .configuration(reasons))
        }
        return settings
    }

    /// Compiles the lists of a policy and maps the result.
    func compile(_ policy: PolicySettings, of settings: Settings) throws -> Snapshot {
        let sources = policy.lists.compactMap { name -> ListSource? in
            guard let list = settings.lists.first(where: { $0.name == name }),
                let file = list.file
            else { return nil }
            return ListSource(name: list.name, text: .file(path: file), options: options(list))
        }
        let file = path("\(policy.name)-\(UUID().uuidString).sluice")
        _ = try Compilation(lists: sources).write(to: file)
        return try Snapshot(path: file)
    }

    private func options(_ list: ListSettings) -> ListOptions {
        ListOptions(
            format: list.format.flatMap { ListFormat(rawValue: $0.rawValue) } ?? .domains,
            scope: list.scope, action: list.action == .allow ? .allow : .block,
            allowPublicSuffixes: list.allowsPublicSuffixes)
    }
}
