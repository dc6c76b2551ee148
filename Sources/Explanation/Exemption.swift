import DomainNames
import FilterIndex

/// Why the daemon forwards a name though its lists block it.
package enum Exemption: String, Sendable {
    /// `ipv4only.arpa`: hosts find their NAT64 prefix by it (RFC 8880 §7).
    case nat64
    /// DS or DNSKEY of a name below which something is not blocked: a validator behind the daemon
    /// has to prove what is allowed there.
    case validation

    private static let nat64Name: [UInt8] =
        [8] + Array("ipv4only".utf8) + [4] + Array("arpa".utf8) + [0]

    /// The exemption of a blocked question; `nil` when it has none.
    /// - Complexity: that of `Snapshot.blocksWholeSubtree`.
    package init?(_ question: Question, in snapshot: Snapshot) {
        if question.name.wire == Self.nat64Name {
            self = .nat64
        } else if question.type == 43 || question.type == 48,
            !snapshot.blocksWholeSubtree(of: CanonicalName(question.name), on: question.occasion)
        {
            self = .validation
        } else {
            return nil
        }
    }
}
