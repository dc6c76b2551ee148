import DNSWire
import DomainNames
import QueryEvents

/// The log line of a query, made from its reply.
enum QueryLine {
    /// `query 192.0.2.7 ads.example A blocked nxdomain`.
    static func text(client: String, message: Span<UInt8>, outcome: QueryOutcome) -> String {
        var name = CanonicalName()
        guard let view = try? MessageView(message) else { return "query \(client) - - -" }
        let rcode = view.header.rcode.rawValue
        guard let question = try? view.question(),
            (try? view.readName(at: Header.size, into: &name)) != nil
        else { return "query \(client) - - \(outcome.word) rcode=\(rcode)" }
        return
            "query \(client) \(name) type=\(question.type.rawValue) \(outcome.word) rcode=\(rcode)"
    }
}
