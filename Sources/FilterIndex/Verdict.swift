/// Who is behind a decision: a list of the snapshot's policy, by number.
@frozen
public struct RuleReference: Hashable, Sendable {
    /// Position of the list in the manifest, from 0.
    public let list: UInt16

    /// A reference to list number `list`.
    @inlinable
    public init(list: UInt16) { self.list = list }

    /// The user's own rules, which belong to no list.
    @inlinable
    public static var own: RuleReference { RuleReference(list: .max) }
}

/// What a blocked name is answered with.
@frozen
public enum BlockAnswer: UInt8, Sendable, CaseIterable {
    /// The answer of the setting `block-answer`.
    case standard = 0
    /// NOERROR without records, as the list says.
    case noData = 1
    /// REFUSED, as the list says.
    case refused = 2
    /// No answer at all, as the list says.
    case drop = 3
}

/// The decision on one name and type.
@frozen
public enum Verdict: Hashable, Sendable {
    /// No block and no rewrite applies. Allow rules were not looked at: they decide only over
    /// those.
    case none
    /// A block or rewrite applies and an allow rule overrides it.
    case allowed(RuleReference, isImportant: Bool)
    /// Blocked.
    case blocked(RuleReference, answer: BlockAnswer, isImportant: Bool)
    /// Answered as the list says: ask `Snapshot.rewriteAnswer` for the answer.
    case rewritten(RuleReference, isImportant: Bool)
}

/// What the prefilter did for one match, for the caller's counters.
@frozen
public struct MatchObservation: Hashable, Sendable {
    /// The prefilter said "maybe".
    public let prefilterHit: Bool
    /// It said so, and no suffix of the name is in the index as a name of block kind.
    public let falsePositive: Bool
    /// It was right, a suffix is in the index, but no rule's scope or condition took the name.
    public let outOfScope: Bool

    /// An observation of these facts.
    @inlinable
    public init(prefilterHit: Bool, falsePositive: Bool = false, outOfScope: Bool = false) {
        self.prefilterHit = prefilterHit
        self.falsePositive = falsePositive
        self.outOfScope = outOfScope
    }
}

/// Room that a match needs: one a worker, reused for every query.
public struct MatchScratch: Sendable {
    /// The key of the last name that passed the prefilter.
    var key = SearchKey()
    /// The key of the last name that the own rules were asked about.
    var ownKey = IndexKey()
    /// What the prefilter did for the last name matched.
    public internal(set) var observation = MatchObservation(prefilterHit: false)

    /// Fresh room.
    public init() {}
}
