import DomainNames

/// What a response policy zone carries from line to line.
///
/// Names of triggers are relative to the zone: what stands before its apex. The apex is the
/// absolute owner of the SOA record, or the first `$ORIGIN`; without either, absolute names stand
/// for themselves.
struct PolicyZone: Sendable {
    /// The absolute name that relative names end in, in wire form; empty when unknown.
    var origin: [UInt8] = []
    /// The name of the zone in wire form; empty when unknown.
    var apex: [UInt8] = []
    /// The trigger of the last owner; `nil` before the first.
    var owner: Owner?
    /// Parentheses that are open at the end of the last line.
    var depth = 0

    /// An owner name, made relative to the zone.
    enum Owner: Sendable {
        /// The zone itself.
        case apex
        /// A name in wire form, and whether a star stood before it.
        case name([UInt8], NameScope)
        /// Not inside the zone, or no name at all.
        case bad(LineReason)
    }

    /// The wire name without the apex at its end; `nil` when it lies elsewhere.
    func relative(_ wire: [UInt8]) -> [UInt8]? {
        guard !apex.isEmpty else { return wire }
        var offset = 0
        while wire.count - offset > apex.count { offset += 1 + Int(wire[offset]) }
        guard wire[offset...].elementsEqual(apex) else { return nil }
        return wire[..<offset] + [0]
    }

    /// A name as a zone file writes it, made absolute with the origin as far as that is known.
    func absolute(_ wire: [UInt8], isAbsolute: Bool) -> [UInt8]? {
        if isAbsolute || origin.isEmpty { return wire }
        let whole = wire.dropLast() + origin
        return whole.count <= NameLimits.wireSize ? Array(whole) : nil
    }
}
