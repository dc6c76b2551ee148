import DomainNames

extension LineReading {
    /// Whether nothing but the names decides when the rule holds, and it is no `$badfilter` rule.
    package var isUnconditional: Bool {
        !important && !isBadFilter && types.isEmpty && except.isEmpty && clients.isEmpty
    }

    /// Whether a rewrite is a block in other words: it leads to 0.0.0.0 or `::` and nowhere else.
    ///
    /// Not in an allow list, and not on a whole top-level domain, where a block would be refused.
    package func isSinkBlock(in action: ListAction) -> Bool {
        guard kind == .rewrite, action == .block, !exceptsRewrites,
            case .addresses(let addresses) = answer
        else { return false }
        return addresses.allSatisfy { $0 == .v4(0) || $0 == .v6(0) }
            && names.allSatisfy { domainName($0).labelCount > 1 }
    }
}
