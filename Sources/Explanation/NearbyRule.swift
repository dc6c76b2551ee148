import DomainNames

/// A block rule that speaks of a name near the one asked for, and not of that.
package struct NearbyRule: Equatable, Sendable {
    /// How the rule's name lies to the name asked for.
    package enum Relation: Equatable, Sendable {
        /// It is the name itself, and the rule is for the names below it alone.
        case itself
        /// It lies above by so many labels, and the rule is for it alone.
        case above(Int)
        /// It lies below by so many labels.
        case below(Int)
        /// Both lie below a name of at least two labels; so many labels away, up and down.
        case beside(Int)
    }

    /// The rule.
    package let rule: FoundRule
    /// Where its name lies.
    package let relation: Relation

    /// What comes first is nearer: labels away, then above, below, beside.
    fileprivate var rank: (Int, Int) { relation.rank }
}

extension NearbyRule.Relation {
    /// Labels away, and which kinds come first.
    fileprivate var rank: (Int, Int) {
        switch self {
        case .itself: (0, 0)
        case .above(let labels): (labels, 1)
        case .below(let labels): (labels, 2)
        case .beside(let labels): (labels, 3)
        }
    }
}

/// The nearest few of the rules that were offered, the nearest first; of equally near ones those
/// offered first.
package struct NearbyRules: Sendable {
    /// Rules that are kept.
    package static let limit = 5

    /// Those kept.
    package private(set) var rules: [NearbyRule] = []

    /// Whether a rule of this relation would be kept: asked before a rule is made of a line.
    func wants(_ relation: NearbyRule.Relation) -> Bool {
        guard rules.count == Self.limit, let last = rules.last else { return true }
        return relation.rank < last.rank
    }

    /// Keeps the rule if it is one of the nearest and none says the same already.
    mutating func offer(_ rule: NearbyRule) {
        let meaning = rule.rule.meaning
        let isSaid = rules.contains {
            $0.rule.meaning.name == meaning.name && $0.rule.meaning.scope == meaning.scope
        }
        guard wants(rule.relation), !isSaid else { return }
        let place = rules.firstIndex { rule.rank < $0.rank } ?? rules.endIndex
        rules.insert(rule, at: place)
        if rules.count > Self.limit { rules.removeLast() }
    }
}

extension Question {
    /// How the name of a rule that does not speak of this one lies near it; `nil` when it is far.
    ///
    /// Names beside this one are near when they share two labels that do not look like a public
    /// suffix (`co.uk`): those are not known here, but the second label of one is short.
    func relation(to wire: Span<UInt8>) -> NearbyRule.Relation? {
        guard labelCount > 0 else { return nil }
        let (shared, theirs) = sharedLabels(with: wire)
        if shared == theirs { return shared == labelCount ? .itself : .above(labelCount - shared) }
        if shared == labelCount { return .below(theirs - shared) }
        guard
            shared > 2 || shared == 2 && !(labelSize(fromEnd: 0) == 2 && labelSize(fromEnd: 1) < 4)
        else { return nil }
        return .beside(labelCount - shared + theirs - shared)
    }
}
