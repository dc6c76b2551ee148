import Control
import Cryptography
import DomainNames
import Explanation
import FilterIndex
import FilterLists

/// What `sluice explain` prints, for people and for machines.
struct ExplainReport {
    /// The verdict and the rules.
    let explanation: NameExplanation
    /// The snapshot that decided.
    let snapshot: Snapshot
    /// The policy whose snapshot it is; `nil` for a file that was named.
    let policy: String?
    /// Why lists could not be read again, in the policy's order; `nil` for those that were.
    let absences: [ListTextSearch.Absence?]

    private var lists: [SnapshotManifest.List] { snapshot.manifest.lists }
    private var name: String { explanation.question.name.description }

    // MARK: For people

    /// The verdict with its rule, the other rules, what would unblock the name.
    var text: String {
        var lines = [headline]
        let others = explanation.rules.dropFirst(explanation.hasDecidingRule ? 1 : 0)
        if !others.isEmpty {
            lines.append("other rules on the name:")
            lines += others.map { "  \(text(of: $0)): \(word(for: $0))" }
        }
        if let rule = explanation.unblockingRule {
            let asName = rule.contains("$") ? "" : "; or \(name) in a list with action: allow"
            lines.append("to unblock it: \(rule) in an adblock list\(asName)")
        }
        for (list, absence) in zip(lists, absences) {
            if let absence { lines.append(Self.text(of: absence, list)) }
        }
        if !explanation.isComplete, absences.allSatisfy({ $0 == nil }) {
            lines.append(
                "the rules found do not explain the verdict: this is a fault of sluice, please "
                    + "report it")
        }
        return lines.map { Console.printable($0) + "\n" }.joined()
    }

    private var headline: String {
        let rule = explanation.decidingRule.map { text(of: $0) }
        let list = explanation.decidingList.map { "list \(listName($0)), line not known" }
        let source = rule ?? list ?? ""
        switch explanation.verdict {
        case .none:
            let count = lists.count
            return "\(name) is not blocked: no block rule of \(count) "
                + (count == 1 ? "list" : "lists") + " applies"
        case .allowed(_, let isImportant):
            return "\(name) is not blocked: allowed by \(source)"
                + (isImportant ? ", important" : "") + ", over a " + overruled
        case .blocked(_, let answer, let isImportant):
            let stated = Self.word(for: answer).map { ", answered \($0)" } ?? ""
            return "\(name) is blocked by \(source)" + (isImportant ? ", important" : "") + stated
        case .rewritten(_, let isImportant):
            return "\(name) is rewritten by \(source)" + (isImportant ? ", important" : "")
                + (rewriteText.map { ", answered \($0)" } ?? "")
        }
    }

    /// What an allow rule overrules.
    private var overruled: String {
        let applying = explanation.rules.filter { $0.fate == .applies }
        return applying.contains { $0.kind == .rewrite } ? "rewrite" : "block"
    }

    /// What the deciding rewrite answers with.
    private var rewriteText: String? {
        guard let stated = explanation.decidingRule?.statedAnswer, !stated.isEmpty else {
            return nil
        }
        return stated
    }

    /// `list ads, line 12: ||example.com^ (subtree)`
    private func text(of rule: FoundRule) -> String {
        "list \(listName(rule.list)), line \(rule.line): \(rule.text) "
            + "(\(rule.meaning.scope.word))"
    }

    private func listName(_ list: Int) -> String {
        list < lists.count ? lists[list].name : "?"
    }

    /// What a rule that does not decide does.
    private func word(for rule: FoundRule) -> String {
        switch rule.fate {
        case .applies:
            switch explanation.verdict {
            case .none: "allows, but nothing blocks"
            default: rule.kind == .rewrite ? "rewrites" : rule.meaning.isAllow ? "allows" : "blocks"
            }
        case .otherType: "not for this query type"
        case .otherClient: "not for this client"
        case .excepted(let name): "not for \(name)"
        case .disabled: "disabled by a $badfilter rule"
        case .disables: "disables the rule it repeats"
        case .outrankedInList(let line): "line \(line) of the list is more specific"
        case .narrowsItsList: "takes the name out of wider rules of its list"
        case .answeredByZoneData: "answered with the data of its zone"
        case .rewritesOff: "a rewrite, and those of this list do not count"
        case .exceptsRewrites: "takes rewrites of the name out"
        case .rewriteExcepted: "a rewrite with an exception"
        case .undecided(let reason): "not decided: \(reason)"
        }
    }

    private static func text(
        of absence: ListTextSearch.Absence, _ list: SnapshotManifest.List
    ) -> String {
        switch absence {
        case .gone:
            "list \(list.name): its text is gone (\(list.source)), so its rules are not shown"
        case .changed:
            "list \(list.name): its text changed since it was compiled (\(list.source)), so its "
                + "rules are not shown; compile again"
        case .unknownFormat:
            "list \(list.name): its format \(list.format) is not known here, so its rules are not "
                + "shown"
        }
    }

    /// An answer that a list states; `nil` for that of the configuration.
    private static func word(for answer: BlockAnswer) -> String? {
        switch answer {
        case .standard: nil
        case .noData: "NODATA"
        case .refused: "REFUSED"
        case .drop: "by silence"
        }
    }

    // MARK: For machines

    /// One object.
    var json: String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("name", name)
            object.member("type", RecordTypeText.text(of: explanation.question.type))
            if let policy { object.member("policy", policy) }
            object.member("snapshot", snapshot.path)
            object.member("snapshotID", "\(snapshot.snapshotID)")
            writeVerdict(to: &object)
            object.member("complete", explanation.isComplete)
            object.member("rules") { value in
                value.array { array in
                    for rule in explanation.rules { array.object { write(rule, to: &$0) } }
                }
            }
            if let rule = explanation.unblockingRule { object.member("unblock", rule) }
            object.member("unreadLists") { value in
                value.array { array in
                    for (list, absence) in zip(lists, absences) {
                        guard let absence else { continue }
                        array.object {
                            $0.member("list", list.name)
                            $0.member("source", list.source)
                            $0.member("reason", "\(absence)")
                        }
                    }
                }
            }
        }
        return writer.text
    }

    private func writeVerdict(to object: inout JSONWriter) {
        switch explanation.verdict {
        case .none: object.member("verdict", "none")
        case .allowed(_, let isImportant):
            object.member("verdict", "allowed")
            object.member("important", isImportant)
        case .blocked(_, let answer, let isImportant):
            object.member("verdict", "blocked")
            object.member("important", isImportant)
            if let word = Self.word(for: answer) { object.member("answer", word) }
        case .rewritten(_, let isImportant):
            object.member("verdict", "rewritten")
            object.member("important", isImportant)
            if let text = rewriteText { object.member("answer", text) }
        }
        object.member("blocked", explanation.isBlocked)
        if let list = explanation.decidingList { object.member("list", listName(list)) }
        if let rule = explanation.decidingRule {
            object.member("line", rule.line)
            object.member("rule", rule.text)
        }
    }

    private func write(_ rule: FoundRule, to object: inout JSONWriter) {
        object.member("list", listName(rule.list))
        object.member("line", rule.line)
        object.member("rule", rule.text)
        object.member("kind", rule.kind.rawValue)
        object.member("name", rule.meaning.name.description)
        object.member("scope", rule.meaning.scope.word)
        object.member("decides", explanation.hasDecidingRule && rule == explanation.rules.first)
        object.member("applies", rule.fate == .applies)
        if rule.fate != .applies { object.member("why", word(for: rule)) }
        if rule.meaning.isImportant { object.member("important", true) }
        if !rule.statedAnswer.isEmpty { object.member("answer", rule.statedAnswer) }
        if !rule.meaning.types.isEmpty {
            object.strings(
                rule.meaning.typesAreExcluded ? "typesNot" : "types",
                rule.meaning.types.map { RecordTypeText.text(of: $0) })
        }
        if !rule.meaning.clients.isEmpty {
            object.strings(
                "clients",
                rule.meaning.clients.map { ($0.isExcluded ? "~" : "") + "\($0.prefix)" }.sorted())
        }
        if !rule.meaning.exceptions.isEmpty {
            object.strings("except", rule.meaning.exceptions.map(\.name.description).sorted())
        }
    }
}
