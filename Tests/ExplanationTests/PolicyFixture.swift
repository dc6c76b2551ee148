import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Foundation
import Quantities

@testable import Explanation

/// A policy of lists given as text, compiled and explained.
struct PolicyFixture {
    struct List {
        var format: ListFormat
        var text: String
        var action = ListAction.block
        var rewrites = true
        var scope: NameScope?

        var options: ListOptions {
            ListOptions(
                format: format, scope: scope, action: action, allowPublicSuffixes: true,
                rewrites: rewrites)
        }
    }

    let lists: [List]
    let snapshot: Snapshot

    init(_ lists: [List]) throws {
        self.lists = lists
        let sources = lists.enumerated().map { number, list in
            ListSource(
                name: "list\(number)", text: .octets(Array(list.text.utf8)),
                options: list.options)
        }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-test-\(UUID().uuidString).sluice").path
        _ = try Compilation(lists: sources).write(to: file)
        snapshot = try Snapshot(path: file)
        try FileManager.default.removeItem(atPath: file)
    }

    func verdict(_ question: Question) -> Verdict {
        var scratch = MatchScratch()
        return snapshot.match(
            CanonicalName(question.name), type: question.type, on: question.occasion,
            into: &scratch)
    }

    /// What a rewritten name is answered with.
    func rewriteAnswer(_ question: Question) -> RewriteAnswer? {
        var scratch = MatchScratch()
        return snapshot.rewriteAnswer(
            CanonicalName(question.name), type: question.type, on: question.occasion,
            into: &scratch)
    }

    /// What each list says, its text handed over in chunks of `chunkSize`.
    func findings(_ question: Question, chunkSize: Int = 7) -> [ListFindings] {
        var below: NamesBelow?
        return findings(question, chunkSize: chunkSize, below: &below)
    }

    /// The same, with the blocked names below counted when `below` is given.
    func findings(
        _ question: Question, chunkSize: Int = 7, below: inout NamesBelow?
    ) -> [ListFindings] {
        lists.enumerated().map { number, list in
            var collector = RuleCollector(
                question: question, list: number, options: list.options,
                surroundings: below.map { .below($0) } ?? .nearest)
            defer { below = collector.below }
            let octets = Array(list.text.utf8)
            repeat {
                for start in stride(from: 0, to: octets.count, by: chunkSize) {
                    let end = min(start + chunkSize, octets.count)
                    collector.read(octets.span.extracting(start..<end))
                }
            } while collector.needsAnotherPass()
            return collector.findings
        }
    }

    func explain(
        _ name: String, type: UInt16 = 1, client: IPAddress? = nil
    ) throws -> NameExplanation {
        let question = Question(
            name: try DomainName(text: name), type: type,
            occasion: Occasion(client: client, seconds: 0))
        let verdict = verdict(question)
        var below: NamesBelow?
        if case .blocked = verdict {
            below = NamesBelow(snapshot: snapshot, type: type, occasion: question.occasion)
        }
        let found = findings(question, below: &below)
        return NameExplanation(
            question: question, verdict: verdict, findings: found, below: below)
    }
}
