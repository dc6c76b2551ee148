import DomainNames
import FilterIndex
import Quantities

/// A name that a rule does not speak of.
package struct RuleException: Hashable, Sendable {
    /// The key of the name, as `IndexKey` writes it.
    package var key: [UInt8]
    /// Which names the exception speaks of.
    package var scope: NameScope

    /// An exception for a name.
    package init(key: [UInt8], scope: NameScope) {
        self.key = key
        self.scope = scope
    }
}

/// Clients that a rule is for, or not for.
package struct RuleClient: Hashable, Sendable {
    /// Their addresses, IPv4 never as IPv6.
    package var prefix: AddressPrefix
    /// Whether the rule is not for them.
    package var isExcluded: Bool

    /// A condition on the clients of a prefix.
    package init(_ prefix: AddressPrefix, isExcluded: Bool = false) {
        self.prefix = prefix.unmapped
        self.isExcluded = isExcluded
    }
}

/// One rule on one name, with all that the filter can decide by.
///
/// A rule that blocks or allows without more is kept in the plain tables; every other one in the
/// section of conditional rules.
package struct PolicyRule: Hashable, Sendable {
    /// The key of the name, as `IndexKey` writes it.
    package var key: [UInt8]
    /// Which names the rule speaks of.
    package var scope: NameScope
    /// Whether the rule allows.
    package var isAllow: Bool
    /// Whether the rule is important.
    package var isImportant: Bool
    /// What a blocked name is answered with; `.standard` for allow rules.
    package var answer: BlockAnswer
    /// Query types that the rule is for, or not for; empty is all.
    package var types: [UInt16]
    /// Whether `types` are those that the rule is not for.
    package var typesAreExcluded: Bool
    /// Names that the rule does not speak of.
    package var exceptions: [RuleException]
    /// Clients that the rule is for or not for; empty is all.
    package var clients: [RuleClient]
    /// The second since 1970 from which on the rule is as if it were not there.
    package var until: Int64?
    /// The list, by its place in the manifest.
    package var list: UInt16

    /// A rule; types, clients and exceptions are brought into one order, each once.
    /// - Precondition: at most `RuleConditions.clientLimit` clients.
    package init(
        key: [UInt8], scope: NameScope, isAllow: Bool = false, isImportant: Bool = false,
        answer: BlockAnswer = .standard, types: [UInt16] = [], typesAreExcluded: Bool = false,
        exceptions: [RuleException] = [], clients: [RuleClient] = [], until: Int64? = nil,
        list: UInt16
    ) {
        self.key = key
        self.scope = scope
        self.isAllow = isAllow
        self.isImportant = isImportant
        self.answer = isAllow ? .standard : answer
        self.types = Set(types).sorted()
        self.typesAreExcluded = typesAreExcluded && !types.isEmpty
        self.exceptions = []
        self.clients = Set(clients).sorted {
            $0.fileOctets.lexicographicallyPrecedes($1.fileOctets)
        }
        precondition(
            self.clients.count <= RuleConditions.clientLimit, "a list reader bounds the clients")
        self.until = until.map { min(max($0, 0), RuleConditions.lastEnd) }
        self.list = list
        add(exceptions)
    }

    /// Adds exceptions, keeping their order and each once.
    mutating func add(_ more: [RuleException]) {
        guard !more.isEmpty else { return }
        exceptions = Set(exceptions + more).sorted(by: RuleException.precedes)
    }

    /// Octets of memory that it takes, blocks of its arrays included.
    var memorySize: Int {
        let block = 48
        let names = exceptions.reduce(0) { $0 + $1.memorySize }
        return MemoryLayout<PolicyRule>.stride + block + key.count
            + (types.isEmpty ? 0 : block + 2 * types.count)
            + (clients.isEmpty ? 0 : block + MemoryLayout<RuleClient>.stride * clients.count)
            + (names == 0 ? 0 : block + names)
    }

    /// Whether the rule decides by its name alone, with the standard answer.
    var isPlain: Bool {
        answer == .standard && types.isEmpty && exceptions.isEmpty && !dependsOnOccasion
    }

    /// Whether who asks, or when, decides too.
    var dependsOnOccasion: Bool { !clients.isEmpty || until != nil }

    /// The table of its kind and importance.
    var tier: RuleTier { RuleTier(isAllow: isAllow, isImportant: isImportant) }

    /// The same rule as if list 0 had it, for comparing what rules say.
    var withoutList: PolicyRule {
        var copy = self
        copy.list = 0
        return copy
    }
}

extension RuleClient {
    /// What the file holds of it, by which clients are sorted.
    var fileOctets: [UInt8] {
        var octets: [UInt8] = [
            (isExcluded ? RuleConditions.Flag.excluded : 0)
                | (prefix.address.isIPv4 ? 0 : RuleConditions.Flag.isIPv6),
            UInt8(prefix.bits),
        ]
        octets += prefix.address.octets.prefix((prefix.bits + 7) / 8)
        return octets
    }
}
