import Configuration
import LinuxSystem
import Quantities

/// Whom a command asks when it has to look a name up: whom the daemon would ask.
package enum UpstreamAddresses {
    /// The upstreams of the settings, else the system's resolvers that are not the daemon itself.
    /// - Throws: `.noInterface`.
    package static func of(_ settings: Settings) throws(UpdateError) -> [NetworkAddress] {
        guard settings.upstreams.isEmpty else { return try addresses(settings.upstreams) }
        return SystemResolvers.addresses(listening: try addresses(settings.listen))
    }

    private static func addresses(
        _ endpoints: [EndpointSetting]
    ) throws(UpdateError) -> [NetworkAddress] {
        var found: [NetworkAddress] = []
        for endpoint in endpoints {
            var scope: UInt32 = 0
            if let zone = endpoint.zone {
                guard let index = Sockets.interfaceIndex(zone) else {
                    throw .noInterface(zone: zone, endpoint: endpoint)
                }
                scope = index
            }
            found.append(
                NetworkAddress(
                    octets: endpoint.address.octets, port: endpoint.port, scope: scope))
        }
        return found
    }
}
