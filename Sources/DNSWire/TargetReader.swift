import DomainNames

/// Finds the names in an answer that the filter judges: where aliases and services lead.
///
/// CNAME and DNAME (RFC 1034 §3.6.2, RFC 6672) and the TargetName of SVCB and HTTPS (RFC 9460
/// §2.2), in the answer section. The daemon and `sluice explain` read them by this one reader.
package enum TargetReader {
    /// Whether a record may name a target.
    package static func holdsTarget(_ record: Record) -> Bool {
        guard record.section == .answer else { return false }
        switch record.type {
        case .cname, .dname, .svcb, .https: return true
        default: return false
        }
    }

    /// Reads the name that a record of these types leads to.
    ///
    /// Layout: CNAME and DNAME hold the name alone, SVCB and HTTPS two octets of priority before it
    /// and parameters behind it.
    /// - Throws: `WireError` when the name does not parse or leaves the RDATA.
    package static func readTarget(
        of record: Record, in view: borrowing MessageView, into name: inout CanonicalName
    ) throws(WireError) {
        let isService = record.type == .svcb || record.type == .https
        let offset = record.rdata.lowerBound + (isService ? 2 : 0)
        guard offset < record.end else { throw .truncated(offset: record.end) }
        let end = try view.readName(at: offset, into: &name)
        guard end == record.end || isService && end < record.end else {
            throw .truncated(offset: record.end)
        }
    }

    /// Calls `visit` with each target of a message until it returns `false`.
    /// - Throws: `WireError` when a record does not parse.
    package static func forEachTarget(
        of message: Span<UInt8>, scratch name: inout CanonicalName,
        _ visit: (borrowing CanonicalName) -> Bool
    ) throws(WireError) {
        let view = try MessageView(message)
        var cursor = try view.records()
        while let record = try cursor.next(), record.section == .answer {
            guard holdsTarget(record) else { continue }
            try readTarget(of: record, in: view, into: &name)
            // The root as TargetName is the owner itself (RFC 9460 §2.5).
            if name.labelCount > 0, !visit(name) { return }
        }
    }
}
