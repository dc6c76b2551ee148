import DomainNames

extension LineReading {
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
