import DomainNames
import FilterIndex

/// Asks a snapshot whether it blocks a name, and whether it blocks what is below.
struct NameProbe {
    private let snapshot: Snapshot
    private var scratch = MatchScratch()
    private var child = CanonicalName()

    /// Type A: rules on one type alone are conditional and not asked about.
    private static let type: UInt16 = 1

    /// A probe of `snapshot`.
    init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    /// The list by which `name` itself is blocked; `nil` when it is not.
    mutating func blockingList(_ name: borrowing CanonicalName) -> RuleReference? {
        Self.list(snapshot.match(name, type: Self.type, on: .nobody, into: &scratch))
    }

    /// The list by which names below `name` are blocked, as far as `*` below it tells; `nil` when
    /// they are not, or there is no room for any.
    mutating func blockingList(below name: borrowing CanonicalName) -> RuleReference? {
        guard assignChild(of: name) else { return nil }
        return Self.list(snapshot.match(child, type: Self.type, on: .nobody, into: &scratch))
    }

    /// Whether allow rules speak of `name` itself.
    mutating func isAllowed(_ name: borrowing CanonicalName) -> Bool {
        snapshot.allowVerdict(name, type: Self.type, on: .nobody, into: &scratch) != .none
    }

    private mutating func assignChild(of name: borrowing CanonicalName) -> Bool {
        let star: InlineArray<1, UInt8> = [UInt8(ascii: "*")]
        child.assignRoot()
        guard (try? child.append(label: star.span)) != nil else { return false }
        for index in 0..<name.labelCount {
            guard (try? child.append(label: name.label(index))) != nil else { return false }
        }
        return true
    }

    private static func list(_ verdict: Verdict) -> RuleReference? {
        guard case .blocked(let reference, _, _) = verdict else { return nil }
        return reference
    }
}
