import DomainNames
import FilterCompiler
import FilterIndex
import Quantities

/// The slow twin of the filter: a list of rules and a scan over all of them, with names as arrays
/// of labels. It shares no key, table or search with what it checks.
struct NaiveFilter {
    typealias Labels = [[UInt8]]

    struct Rule {
        var name: Labels
        var scope: NameScope
        var isAllow = false
        var isImportant = false
        var answer = BlockAnswer.standard
        var types: [UInt16] = []
        var typesAreExcluded = false
        var exceptions: [(name: Labels, scope: NameScope)] = []
        var clients: [RuleClient] = []
        var until: Int64?
        var list: UInt16 = 0

        func applies(to query: Labels, type: UInt16, on occasion: Occasion = .nobody) -> Bool {
            guard Rule.covers(name, scope, query) else { return false }
            if !types.isEmpty, types.contains(type) == typesAreExcluded { return false }
            if let until, until <= occasion.seconds { return false }
            let meant = clients.filter { client in
                occasion.client.map { client.prefix.contains($0) } ?? false
            }
            if meant.contains(where: \.isExcluded) { return false }
            if meant.isEmpty, !clients.allSatisfy(\.isExcluded) { return false }
            return !exceptions.contains { Rule.covers($0.name, $0.scope, query) }
        }

        static func covers(_ name: Labels, _ scope: NameScope, _ query: Labels) -> Bool {
            guard query.count >= name.count, Array(query.suffix(name.count)) == name else {
                return false
            }
            return query.count == name.count ? scope.includesName : scope.includesBelow
        }

        /// The rule as the compiler takes it.
        var policyRule: PolicyRule {
            PolicyRule(
                key: PolicyRules.key(of: domainName(name)), scope: scope, isAllow: isAllow,
                isImportant: isImportant, answer: answer, types: types,
                typesAreExcluded: typesAreExcluded,
                exceptions: exceptions.map {
                    RuleException(key: PolicyRules.key(of: domainName($0.name)), scope: $0.scope)
                }, clients: clients, until: until, list: list)
        }
    }

    /// What must come out: the tier and answer, and the lists that may be named for it.
    struct Decision: Equatable {
        var isBlocked = false
        var isAllowed = false
        var isRewritten = false
        var isImportant = false
        var answer = BlockAnswer.standard
        var lists: Set<UInt16> = []
    }

    var rules: [Rule]

    func decide(_ query: Labels, type: UInt16, on occasion: Occasion = .nobody) -> Decision {
        let applying = rules.filter { $0.applies(to: query, type: type, on: occasion) }
        guard applying.contains(where: { !$0.isAllow }) else { return Decision() }
        for (isAllow, isImportant) in [(true, true), (false, true), (true, false), (false, false)] {
            let tier = applying.filter { $0.isAllow == isAllow && $0.isImportant == isImportant }
            guard let best = tier.min(by: NaiveFilter.isBefore) else { continue }
            let answer = isAllow ? .standard : best.answer
            let lists = tier.filter { isAllow || $0.answer == answer }.map(\.list)
            return Decision(
                isBlocked: !isAllow, isAllowed: isAllow, isImportant: isImportant, answer: answer,
                lists: Set(lists))
        }
        return Decision()
    }

    private static func isBefore(_ left: Rule, _ right: Rule) -> Bool {
        if left.name.count != right.name.count { return left.name.count > right.name.count }
        if (left.scope == .exact) != (right.scope == .exact) { return left.scope == .exact }
        if left.list != right.list { return left.list < right.list }
        return left.answer.rawValue < right.answer.rawValue
    }
}

/// The name of these labels.
func domainName(_ labels: NaiveFilter.Labels) -> DomainName {
    var wire: [UInt8] = []
    for label in labels { wire += [UInt8(label.count)] + label }
    wire.append(0)
    guard let name = try? DomainName(wire: wire.span) else {
        preconditionFailure("a test makes names within the limits")
    }
    return name
}

extension Verdict {
    /// The verdict in the terms of the slow twin.
    var decision: NaiveFilter.Decision {
        switch self {
        case .none: .init()
        case .allowed(let rule, let isImportant):
            .init(isAllowed: true, isImportant: isImportant, lists: [rule.list])
        case .blocked(let rule, let answer, let isImportant):
            .init(isBlocked: true, isImportant: isImportant, answer: answer, lists: [rule.list])
        case .rewritten(let rule, let isImportant):
            .init(isRewritten: true, isImportant: isImportant, lists: [rule.list])
        }
    }
}

extension NaiveFilter.Decision {
    /// Whether a decision that names one list agrees with this one, which names all that may be.
    func admits(_ other: Self) -> Bool {
        var widened = other
        widened.lists = lists
        return widened == self && other.lists.isSubset(of: lists)
            && other.lists.isEmpty == lists.isEmpty
    }
}
