import DomainNames

/// What the rules of a list are for.
package enum ListAction: String, CaseIterable, Sendable {
    /// The list says what to block; its own exceptions stay exceptions.
    case block
    /// An allow list: what would be blocked is an exception instead.
    case allow
}

/// How one list is to be read.
package struct ListOptions: Sendable {
    /// The language of its lines.
    package var format: ListFormat
    /// The scope of a bare name in the hosts, domains, wildcard and adblock formats; `nil` leaves
    /// the format's own: exact, and subtree for wildcard.
    package var scope: NameScope?
    /// What its rules are for.
    package var action: ListAction
    /// Whether a block rule may be on one label or the root.
    package var allowPublicSuffixes: Bool
    /// Whether its rewrites count; else they are read and counted as skipped.
    package var rewrites: Bool

    /// Options with the defaults of the format.
    package init(
        format: ListFormat, scope: NameScope? = nil, action: ListAction = .block,
        allowPublicSuffixes: Bool = false, rewrites: Bool = true
    ) {
        self.format = format
        self.scope = scope
        self.action = action
        self.allowPublicSuffixes = allowPublicSuffixes
        self.rewrites = rewrites
    }

    /// The scope of a name without any mark.
    var bareScope: NameScope { scope ?? (format == .wildcard ? .subtree : .exact) }
}
