import DomainNames

/// The languages that block lists are written in.
package enum ListFormat: String, CaseIterable, Sendable {
    /// `0.0.0.0 name name …`, the language of `/etc/hosts` (hosts(5)); names are exact.
    case hosts
    /// One name a line, exact; `.name` means the name and all below it.
    case domains
    /// One name a line, each with all names below it; `*.name` and `name` say the same.
    case wildcard
    /// The part of the adblock syntax that DNS filters share: `||name^`, `@@`, `$modifiers`.
    case adblock
    /// Lines of a dnsmasq configuration: `address=`, `server=`, `local=`, `host-record=`.
    case dnsmasq
    /// Lines of an Unbound configuration: `local-zone:`, `local-data:`.
    case unbound
    /// A response policy zone as a master file (draft-vixie-dnsop-dns-rpz, RFC 1035 §5).
    case rpz

    /// Meaningful lines that the guess looks at.
    static let guessedLines = 200

    /// The format that the start of a list looks most like.
    ///
    /// Up to 200 lines that are neither blank nor a comment each vote for one format: by a leading
    /// `||`, `@@` or `[Adblock` (adblock), by a dnsmasq option with a slash, by an Unbound
    /// `local-…:` or `server:`, by `$TTL`, `$ORIGIN` or a CNAME or SOA field (rpz), by an address
    /// before a name (hosts), by `*.` (wildcard); what is left votes for domains. Most votes win.
    /// The adblock syntax includes plain names and hosts lines and reads them alike, so these add
    /// to its votes when it has any. A list that says nothing is taken for domains.
    /// - Parameter octets: the first octets of the list; a last line without newline counts too.
    /// - Complexity: O(octets).
    package static func guess(fromPrefix octets: Span<UInt8>) -> ListFormat {
        var votes: [ListFormat: Int] = [:]
        var seen = 0
        // A byte order mark is no part of the first line.
        let hasMark =
            octets.count >= 3 && octets[0] == 0xEF && octets[1] == 0xBB && octets[2] == 0xBF
        var start = hasMark ? 3 : 0
        while start < octets.count, seen < guessedLines {
            let end = octets.index(of: .newline, in: start..<octets.count) ?? octets.count
            let line = octets.trimmed(start..<end)
            start = end + 1
            guard let vote = vote(of: octets, line) else { continue }
            if vote.isCertain { return vote.format }
            votes[vote.format, default: 0] += 1
            seen += 1
        }
        if let adblock = votes[.adblock] {
            votes[.adblock] = adblock + (votes[.domains] ?? 0) + (votes[.hosts] ?? 0)
        }
        // In the order of the cases, so that a tie has one outcome.
        var best = ListFormat.domains
        for format in allCases where (votes[format] ?? 0) > (votes[best] ?? 0) { best = format }
        return best
    }

    private static func vote(
        of text: Span<UInt8>, _ line: Range<Int>
    ) -> (format: ListFormat, isCertain: Bool)? {
        guard let first = line.first.map({ text[$0] }) else { return nil }
        if text.hasPrefix("[adblock", in: line) { return (.adblock, true) }
        if text.hasPrefix("$ttl", in: line) || text.hasPrefix("$origin", in: line) {
            return (.rpz, true)
        }
        switch first {
        case UInt8(ascii: "#"), UInt8(ascii: "!"), UInt8(ascii: ";"), UInt8(ascii: "<"): return nil
        case UInt8(ascii: "|"),
            UInt8(ascii: "@") where text.hasPrefix("@@", in: line),
            UInt8(ascii: "/"):
            return (.adblock, false)
        case UInt8(ascii: "*") where line.count > 1 && text[line.lowerBound + 1] == .dot:
            let token = text.token(in: line)
            return (token.upperBound == line.upperBound ? .wildcard : .rpz, false)
        default: break
        }
        for option in ["address=/", "server=/", "local=/", "host-record=", "cname="]
        where text.hasPrefix(option, in: line) {
            return (.dnsmasq, false)
        }
        for option in ["local-zone:", "local-data:", "server:", "local-data-ptr:"]
        where text.hasPrefix(option, in: line) {
            return (.unbound, false)
        }
        return (votedByFields(text, line), false)
    }

    private static func votedByFields(_ text: Span<UInt8>, _ line: Range<Int>) -> ListFormat {
        var field = text.token(in: line)
        if text[field].hasAddress { return .hosts }
        while field.upperBound < line.upperBound {
            field = text.token(in: field.upperBound..<line.upperBound)
            if text.equals("cname", in: field) || text.equals("soa", in: field) { return .rpz }
            if !field.isEmpty && text[field.lowerBound] == UInt8(ascii: "#") { break }
        }
        return .domains
    }
}
