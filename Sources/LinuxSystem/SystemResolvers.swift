import Quantities

/// The resolvers that the system was given, for when the configuration names none.
package enum SystemResolvers {
    /// Where they are named (resolv.conf(5)).
    package static let file = "/etc/resolv.conf"
    /// The most octets of it that are read.
    private static let sizeLimit = 1 << 20

    /// The resolvers of this machine, but for those at `listening`, which are ourselves.
    package static func addresses(listening: [NetworkAddress]) -> [NetworkAddress] {
        let text = (try? FileIO.readWhole(path: file, limit: sizeLimit)) ?? []
        return parse(text, listening: listening)
    }

    /// The addresses after `nameserver` in a resolv.conf, those that are ours left out: forwarding
    /// to ourselves would be a loop.
    package static func parse(
        _ text: [UInt8], listening: [NetworkAddress]
    ) -> [NetworkAddress] {
        var found: [NetworkAddress] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self)
                .split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard words.count >= 2, words[0] == "nameserver" else { continue }
            let parts = words[1].split(separator: "%", maxSplits: 1)
            guard let address = IPAddress(text: String(parts[0])) else { continue }
            let isOurs = listening.contains { own in
                own.port == 53
                    && (own.ip == address || own.ip.isUnspecified && address.isLoopback)
            }
            guard !isOurs else { continue }
            let scope = parts.count > 1 ? Sockets.interfaceIndex(String(parts[1])) : nil
            let endpoint = NetworkAddress(octets: address.octets, port: 53, scope: scope ?? 0)
            if !found.contains(endpoint) { found.append(endpoint) }
        }
        return found
    }
}
