import Quantities

/// Bounds on what a configuration may ask of its reader, so that no text makes it run away.
package enum ConfigurationLimits {
    /// Octets of the text: a thousand times the documented example.
    package static let documentSize = ByteCount.mebibytes(1)
    /// Mappings and sequences inside each other; the deepest key needs five.
    package static let depth = 16
    /// Scalars, mappings and sequences together: memory is bounded by it.
    package static let values = 65_536
    /// Problems reported; further ones only repeat what the first thousand say.
    package static let problems = 1000
    /// Addresses to listen on: each is two sockets in every worker, told apart by one octet.
    package static let listeners = 64
    /// Upstreams: each has a pool of sockets in every worker, and a bit of 64 in each exchange.
    package static let upstreams = 16
    /// Octets of the name of a list or policy, which is a directory and goes into EDE text.
    package static let nameSize = 64
    /// Octets of a Unix socket's path: `sun_path` without its zero (unix(7)).
    package static let socketPathSize = 107
    /// Octets of any other path: PATH_MAX without its zero.
    package static let pathSize = 4095
}
