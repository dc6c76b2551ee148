import DomainNames
import FilterIndex

/// A rule of the user's own: one name, blocked or allowed in one policy, for good or until a time.
///
/// ```
/// line    block|allow NAME [subtree] [policy POLICY] [until SECONDS]
/// ```
/// `NAME` is in presentation form (RFC 1035 §5.1), `SECONDS` are those since 1970. Words are parted
/// by spaces or tabs. Without `policy` it is the policy `default`.
package struct OwnRule: Equatable, Sendable {
    /// Whether it allows; else it blocks.
    package let isAllow: Bool
    /// The name, in lower case.
    package let name: DomainName
    /// Whether the names below belong to it.
    package let includesSubtree: Bool
    /// The policy.
    package let policy: String
    /// The second since 1970 from which on it is as if it were not there; `nil` for good.
    package let until: Int64?

    /// The policy of rules that name none.
    package static let defaultPolicy = "default"

    /// A rule of these facts.
    package init(
        isAllow: Bool, name: DomainName, includesSubtree: Bool = false,
        policy: String = OwnRule.defaultPolicy, until: Int64? = nil
    ) {
        self.isAllow = isAllow
        self.name = name.lowercased
        self.includesSubtree = includesSubtree
        self.policy = policy
        self.until = until
    }

    /// Why a line is no rule.
    package enum Fault: Error, Equatable, Sendable {
        /// The first word is neither `block` nor `allow`.
        case unknownAction(String)
        /// There is no name, or it is none.
        case badName(String)
        /// A word that is not understood, or comes twice.
        case unexpected(String)
        /// A word after which something is missing.
        case incomplete(String)
        /// The file has more rules than are taken.
        case tooMany(limit: Int)
    }

    /// The rule that a line makes.
    package init(line: String) throws(Fault) {
        let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
        let action = words.first ?? ""
        guard action == "block" || action == "allow" else { throw .unknownAction(action) }
        guard words.count > 1, let name = try? DomainName(text: words[1]) else {
            throw .badName(words.count > 1 ? words[1] : "")
        }
        var includesSubtree = false
        var policy: String?
        var until: Int64?
        var rest = words.dropFirst(2)
        while let word = rest.popFirst() {
            switch word {
            case "subtree" where !includesSubtree:
                includesSubtree = true
            case "policy" where policy == nil:
                guard let value = rest.popFirst() else { throw .incomplete(word) }
                policy = value
            case "until" where until == nil:
                guard let value = rest.popFirst() else { throw .incomplete(word) }
                guard let seconds = Int64(value), (1..<RuleConditions.lastEnd).contains(seconds)
                else { throw .unexpected(value) }
                until = seconds
            default:
                throw .unexpected(word)
            }
        }
        self.init(
            isAllow: action == "allow", name: name, includesSubtree: includesSubtree,
            policy: policy ?? OwnRule.defaultPolicy, until: until)
    }

    /// The line that makes this rule.
    package var line: String {
        var words = [isAllow ? "allow" : "block", "\(name)"]
        if includesSubtree { words.append("subtree") }
        if policy != OwnRule.defaultPolicy { words += ["policy", policy] }
        if let until { words += ["until", "\(until)"] }
        return words.joined(separator: " ")
    }

    /// Which names it speaks of.
    package var scope: NameScope { includesSubtree ? .subtree : .exact }

    /// Whether it speaks of a name.
    package func covers(_ other: DomainName) -> Bool {
        let wire = other.lowercased.wire
        if wire == name.wire { return true }
        guard includesSubtree, wire.count > name.wire.count else { return false }
        var offset = 0
        while offset < wire.count, wire[offset] != 0 {
            offset += 1 + Int(wire[offset])
            if wire[offset...].elementsEqual(name.wire) { return true }
        }
        return false
    }

    /// Whether it has ended.
    package func hasEnded(at seconds: Int64) -> Bool { until.map { seconds >= $0 } ?? false }

    /// Whether both are on one name in one policy: the later one replaces the other.
    package func replaces(_ other: OwnRule) -> Bool {
        name == other.name && policy == other.policy
    }
}

extension OwnRule.Fault: CustomStringConvertible {
    /// What is wrong, in a phrase.
    package var description: String {
        switch self {
        case .unknownAction(let word): "'\(word)' is neither block nor allow"
        case .badName(let word): word.isEmpty ? "the name is missing" : "'\(word)' is no name"
        case .unexpected(let word): "'\(word)' is not expected here"
        case .incomplete(let word): "nothing comes after '\(word)'"
        case .tooMany(let limit): "more than \(limit) rules"
        }
    }
}
