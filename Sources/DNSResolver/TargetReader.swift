import DNSWire
import DomainNames

/// Finds the names in an answer that the filter judges: where aliases and services lead.
///
/// CNAME and DNAME (RFC 1034 §3.6.2, RFC 6672) and the TargetName of SVCB and HTTPS (RFC 9460
/// §2.2), in the answer section.
enum TargetReader {
    /// Whether a record may name a target.
    static func holdsTarget(_ record: Record) -> Bool {
        guard record.section == .answer else { return false }
        switch record.type {
        case .cname, .dname, .svcb, .https: return true
        default: return false
        }
    }

    /// Calls `visit` with each target of a message until it returns `false`.
    /// - Throws: `WireError` when a record does not parse.
    static func forEachTarget(
        of message: Span<UInt8>, scratch name: inout CanonicalName,
        _ visit: (borrowing CanonicalName) -> Bool
    ) throws(WireError) {
        let view = try MessageView(message)
        var cursor = try view.records()
        while let record = try cursor.next(), record.section == .answer {
            guard holdsTarget(record) else { continue }
            var offset = record.rdata.lowerBound
            if record.type == .svcb || record.type == .https { offset += 2 }
            guard offset < record.end else { throw .truncated(offset: record.end) }
            _ = try view.readName(at: offset, into: &name)
            // The root as TargetName is the owner itself (RFC 9460 §2.5).
            if name.labelCount > 0, !visit(name) { return }
        }
    }
}
