import CLinux
import Quantities

/// An IP address with a port.
@frozen
public struct NetworkAddress: Hashable, Sendable {
    /// The octets as they stand on the wire, in two words; IPv4 uses the first four.
    @usableFromInline var first: UInt64
    /// Octets 8…15 of an IPv6 address.
    @usableFromInline var second: UInt64
    /// The interface of a link-local address; 0 when it does not matter.
    public var scope: UInt32
    /// The port.
    public var port: UInt16
    /// 4 or 6; 0 for none.
    public var family: UInt8

    /// An address that the shim tells of.
    init(_ address: linux_address) {
        first = address.words.0
        second = address.words.1
        scope = address.scope
        port = address.port
        family = address.family
    }

    /// An address from its 4 or 16 octets in network order.
    public init(octets: [UInt8], port: UInt16, scope: UInt32 = 0) {
        precondition(octets.count == 4 || octets.count == 16, "an IP address has 4 or 16 octets")
        var words: (UInt64, UInt64) = (0, 0)
        for index in octets.indices {
            let shifted = UInt64(octets[index]) << (8 * UInt64(index % 8))
            if index < 8 { words.0 |= shifted } else { words.1 |= shifted }
        }
        first = words.0.littleEndianWord
        second = words.1.littleEndianWord
        self.scope = scope
        self.port = port
        family = octets.count == 4 ? 4 : 6
    }

    /// No address.
    public static var none: NetworkAddress { NetworkAddress(linux_address()) }

    /// The 4 or 16 octets in network order.
    public var octets: [UInt8] {
        (0..<(family == 4 ? 4 : 16)).map { octet($0) }
    }

    /// Octet `index` in network order.
    @inlinable
    public func octet(_ index: Int) -> UInt8 {
        let word = (index < 8 ? first : second).littleEndian
        return UInt8(truncatingIfNeeded: word >> (8 * UInt64(index % 8)))
    }

    /// The address without its port and scope.
    package var ip: IPAddress { IPAddress(octetCount: family == 4 ? 4 : 16) { octet($0) } }

    /// Whether the address is 127.0.0.0/8 or ::1.
    public var isLoopback: Bool { ip.isLoopback }

    /// Whether the address is 0.0.0.0 or ::.
    public var isUnspecified: Bool { first == 0 && second == 0 }

    /// As the shim takes it.
    var system: linux_address {
        linux_address(words: (first, second), scope: scope, port: port, family: family)
    }
}

extension UInt64 {
    /// This value, whose lowest octet comes first, as the word that has it first in memory.
    var littleEndianWord: UInt64 { UInt64(littleEndian: self) }
}

extension NetworkAddress: CustomStringConvertible {
    /// `192.0.2.1:53` or `[2001:db8::1]:53`, by RFC 5952.
    public var description: String { "\(family == 4 ? addressText : "[\(addressText)]"):\(port)" }

    /// The address alone, by RFC 5952.
    public var addressText: String { ip.description }
}
