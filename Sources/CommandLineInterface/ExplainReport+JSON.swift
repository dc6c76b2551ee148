import Control
import Cryptography
import DNSClient
import DomainNames
import Explanation
import FilterCompiler
import FilterIndex
import FilterLists

/// For machines: one object, described in docs/JSONOutput.md.
extension ExplainReport {
    /// The object.
    var json: String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("name", name)
            object.member("type", RecordTypeText.text(of: explanation.question.type))
            if let policy { object.member("policy", policy) }
            object.member("snapshot", snapshot.path)
            object.member("snapshotID", "\(snapshot.snapshotID)")
            object.member("blocked", isBlocked)
            writeOwnRules(to: &object)
            writeVerdict(of: explanation, to: &object)
            if let exemption = explanation.exemption {
                object.member("exemption", exemption.rawValue)
            }
            writeRules(of: explanation, to: &object)
            object.member("nearby") { value in
                value.array { array in
                    for nearby in explanation.nearby { array.object { write(nearby, to: &$0) } }
                }
            }
            writeAliases(to: &object)
            if let rule = explanation.unblockingRule { object.member("unblock", rule) }
            writeRemedies(to: &object)
            writeAbsences(to: &object)
        }
        return writer.text
    }

    private func writeOwnRules(to object: inout JSONWriter) {
        object.member("ownRules") { value in
            value.array { array in
                for (line, rule) in ownRules {
                    array.object { object in
                        object.member("line", line)
                        object.member("rule", rule.line)
                        object.member("action", rule.isAllow ? "allow" : "block")
                        object.member("name", rule.name.description)
                        object.member("scope", rule.scope.word)
                    }
                }
            }
        }
    }

    private func writeVerdict(of explanation: NameExplanation, to object: inout JSONWriter) {
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
            if let text = rewriteText(of: explanation) { object.member("answer", text) }
        }
        if let list = explanation.decidingList { object.member("list", listName(list)) }
        if let rule = explanation.decidingRule {
            object.member("line", rule.line)
            object.member("rule", rule.text)
        }
    }

    private func writeRules(of explanation: NameExplanation, to object: inout JSONWriter) {
        object.member("complete", explanation.isComplete)
        object.member("rules") { value in
            value.array { array in
                for (index, rule) in explanation.rules.enumerated() {
                    array.object { object in
                        write(rule, to: &object)
                        object.member("decides", explanation.hasDecidingRule && index == 0)
                        object.member("applies", rule.fate == .applies)
                        if rule.fate != .applies {
                            object.member("why", word(for: rule, in: explanation))
                        }
                    }
                }
            }
        }
        object.member("omittedRules", explanation.omittedRules)
    }

    private func write(_ rule: FoundRule, to object: inout JSONWriter) {
        object.member("list", listName(rule.list))
        object.member("line", rule.line)
        object.member("rule", rule.text)
        object.member("kind", rule.kind.rawValue)
        if rule.meaning.pattern.isEmpty {
            object.member("name", rule.meaning.name.description)
            object.member("scope", rule.meaning.scope.word)
        } else {
            object.member("pattern", rule.meaning.pattern)
        }
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

    private func write(_ nearby: NearbyRule, to object: inout JSONWriter) {
        write(nearby.rule, to: &object)
        let relation: (word: String, labels: Int) =
            switch nearby.relation {
            case .itself: ("itself", 0)
            case .above(let labels): ("above", labels)
            case .below(let labels): ("below", labels)
            case .beside(let labels): ("beside", labels)
            }
        object.member("relation", relation.word)
        object.member("labelsAway", relation.labels)
        object.member("why", word(for: nearby))
    }

    // MARK: Where the name leads

    private func writeAliases(to object: inout JSONWriter) {
        object.member("aliases") { value in
            value.object { object in
                switch aliases {
                case .notAsked: object.member("state", "notAsked")
                case .failed(let cause):
                    object.member("state", "failed")
                    object.member("reason", "\(cause)")
                case .answered(let upstream, let chain):
                    object.member("state", "answered")
                    object.member("upstream", "\(upstream)")
                    object.strings("targets", chain.targets.map(\.name.description))
                }
                if let alias {
                    object.member("blocked") { value in
                        value.object { object in
                            object.member("name", alias.question.name.description)
                            object.member("passes", aliases.chain?.exemption != nil)
                            writeVerdict(of: alias, to: &object)
                            writeRules(of: alias, to: &object)
                        }
                    }
                }
            }
        }
    }

    // MARK: What would change it

    private func writeRemedies(to object: inout JSONWriter) {
        object.member("remedies") { value in
            value.array { array in
                for (remedy, name) in remedies {
                    array.object { write(remedy, on: name, to: &$0) }
                }
            }
        }
    }

    private func write(_ remedy: Remedy, on name: DomainName, to object: inout JSONWriter) {
        switch remedy.change {
        case .allowName: object.member("change", "allow")
        case .allowSubtree: object.member("change", "allowSubtree")
        case .removeLine(let list, let line):
            object.member("change", "removeLine")
            object.member("list", listName(list))
            object.member("line", line)
        case .removeList(let list):
            object.member("change", "removeList")
            object.member("list", listName(list))
            object.member("blockRules", list < sources.count ? sources[list].blockRules : 0)
        }
        object.member("name", name.description)
        if let command = command(of: remedy, on: name) { object.member("command", command) }
        object.member("alsoReachable") { value in
            value.object { object in
                object.member("names", remedy.nameCount)
                object.member("atLeast", remedy.isAtLeast)
                object.strings("examples", remedy.examples.map(\.description))
                if let pattern = remedy.pattern { object.member("pattern", pattern) }
                if let subtree = remedy.subtree { object.member("below", subtree.description) }
            }
        }
    }

    private func writeAbsences(to object: inout JSONWriter) {
        object.member("unreadLists") { value in
            value.array { array in
                for (source, absence) in zip(sources, absences) {
                    guard let absence else { continue }
                    array.object {
                        $0.member("list", source.name)
                        $0.member("source", source.origin)
                        $0.member("reason", "\(absence)")
                    }
                }
            }
        }
    }
}
