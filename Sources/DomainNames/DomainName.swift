/// An owned domain name in wire form, case kept; equality and order ignore ASCII case only.
///
/// For configuration, list compilation and messages to people. The query path uses
/// `CanonicalName`, which needs no heap.
///
/// Layout (RFC 1035 §3.1): labels, each a length octet and 1…63 octets, then the root's 0.
/// Invariant: at most 255 octets, ends at the first zero length octet.
public struct DomainName: Sendable {
    /// The wire form, root label included.
    public let wire: [UInt8]

    /// The root.
    public static let root = DomainName(checkedWire: [0])

    /// A name from a wire form that is known to hold to the invariant.
    init(checkedWire: [UInt8]) { wire = checkedWire }

    /// A name from its uncompressed wire form.
    /// - Throws: `NameError.malformedWire`, `.labelTooLong`, `.nameTooLong`.
    public init(wire octets: Span<UInt8>) throws(NameError) {
        var canonical = CanonicalName()
        try canonical.assign(wire: octets)
        var copy = [UInt8]()
        copy.reserveCapacity(octets.count)
        for index in octets.indices { copy.append(octets[index]) }
        wire = copy
    }

    /// A name from the presentation form of RFC 1035 §5.1: dots between labels, an optional dot at
    /// the end, `\.` and `\DDD` escapes; no relative names. Octets above 0x7F stand for themselves.
    /// - Throws: `NameError`; offsets count the text's UTF-8 octets.
    public init(text: String) throws(NameError) {
        let octets = Array(text.utf8)
        wire = try NameText.wire(of: octets.span)
    }

    /// Labels, root not counted.
    public var labelCount: Int {
        var count = 0
        var offset = 0
        while wire[offset] != 0 {
            offset += 1 + Int(wire[offset])
            count += 1
        }
        return count
    }

    /// Whether this is the root.
    public var isRoot: Bool { wire.count == 1 }

    /// The name without its first label; `nil` for the root.
    public var parent: DomainName? {
        isRoot ? nil : DomainName(checkedWire: Array(wire[(1 + Int(wire[0]))...]))
    }

    /// The same name in lower case.
    public var lowercased: DomainName {
        // Length octets are at most 63, below "A", so folding every octet is safe.
        DomainName(checkedWire: wire.map(\.asciiLowercased))
    }

    /// Whether this name is `other` or lies below it.
    public func isSubdomain(of other: DomainName) -> Bool {
        var candidate = self
        while candidate.labelCount > other.labelCount, let parent = candidate.parent {
            candidate = parent
        }
        return candidate == other
    }
}

extension DomainName: Hashable {
    /// Equality by octets, ASCII case ignored (RFC 4343 §3).
    public static func == (left: DomainName, right: DomainName) -> Bool {
        guard left.wire.count == right.wire.count else { return false }
        for index in left.wire.indices
        where left.wire[index].asciiLowercased != right.wire[index].asciiLowercased {
            return false
        }
        return true
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        for octet in wire { hasher.combine(octet.asciiLowercased) }
    }
}

extension DomainName: CustomStringConvertible {
    /// Presentation form without a dot at the end; the root is `.`.
    public var description: String { NameText.text(of: wire.span) }
}
