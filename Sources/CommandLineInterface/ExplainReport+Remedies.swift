import DomainNames
import Explanation

extension ExplainReport {
    /// What unblocks the name, the least change first.
    ///
    /// When what it leads to is blocked, an allow rule on the name lets that pass for this name
    /// alone; a change on the target does so for every name that leads there.
    var remedies: [(remedy: Remedy, name: DomainName)] {
        let own = explanation.question.name
        guard let alias, aliases.chain?.isBlocking == true else {
            return explanation.remedies.map { ($0, own) }
        }
        return [(Remedy.allowName, own)]
            + alias.remedies.map { ($0, alias.question.name) }
    }

    /// A line for each change, under a title; empty when the name is not blocked.
    var remedyText: String {
        let remedies = remedies
        guard !remedies.isEmpty else { return "" }
        var rows: [[String]] = []
        for (remedy, name) in remedies {
            let isTarget = name != explanation.question.name
            rows.append([
                change(remedy, on: name),
                isTarget && remedy.change == .allowName
                    ? "also every name that leads to it" : effect(of: remedy, on: name),
            ])
        }
        return "to unblock it, and what else gets through:\n" + AlignedText.columns(rows)
    }

    /// What to do: a command, or words.
    func change(_ remedy: Remedy, on name: DomainName) -> String {
        command(of: remedy, on: name)
            ?? {
                switch remedy.change {
                case .removeLine(let list, let line):
                    "take line \(line) out of list \(listName(list))"
                case .removeList(let list):
                    "take list \(listName(list)) out of policy \(policy ?? "of the snapshot")"
                case .allowName, .allowSubtree: ""
                }
            }()
    }

    /// The command that makes the change; `nil` when it is made by hand.
    func command(of remedy: Remedy, on name: DomainName) -> String? {
        let suffix = policy.map { $0 == "default" ? "" : " --policy \($0)" } ?? ""
        switch remedy.change {
        case .allowName: return "sluice allow \(name)\(suffix)"
        case .allowSubtree: return "sluice allow \(name) --subtree\(suffix)"
        case .removeLine, .removeList: return nil
        }
    }

    private func effect(of remedy: Remedy, on name: DomainName) -> String {
        switch remedy.change {
        case .allowName: return "nothing; names below it stay as they are"
        case .allowSubtree:
            let listed =
                remedy.nameCount == 0
                ? "none of them is on a list"
                : "\(remedy.isAtLeast ? "at least " : "")\(AlignedText.count(remedy.nameCount)) "
                    + "of them on lists: \(list(remedy))"
            return "every name below it, \(listed)"
        case .removeLine:
            var parts: [String] = []
            if remedy.nameCount > 0 { parts.append(list(remedy)) }
            if let subtree = remedy.subtree {
                let isLast = remedy.nameCount == 1 && remedy.examples == [subtree]
                parts.append("every name below \(isLast ? "it" : subtree.description)")
            }
            return parts.isEmpty
                ? "nothing"
                : parts.joined(separator: " and ") + ", unless another rule blocks them"
        case .removeList(let list):
            let rules = list < sources.count ? sources[list].blockRules : 0
            return "what its \(AlignedText.count(rules)) block rules alone block"
        }
    }

    /// Names shown in a line to people; machines get all examples.
    private static let shownNames = 4

    /// `a.example, b.example and 12 more`
    private func list(_ remedy: Remedy) -> String {
        let shown = remedy.examples.prefix(Self.shownNames)
        let names = shown.map(\.description).joined(separator: ", ")
        let rest = remedy.nameCount - shown.count
        return rest > 0 ? "\(names) and \(AlignedText.count(rest)) more" : names
    }
}
