import Configuration
import LinuxSystem
import Quantities

/// The resolvers that the system was given, when the configuration names none.
enum SystemResolvers {
    /// Where they are named (resolv.conf(5)).
    static let file = "/etc/resolv.conf"

    /// The addresses after `nameserver` in a resolv.conf, those that are ours left out: forwarding
    /// to ourselves would be a loop.
    static func parse(_ text: [UInt8], listening: [EndpointSetting]) -> [NetworkAddress] {
        var found: [NetworkAddress] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self)
                .split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count >= 2, words[0] == "nameserver" else { continue }
            let parts = words[1].split(separator: "%", maxSplits: 1)
            guard let address = IPAddress(text: String(parts[0])) else { continue }
            let isOurs = listening.contains { own in
                own.port == 53
                    && (own.address == address
                        || own.address.isUnspecified && address.isLoopback)
            }
            guard !isOurs else { continue }
            let scope = parts.count > 1 ? Sockets.interfaceIndex(String(parts[1])) : nil
            let endpoint = NetworkAddress(octets: address.octets, port: 53, scope: scope ?? 0)
            if !found.contains(endpoint) { found.append(endpoint) }
        }
        return found
    }
}
