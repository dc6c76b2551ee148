import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Foundation
import WireFixtures

@testable import ListImpact

/// A list given as text.
struct ListFixture {
    var format: ListFormat
    var text: String

    var options: ListOptions { ListOptions(format: format, allowPublicSuffixes: true) }

    /// The snapshot of these lists.
    static func compile(_ lists: [ListFixture]) throws -> Snapshot {
        let sources = lists.enumerated().map { number, list in
            ListSource(
                name: "list\(number)", text: .octets(Array(list.text.utf8)),
                options: list.options)
        }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-test-\(UUID().uuidString).sluice").path
        _ = try Compilation(lists: sources).write(to: file)
        let snapshot = try Snapshot(path: file)
        try FileManager.default.removeItem(atPath: file)
        return snapshot
    }

    /// The walk over this list beside a policy, the text handed over in chunks of `chunkSize`.
    func walk(
        _ decision: JointDecision, names: [DomainName] = [], chunkSize: Int = 7
    ) -> CandidateWalk {
        var walk = CandidateWalk(decision, options: options, names: names)
        let octets = Array(text.utf8)
        for start in stride(from: 0, to: octets.count, by: chunkSize) {
            let end = min(start + chunkSize, octets.count)
            walk.read(octets.span.extracting(start..<end))
        }
        walk.finish()
        return walk
    }
}

extension SeededGenerator {
    /// Few labels, so that names meet.
    mutating func fewName() -> String {
        (0..<number(1..<5)).map { _ in ["a", "b", "ab"][number(0..<3)] }.joined(separator: ".")
    }

    /// A list on few names, without `$badfilter` and exceptions to rewrites.
    mutating func list() -> ListFixture {
        let format: ListFormat = [.adblock, .domains, .wildcard, .dnsmasq, .rpz][number(0..<5)]
        let lines = (0..<number(0..<20)).map { _ in line(format) }
        return ListFixture(format: format, text: lines.joined(separator: "\n"))
    }

    private mutating func line(_ format: ListFormat) -> String {
        let name = fewName()
        switch format {
        case .adblock:
            let isAllow = chance(35)
            let start = (isAllow ? "@@" : "") + ["||", "|", "||*."][number(0..<3)]
            var modifiers: [String] = []
            if !isAllow, chance(15) { modifiers.append("dnsrewrite=192.0.2.1") }
            if chance(25) { modifiers.append("important") }
            if chance(15) { modifiers.append("dnstype=" + ["A", "~A", "AAAA"][number(0..<3)]) }
            if chance(15) { modifiers.append("denyallow=\(fewName())") }
            return start + name + "^"
                + (modifiers.isEmpty ? "" : "$" + modifiers.joined(separator: ","))
        case .dnsmasq:
            return chance(30)
                ? "server=/\(name)/#" : "address=/\(name)/" + (chance(20) ? "192.0.2.1" : "")
        case .rpz:
            return (chance(50) ? "*." : "") + name
                + (chance(70) ? " CNAME ." : " CNAME rpz-passthru.")
        case .wildcard: return (chance(50) ? "*." : "") + name
        default: return (chance(20) ? "." : "") + name
        }
    }
}
