import Cryptography
import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Foundation

/// Snapshots for tests, in temporary files.
enum SnapshotFixture {
    /// The snapshot that these octets are.
    static func open(_ image: [UInt8]) throws -> Snapshot {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-test-\(UUID().uuidString).sluice")
        try Data(image).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try Snapshot(path: url.path)
    }

    /// A manifest of `count` lists without text.
    static func manifest(lists count: Int, names: Int = 0) -> SnapshotManifest {
        SnapshotManifest(
            namesRead: names, namesKept: 0,
            lists: (0..<count).map { number in
                SnapshotManifest.List(
                    name: "list\(number)", source: "", format: "domains", isAllowList: false,
                    digest: SHA256.digest(of: [UInt8]().span), textSize: 0, lineCount: 0,
                    blockRules: 0, allowRules: 0, skipped: [])
            })
    }

    /// The file of these rules.
    static func image(
        _ rules: [NaiveFilter.Rule], lists: Int = 4, options: PrefilterOptions = .init()
    ) throws -> [UInt8] {
        var policy = PolicyRules()
        for rule in rules { policy.add(rule.policyRule) }
        return try SnapshotBuilder(prefilter: options).image(
            of: policy, manifest: manifest(lists: lists, names: rules.count))
    }

    /// A snapshot of lists given as text.
    static func compile(_ lists: [(format: ListFormat, text: String)]) throws -> (
        snapshot: Snapshot, result: CompilationResult
    ) {
        let sources = lists.enumerated().map { number, list in
            ListSource(
                name: "list\(number)", text: .octets(Array(list.text.utf8)),
                options: ListOptions(format: list.format))
        }
        let (image, result) = try Compilation(lists: sources).build()
        return (try open(image), result)
    }
}

extension Snapshot {
    /// The decision on a name, with fresh room.
    func verdict(
        _ name: DomainName, type: UInt16 = 1, on occasion: Occasion = .nobody
    ) -> Verdict {
        var scratch = MatchScratch()
        return match(CanonicalName(name), type: type, on: occasion, into: &scratch)
    }

    /// The decision on a name in presentation form.
    func verdict(
        _ text: String, type: UInt16 = 1, on occasion: Occasion = .nobody
    ) throws -> Verdict {
        verdict(try DomainName(text: text), type: type, on: occasion)
    }
}
