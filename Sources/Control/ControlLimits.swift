/// Bounds of the control protocol.
package enum ControlLimits {
    /// Octets of a request line, its newline not counted.
    package static let requestSize = 1024
    /// Octets of a reply line, its newline not counted: `status` with a thousand policies fits.
    package static let replySize = 1 << 20
    /// Mappings and sequences inside each other in a reply.
    package static let replyDepth = 16
    /// Octets of a name in `flush`: 255 on the wire, four characters each when all are escaped.
    package static let nameSize = 1020
}
