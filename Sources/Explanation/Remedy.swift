import DomainNames

/// One change that unblocks a name, and what else it lets through.
package struct Remedy: Equatable, Sendable {
    /// What is changed.
    package enum Change: Equatable, Sendable {
        /// A rule of one's own allows the name, and no other.
        case allowName
        /// A rule of one's own allows the name and all names below it.
        case allowSubtree
        /// A line is taken out of a list.
        case removeLine(list: Int, line: Int)
        /// A list is taken out of the policy.
        case removeList(Int)
    }

    /// What is changed.
    package let change: Change
    /// Names of rules that would be reachable too, the name itself not counted.
    package let nameCount: Int
    /// Whether `nameCount` is the least that there are.
    package let isAtLeast: Bool
    /// Some of those names.
    package let examples: [DomainName]
    /// The name below which all that no other rule blocks would be reachable; `nil` when nothing
    /// changes for names that no rule has.
    package let subtree: DomainName?

    /// A rule of one's own on the very name: nothing else gets through.
    package static let allowName = Remedy(.allowName)

    /// A change that lets these through.
    init(
        _ change: Change, nameCount: Int = 0, isAtLeast: Bool = false, examples: [DomainName] = [],
        subtree: DomainName? = nil
    ) {
        self.change = change
        self.nameCount = nameCount
        self.isAtLeast = isAtLeast
        self.examples = examples
        self.subtree = subtree
    }
}

extension NameExplanation {
    /// What unblocks the name, the change that lets the least through first; none when it is not
    /// blocked.
    ///
    /// A line or a list is named only when it alone blocks. Lines of dnsmasq, Unbound and RPZ lists
    /// are not named: there other lines of the list change their meaning with them.
    package var remedies: [Remedy] {
        guard isBlocked else { return [] }
        var remedies = [Remedy.allowName]
        let blocks = rules.filter(\.isBlocking)
        let lists = Set(blocks.map(\.list))
        if isComplete, lists.count == 1, let rule = blocks.first {
            let isOneLine = blocks.allSatisfy { $0.line == rule.line }
            if isOneLine, !rule.isInSettledList {
                remedies.append(removal(of: blocks, at: rule))
            } else {
                remedies.append(Remedy(.removeList(rule.list)))
            }
        }
        if let below {
            remedies.append(
                Remedy(
                    .allowSubtree, nameCount: below.count, isAtLeast: below.isCapped,
                    examples: below.examples, subtree: question.name))
        }
        return remedies
    }

    /// Taking out the only line that blocks: its other names go with it.
    private func removal(of blocks: [FoundRule], at rule: FoundRule) -> Remedy {
        let names = rule.lineNames.filter { $0 != question.name }
        let hasOwnName = blocks.contains { $0.meaning.name == question.name }
        let widest = blocks.filter(\.meaning.scope.includesBelow)
            .min { $0.meaning.name.labelCount < $1.meaning.name.labelCount }
        return Remedy(
            .removeLine(list: rule.list, line: rule.line),
            nameCount: rule.lineNameCount - (hasOwnName ? 1 : 0),
            examples: Array(names.prefix(NamesBelow.exampleLimit)),
            subtree: widest?.meaning.name)
    }
}
