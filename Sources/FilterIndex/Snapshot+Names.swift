import DomainNames
import LinuxSystem

extension Snapshot {
    /// Calls `body` with every name of a tier's plain rules and its scope, in key order.
    ///
    /// Names of conditional rules are not among them. A section that turns out to lie ends the
    /// walk: its checksum was right, so it was made to.
    /// - Complexity: O(octets of the names).
    package func forEachName(
        of tier: RuleTier, _ body: (borrowing CanonicalName, NameScope) -> Void
    ) {
        let mapped = file
        tables.forEachName(of: tier, in: mapped.bytes, body)
    }
}

extension MatchTables {
    /// See `Snapshot.forEachName`.
    fileprivate func forEachName(
        of tier: RuleTier, in file: Span<UInt8>,
        _ body: (borrowing CanonicalName, NameScope) -> Void
    ) {
        var name = CanonicalName()
        index(of: table(of: tier), in: file).forEach { key, scope, _ in
            if IndexKey.read(key, into: &name) { body(name, scope) }
        }
    }

    private func table(of tier: RuleTier) -> Tier {
        switch tier {
        case .block: block
        case .allow: allow
        case .importantBlock: importantBlock
        case .importantAllow: importantAllow
        }
    }
}
