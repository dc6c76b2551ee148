import DNSClient
import DomainNames
import Explanation
import FilterCompiler
import FilterIndex
import LinuxSystem

/// What `sluice explain` prints. For people: the verdict, then why, then what would change it.
struct ExplainReport {
    /// The verdict on the name and its rules.
    let explanation: NameExplanation
    /// The same of the blocked name that the answer leads to; `nil` when there is none.
    let alias: NameExplanation?
    /// What an upstream said of the name.
    let aliases: AliasFollower.Outcome
    /// The snapshot that decided.
    let snapshot: Snapshot
    /// The policy whose snapshot it is; `nil` for a file that was named.
    let policy: String?
    /// The texts of the rules, in the order by which rules name them.
    let sources: [RuleSource]
    /// Why texts could not be read again, in the same order; `nil` for those that were.
    let absences: [ListTextSearch.Absence?]

    /// The user's own rules on the name, the deciding one first.
    let ownRules: [(line: Int, rule: OwnRule)]

    /// Aliases that are shown to people.
    private static let shownAliases = 8

    /// Whether the daemon blocks the name, by itself or by what it leads to.
    var isBlocked: Bool {
        if let own = ownRules.first, explanation.exemption != .nat64 { return !own.rule.isAllow }
        return isBlockedByLists
    }

    /// The same without the own rules.
    private var isBlockedByLists: Bool {
        explanation.isBlocked || aliases.chain?.isBlocking == true
    }

    /// The name asked for.
    var name: String { explanation.question.name.description }

    /// The name of a list.
    func listName(_ list: Int) -> String { list < sources.count ? sources[list].name : "?" }

    /// All lines.
    var text: String {
        var lines = ownLines + [headline]
        lines += aliasLines
        lines += ruleLines(of: explanation, title: "other rules on the name:")
        if let alias {
            let title = "other rules on \(alias.question.name):"
            lines += ruleLines(of: alias, title: title)
        }
        if !isBlockedByLists, !explanation.nearby.isEmpty {
            lines.append("nearest block rules:")
            lines += explanation.nearby.map { "  \(text(of: $0.rule)): \(word(for: $0))" }
        }
        for (source, absence) in zip(sources, absences) {
            if let absence { lines.append(Self.text(of: absence, source)) }
        }
        let isComplete = explanation.isComplete && alias?.isComplete != false
        if !isComplete, absences.allSatisfy({ $0 == nil }) {
            lines.append(
                "the rules found do not explain the verdict: this is a fault of sluice, please "
                    + "report it")
        }
        return lines.map { Console.printable($0) + "\n" }.joined() + remedyText
    }

    // MARK: Own rules

    /// What own rules decide before the lists; the lines after these tell of the lists alone.
    private var ownLines: [String] {
        guard let first = ownRules.first else { return [] }
        func text(_ entry: (line: Int, rule: OwnRule)) -> String {
            "\(OwnRules.fileName), line \(entry.line): \(entry.rule.line)"
        }
        let verdict = first.rule.isAllow ? "not blocked: allowed" : "blocked"
        var lines = ["\(name) is \(verdict) by your own rule, \(text(first))"]
        lines += ownRules.dropFirst().map { "  outdone by it: \(text($0))" }
        let policy = first.rule.policy
        lines.append(
            "  to take it back: sluice rules remove \(first.rule.name)"
                + (policy == OwnRule.defaultPolicy ? "" : " --policy \(policy)"))
        lines.append("without own rules:")
        return lines
    }

    // MARK: The verdict

    private var headline: String {
        if let alias, aliases.chain?.isBlocking == true {
            return "\(name) is blocked: it leads to \(alias.question.name), blocked by "
                + blocker(of: alias)
        }
        switch explanation.verdict {
        case .none:
            let count = sources.count
            return "\(name) is not blocked: no block rule of \(count) "
                + (count == 1 ? "list" : "lists") + " applies"
        case .allowed(_, let isImportant):
            return "\(name) is not blocked: allowed by \(decider(of: explanation))"
                + (isImportant ? ", important" : "") + ", over a \(overruled)"
        case .rewritten:
            let rewriter = rewriter(of: explanation)
            guard explanation.exemption == nil else {
                return "\(name) is not rewritten: hosts find their NAT64 prefix by it (RFC 8880), "
                    + "over a rewrite by \(rewriter)"
            }
            return "\(name) is rewritten by \(rewriter)"
        case .blocked:
            switch explanation.exemption {
            case nil: return "\(name) is blocked by \(blocker(of: explanation))"
            case .nat64:
                return "\(name) is not blocked: hosts find their NAT64 prefix by it (RFC 8880), "
                    + "over a block by \(blocker(of: explanation))"
            case .validation:
                return "\(name) is not blocked for this type: a validator has to prove what is "
                    + "allowed below it, over a block by \(blocker(of: explanation))"
            }
        }
    }

    /// `list ads, line 2: ||example.com^ (subtree), important, answered NODATA`
    private func blocker(of explanation: NameExplanation) -> String {
        guard case .blocked(_, let answer, let isImportant) = explanation.verdict else { return "" }
        let stated = Self.word(for: answer).map { ", answered \($0)" } ?? ""
        return decider(of: explanation) + (isImportant ? ", important" : "") + stated
    }

    /// What an allow rule overrules.
    private var overruled: String {
        let applying = explanation.rules.filter { $0.fate == .applies }
        return applying.contains { $0.kind == .rewrite } ? "rewrite" : "block"
    }

    /// `list home, line 2: ||nas.example^$dnsrewrite=10.0.0.2 (subtree), answered 10.0.0.2`
    private func rewriter(of explanation: NameExplanation) -> String {
        guard case .rewritten(_, let isImportant) = explanation.verdict else { return "" }
        return decider(of: explanation) + (isImportant ? ", important" : "")
            + (rewriteText(of: explanation).map { ", answered \($0)" } ?? "")
    }

    /// What the deciding rewrite answers with, in the words of its list.
    func rewriteText(of explanation: NameExplanation) -> String? {
        guard let stated = explanation.decidingRule?.statedAnswer, !stated.isEmpty else {
            return nil
        }
        return stated
    }

    private func decider(of explanation: NameExplanation) -> String {
        if let rule = explanation.decidingRule { return text(of: rule) }
        return explanation.decidingList.map { "list \(listName($0)), line not known" } ?? ""
    }

    // MARK: Where it leads

    private var aliasLines: [String] {
        switch aliases {
        case .notAsked: return []
        case .failed(let cause): return ["where it leads is not known: \(cause)"]
        case .answered(let upstream, let chain):
            guard !chain.targets.isEmpty else { return [] }
            let shown = chain.targets.prefix(Self.shownAliases).map(\.name.description)
            let rest = chain.targets.count - shown.count
            let more = rest > 0 ? " and \(AlignedText.count(rest)) more" : ""
            var lines = ["it leads to \(shown.joined(separator: ", "))\(more), says \(upstream)"]
            if let alias, !chain.isBlocking {
                lines.append(
                    "\(alias.question.name), on \(blocker(of: alias)), passes: an allow rule on "
                        + "\(name) lets what it leads to pass")
            }
            return lines
        }
    }

    // MARK: Rules

    private func ruleLines(of explanation: NameExplanation, title: String) -> [String] {
        let others = explanation.rules.dropFirst(explanation.hasDecidingRule ? 1 : 0)
        guard !others.isEmpty else { return [] }
        var lines = [title]
        lines += others.map { "  \(text(of: $0)): \(word(for: $0, in: explanation))" }
        if explanation.omittedRules > 0 {
            lines.append(
                "  and \(AlignedText.count(explanation.omittedRules)) more lines that say the same")
        }
        return lines
    }

    /// `list ads, line 12: ||example.com^ (subtree)`; `pattern` in place of a scope.
    private func text(of rule: FoundRule) -> String {
        "list \(listName(rule.list)), line \(rule.line): \(rule.text) "
            + "(\(rule.meaning.pattern.isEmpty ? rule.meaning.scope.word : "pattern"))"
    }

    /// What a rule that does not decide does.
    func word(for rule: FoundRule, in explanation: NameExplanation) -> String {
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

    /// Why a rule near the name does not speak of it.
    func word(for nearby: NearbyRule) -> String {
        let name = nearby.rule.meaning.name
        switch nearby.relation {
        case .itself: return "only for names below"
        case .above: return "only for \(name) itself, above"
        case .below: return "for \(name), below"
        case .beside: return "for \(name), beside"
        }
    }

    private static func text(
        of absence: ListTextSearch.Absence, _ source: RuleSource
    ) -> String {
        switch absence {
        case .gone:
            "list \(source.name): its text is gone (\(source.origin)), so its rules are not shown"
        case .changed:
            "list \(source.name): its text changed since it was compiled (\(source.origin)), so "
                + "its rules are not shown; compile again"
        case .unknownFormat:
            "list \(source.name): its format is not known here, so its rules are not shown"
        }
    }

    /// An answer that a list states; `nil` for that of the configuration.
    static func word(for answer: BlockAnswer) -> String? {
        switch answer {
        case .standard: nil
        case .noData: "NODATA"
        case .refused: "REFUSED"
        case .drop: "by silence"
        }
    }
}
