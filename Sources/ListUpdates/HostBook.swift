import DNSClient
import DomainNames
import LinuxSystem
import Quantities

/// The addresses of the hosts that lists come from, asked of the upstreams themselves.
///
/// Neither the system's resolver nor the filter has a say: the one leads back here on a machine
/// that uses Sluice, the other could keep a list from the very update that would mend it.
struct HostBook: ~Copyable {
    private var client: StubClient
    private var known: [String: [IPAddress]] = [:]

    /// An empty book of hosts that `upstreams` know.
    init(upstreams: [NetworkAddress]) { client = StubClient(upstreams: upstreams) }

    /// What the transfer needs to reach the host of an address; nothing for one that is a number.
    /// - Throws: `.unresolved`, `.badAddress`.
    mutating func entries(for address: ListAddress) throws(ListFault) -> [String] {
        let host = address.host
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if IPAddress(text: bare) != nil { return [] }
        let texts = try addresses(of: host, in: address).map { $0.isIPv4 ? "\($0)" : "[\($0)]" }
        return ["\(host):\(address.port):\(texts.joined(separator: ","))"]
    }

    private mutating func addresses(
        of host: String, in address: ListAddress
    ) throws(ListFault) -> [IPAddress] {
        if let addresses = known[host] { return addresses }
        // The machine itself is no name of the DNS (RFC 6761 §6.3).
        if host == "localhost" || host.hasSuffix(".localhost") { return Self.loopback }
        guard let name = try? DomainName(text: host) else { throw .badAddress(address.text) }
        let found: [IPAddress]
        do throws(StubError) {
            found = try client.addresses(of: name)
        } catch {
            throw .unresolved(host: host, error)
        }
        known[host] = found
        return found
    }

    private static let loopback = ["127.0.0.1", "::1"].compactMap { IPAddress(text: $0) }
}
