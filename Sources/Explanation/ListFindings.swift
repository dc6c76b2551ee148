import FilterLists

/// What one list says of a question.
package struct ListFindings: Sendable {
    /// The rules that speak of the name, in the order of the lines.
    package internal(set) var rules: [FoundRule] = []
    /// Of the names that are the one asked for or above it, the labels of the longest that a block
    /// of this list lies below; `nil` without any.
    package internal(set) var longestAboveBlock: Int?
    /// The same of rewrites of this list, where they count.
    var longestAboveRewrite: Int?
    /// Labels of the names with such rewrites that are the one asked for or above it.
    var rewriteLabels: Set<Int> = []
    /// Rules left out because so many lines of the list say the same.
    package private(set) var omittedRules = 0
    /// Whether there were more different rules than are kept.
    private(set) var isCut = false
    /// The nearest block rules that do not speak of the name.
    package internal(set) var nearby = NearbyRules()
    /// Whether the more specific entry of the list wins: dnsmasq, unbound and RPZ.
    let isSettledBySpecificity: Bool
    /// Whether `$badfilter` counts in it: adblock.
    let heedsBadFilter: Bool

    /// Rules of each saying so far.
    private var sayings: [Saying: Int] = [:]

    /// Rules with the same effect that are kept: a list may repeat itself a million times.
    static let repetitionLimit = 10
    /// Rules that are kept in all.
    static let ruleLimit = 2_000

    /// What a rule does, without its place.
    private struct Saying: Hashable {
        let kind: FoundRule.Kind
        let meaning: FoundRule.Meaning
        let isBadFilter: Bool
    }

    /// Keeps a rule, unless many before it do the same.
    mutating func add(_ rule: FoundRule) {
        let saying = Saying(
            kind: rule.kind, meaning: rule.meaning, isBadFilter: rule.isBadFilter)
        guard sayings[saying, default: 0] < Self.repetitionLimit else {
            omittedRules += 1
            return
        }
        guard rules.count < Self.ruleLimit else {
            isCut = true
            return
        }
        sayings[saying, default: 0] += 1
        rules.append(rule)
    }

    /// Nothing found yet in a list of this format.
    init(format: ListFormat) {
        switch format {
        case .dnsmasq, .unbound, .rpz: isSettledBySpecificity = true
        case .hosts, .domains, .wildcard, .adblock: isSettledBySpecificity = false
        }
        heedsBadFilter = format == .adblock
    }
}
