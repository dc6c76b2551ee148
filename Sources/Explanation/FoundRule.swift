import DomainNames
import FilterIndex
import FilterLists
import Quantities

/// A rule of a list that speaks of the name asked for, by its name and scope.
package struct FoundRule: Equatable, Sendable {
    /// What the rule is for.
    package enum Kind: String, Sendable {
        /// It blocks.
        case block
        /// It allows what others block.
        case allow
        /// It answers in its own way.
        case rewrite
        /// It needs more than this version decides by.
        case unsupported
    }

    /// Why a rule that speaks of the name counts, or does not.
    package enum Fate: Equatable, Sendable {
        /// It takes part in the decision.
        case applies
        /// Its query types leave this one out.
        case otherType
        /// It is for other clients than the one that asks.
        case otherClient
        /// A name that it makes an exception for covers this one.
        case excepted(DomainName)
        /// `$badfilter` of another rule disables it.
        case disabled
        /// It is a `$badfilter` rule: it disables others.
        case disables
        /// An entry of its own list for a longer name, in this line, takes the name out.
        case outrankedInList(line: Int)
        /// It takes the name out of wider rules of its own list, and of no other.
        case narrowsItsList
        /// The zone's own data answers in its place.
        case answeredByZoneData
        /// It rewrites, and rewrites of its list do not count.
        case rewritesOff
        /// It takes rewrites out, and decides nothing itself.
        case exceptsRewrites
        /// An exception to rewrites takes it out.
        case rewriteExcepted
        /// Not decided in this version, for this reason.
        case undecided(LineReason)
    }

    /// What the rule says, wherever it stands: what `$badfilter` compares.
    package struct Meaning: Hashable, Sendable {
        /// Its name, in lower case; the root for a rule on a pattern.
        package let name: DomainName
        /// Which names it speaks of.
        package let scope: NameScope
        /// Whether it allows.
        package let isAllow: Bool
        /// `$important`.
        package let isImportant: Bool
        /// What a block answers with.
        package let answer: BlockAnswer
        /// The query types it is for, or not for, ascending; empty is all.
        package let types: [UInt16]
        /// Whether `types` are those that it is not for.
        package let typesAreExcluded: Bool
        /// Names that it does not speak of.
        package let exceptions: Set<Exception>
        /// The clients that it is for or not for; empty is all.
        package let clients: Set<Client>
        /// What a rewrite answers with; of an exception to rewrites `nil` when it is to all.
        package let rewrite: RewriteAnswer?
        /// Whether it is an exception to rewrites.
        package let exceptsRewrites: Bool
        /// The pattern that it is on, as it is written; empty for a rule on a name.
        package let pattern: String

        /// Labels of its name; fewer than any name has for a pattern, which any name outdoes.
        var rank: Int { pattern.isEmpty ? name.labelCount : -1 }
    }

    /// Clients that a rule is for, or not for.
    package struct Client: Hashable, Sendable {
        /// Their addresses.
        package let prefix: AddressPrefix
        /// Whether the rule is not for them.
        package let isExcluded: Bool

        /// What a list says of them; `nil` for a client by name.
        init?(_ condition: ClientCondition) {
            guard let prefix = condition.prefix else { return nil }
            self.prefix = prefix.unmapped
            isExcluded = condition.isExcluded
        }
    }

    /// A name that a rule does not speak of.
    package struct Exception: Hashable, Sendable {
        /// The name.
        package let name: DomainName
        /// Which names the exception speaks of.
        package let scope: NameScope
    }

    /// The list, by its place in the policy.
    package let list: Int
    /// The line in the list, from 1.
    package let line: Int
    /// The line as it stands, blanks at its ends left out.
    package let text: String
    /// What the rule is for.
    package let kind: Kind
    /// What it says.
    package let meaning: Meaning
    /// The answer in the list's own words; empty when it states none.
    package let statedAnswer: String
    /// Whether the rule is a `$badfilter` rule.
    package let isBadFilter: Bool
    /// Whether the zone is to be answered with data of its own.
    let isRedirectZone: Bool
    /// Whether lines of its list change their meaning with other lines: dnsmasq, Unbound, RPZ.
    let isInSettledList: Bool
    /// Different names on the line.
    let lineNameCount: Int
    /// The first of them.
    let lineNames: [DomainName]
    /// Whether it counts.
    package internal(set) var fate = Fate.applies

    /// Whether it decides by its name alone, with the standard answer.
    var isPlain: Bool {
        meaning.answer == .standard && meaning.types.isEmpty && meaning.exceptions.isEmpty
            && meaning.clients.isEmpty
    }

    /// Whether it takes part in the decision as a block.
    var isBlocking: Bool { kind == .block && fate == .applies }

    /// Whether the rule is for this client.
    private func isMeant(_ client: IPAddress?) -> Bool {
        func names(_ isExcluded: Bool) -> Bool {
            guard let client else { return false }
            return meaning.clients.contains {
                $0.isExcluded == isExcluded && $0.prefix.contains(client)
            }
        }
        if names(true) { return false }
        return meaning.clients.allSatisfy(\.isExcluded) || names(false)
    }

    /// The fate that the rule has by itself.
    func ownFate(for question: Question) -> Fate {
        if isBadFilter { return .disables }
        // A validator behind the daemon proves by them what is real below the name.
        if kind == .rewrite, question.type == 43 || question.type == 48 { return .otherType }
        let types = meaning.types
        if !types.isEmpty, types.contains(question.type) == meaning.typesAreExcluded {
            return .otherType
        }
        if !isMeant(question.occasion.client) { return .otherClient }
        let covering = meaning.exceptions.filter {
            question.isCovered(by: $0.name.wire.span, scope: $0.scope)
        }
        // The longest says it best; names of one length that cover one name are equal.
        if let longest = covering.max(by: { $0.name.wire.count < $1.name.wire.count }) {
            return .excepted(longest.name)
        }
        return .applies
    }
}

extension BlockAnswer {
    /// What a list states, as far as a block can answer with it.
    init(stated answer: RuleAnswer) {
        switch answer {
        case .standard, .addresses, .cname, .record, .rcode: self = .standard
        case .nodata: self = .noData
        case .refused: self = .refused
        case .drop: self = .drop
        }
    }
}

extension RewriteAnswer {
    /// What a list states; `nil` for what no rewrite answers with.
    init?(stated answer: RuleAnswer) {
        switch answer {
        case .standard, .nodata, .refused, .drop: return nil
        case .addresses(let addresses):
            let octets = addresses.prefix(RewriteAnswer.recordLimit).map(\.octets)
            self = .records(octets.map { RewriteRecord(type: $0.count == 4 ? 1 : 28, data: $0) })
        case .record(let type, let data):
            self = .records([RewriteRecord(type: type, data: data)])
        case .rcode(let code): self = .rcode(code)
        case .cname(let target): self = .alias(target)
        }
    }
}
