/// An IPv4 or IPv6 address without heap storage.
///
/// ```
/// IPv6   high = octets 0…7, low = octets 8…15, big-endian
/// IPv4   high = octets 0…3 in its upper 32 bits, the rest of high and low zero
/// ```
/// So a prefix of either family is the upper bits of (high, low), compared by one mask.
@frozen
public struct IPAddress: Hashable, Sendable {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits; zero for IPv4.
    public let low: UInt64
    /// Whether this is an IPv4 address.
    public let isIPv4: Bool

    /// An address from its two words.
    @inlinable
    public init(high: UInt64, low: UInt64, isIPv4: Bool) {
        self.high = high
        self.low = low
        self.isIPv4 = isIPv4
    }

    /// An address from its octets, each asked for by its index: no array is made, so the query path
    /// may turn a socket's address into this one.
    /// - Precondition: `octetCount` is 4 or 16.
    @inlinable
    public init(octetCount: Int, octet: (Int) -> UInt8) {
        precondition(octetCount == 4 || octetCount == 16, "an IP address has 4 or 16 octets")
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<8 { high = high << 8 | (index < octetCount ? UInt64(octet(index)) : 0) }
        if octetCount == 16 {
            for index in 8..<16 { low = low << 8 | UInt64(octet(index)) }
        }
        self.init(high: high, low: low, isIPv4: octetCount == 4)
    }

    /// Bits of an address of this family: 32 or 128.
    @inlinable
    public var bitCount: Int { isIPv4 ? 32 : 128 }

    /// Octet `index` in network order.
    @inlinable
    public func octet(_ index: Int) -> UInt8 {
        precondition(index >= 0 && index < bitCount / 8, "an octet of the address")
        let word = index < 8 ? high : low
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
    }

    /// The 4 or 16 octets in network order.
    package var octets: [UInt8] { (0..<(bitCount / 8)).map { octet($0) } }

    /// The IPv4 address inside `::ffff:0:0/96`, else this address (RFC 4291 §2.5.5.2): what a
    /// dual-stack socket reports for an IPv4 client.
    @inlinable
    public var unmapped: IPAddress {
        guard !isIPv4, high == 0, low >> 32 == 0xFFFF else { return self }
        return IPAddress(high: low << 32, low: 0, isIPv4: true)
    }

    /// The first `bits` bits of this address, the others zero.
    @inlinable
    public func masked(to bits: Int) -> IPAddress {
        IPAddress(
            high: high & Self.mask(bits), low: low & Self.mask(bits - 64), isIPv4: isIPv4)
    }

    /// Ones in the upper `bits` bits; fewer than 1 gives none, more than 64 all.
    @inlinable
    static func mask(_ bits: Int) -> UInt64 {
        // A smart shift by 64 or more gives zero.
        bits <= 0 ? 0 : ~(UInt64.max >> UInt64(min(bits, 64)))
    }

    /// Whether this is `0.0.0.0` or `::`, which a listener takes for all addresses.
    package var isUnspecified: Bool { high == 0 && low == 0 }

    /// Whether this is in `127.0.0.0/8`, or `::1`.
    package var isLoopback: Bool { isIPv4 ? high >> 56 == 127 : high == 0 && low == 1 }

    /// Whether this is in `fe80::/10`, where an address needs a zone (RFC 4007 §6).
    package var isLinkLocalIPv6: Bool { !isIPv4 && high >> 54 == 0x3FA }
}

extension IPAddress: Comparable {
    /// IPv4 before IPv6, then by octets.
    @inlinable
    public static func < (left: IPAddress, right: IPAddress) -> Bool {
        if left.isIPv4 != right.isIPv4 { return left.isIPv4 }
        if left.high != right.high { return left.high < right.high }
        return left.low < right.low
    }
}
