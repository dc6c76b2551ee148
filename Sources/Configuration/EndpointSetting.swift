import Quantities

/// An address and port to listen on or to ask.
package struct EndpointSetting: Hashable, Sendable {
    /// The address.
    package var address: IPAddress
    /// The port, not zero.
    package var port: UInt16
    /// The interface that a link-local IPv6 address belongs to (RFC 4007 §11).
    package var zone: String?

    /// `address` at `port`.
    package init(address: IPAddress, port: UInt16, zone: String? = nil) {
        self.address = address
        self.port = port
        self.zone = zone
    }

    /// The endpoint that `ADDRESS[:PORT]` writes, an IPv6 address in brackets (RFC 3986 §3.2.2),
    /// with an optional `%ZONE` inside them.
    package init?(text: String, defaultPort: UInt16) {
        var host = text[...]
        var portText: Substring?
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                portText = rest.dropFirst()
            }
            guard host.contains(":") else { return nil }
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { return nil }
            host = parts[0]
            portText = parts.count == 2 ? parts[1] : nil
        }
        if let percent = host.firstIndex(of: "%") {
            let zone = String(host[host.index(after: percent)...])
            guard Self.isInterfaceName(zone) else { return nil }
            self.zone = zone
            host = host[..<percent]
        }
        guard let address = IPAddress(text: String(host)) else { return nil }
        guard zone == nil || address.isLinkLocalIPv6 else { return nil }
        self.address = address
        guard let portText else {
            port = defaultPort
            return
        }
        guard let port = Self.port(String(portText)) else { return nil }
        self.port = port
    }

    /// The port that decimal digits write: 1…65535, no leading zero.
    static func port(_ text: String) -> UInt16? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
            text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return UInt16(text)
    }

    /// 1…15 printable ASCII octets without `/`, `%`, `[` and `]` (netdevice(7), IFNAMSIZ).
    private static func isInterfaceName(_ text: String) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/%[]".utf8.contains($0) }
    }

    /// Whether a datagram sent to this endpoint arrives at a socket bound to `listener`, as far as
    /// the two texts tell.
    func reaches(_ listener: EndpointSetting) -> Bool {
        guard port == listener.port, address.isIPv4 == listener.address.isIPv4 else { return false }
        if listener.address.isUnspecified { return address.isLoopback || address.isUnspecified }
        // Linux takes the unspecified address as a destination for the host itself.
        if address.isUnspecified { return listener.address.isLoopback }
        return address == listener.address && (zone == nil || zone == listener.zone)
    }
}

extension EndpointSetting: CustomStringConvertible {
    /// `ADDRESS:PORT`, an IPv6 address in brackets.
    package var description: String {
        let host = "\(address)" + (zone.map { "%\($0)" } ?? "")
        return address.isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)"
    }
}
