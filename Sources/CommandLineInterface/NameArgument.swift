import DomainNames
import FilterLists
import Quantities

/// A name as people give it: with capitals, a dot at the end or letters of any script, or as the
/// URL of a page that they see.
enum NameArgument {
    /// The name that a text means.
    /// - Throws: `.badName`, or `.addressGiven` for an IP address, which has no name to filter.
    static func name(of text: String) throws(CommandError) -> DomainName {
        let host = host(of: text)
        guard IPAddress(text: host) == nil, !host.hasPrefix("[") else {
            throw .addressGiven(host)
        }
        let octets = Array(host.utf8)
        if octets.allSatisfy({ $0 < 0x80 }) {
            do { return try DomainName(text: host) } catch { throw .badName(text) }
        }
        guard let ascii = try? IDNA.ascii(of: octets.span),
            let name = try? DomainName(text: String(decoding: ascii, as: UTF8.self))
        else { throw .badName(text) }
        return name
    }

    /// The host of a URL (RFC 3986 §3.2), with or without its scheme; else the whole text.
    private static func host(of text: String) -> String {
        var rest = text[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        if let end = rest.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) {
            rest = rest[..<end]
        }
        guard rest.count < text.count || rest.contains(":") else { return text }
        if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
        if rest.hasPrefix("[") { return String(rest) }
        // Several colons are an IPv6 address, not a port.
        if let colon = rest.firstIndex(of: ":"), colon == rest.lastIndex(of: ":") {
            rest = rest[..<colon]
        }
        return String(rest)
    }
}
