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
        let table = table(of: tier)
        let section = mapped.bytes.extracting(table.names)
        var key: [UInt8] = []
        var name = CanonicalName()
        var offset = table.shape.blocksOffset
        for rank in 0..<table.shape.entryCount {
            var shared = 0
            if rank % NameIndex.blockEntries > 0 {
                guard let (value, next) = section.varint(at: offset), value <= key.count else {
                    return
                }
                shared = value
                offset = next
            }
            guard let (header, start) = section.varint(at: offset),
                let scope = NameScope(rawValue: UInt8(truncatingIfNeeded: header & 3)),
                header >> 2 <= section.count - start
            else { return }
            key.removeSubrange(shared...)
            offset = start + (header >> 2)
            for index in start..<offset { key.append(section[index]) }
            guard IndexKey.read(key.span, into: &name) else { return }
            body(name, scope)
        }
    }

    private func table(of tier: RuleTier) -> MatchTables.Tier {
        switch tier {
        case .block: tables.block
        case .allow: tables.allow
        case .importantBlock: tables.importantBlock
        case .importantAllow: tables.importantAllow
        }
    }
}
