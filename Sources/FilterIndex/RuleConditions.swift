import Quantities

/// The clients that a rule is for and the end of its time, as the file holds them.
///
/// ```
/// conditions  bits u8: 1 clients · 2 end
///             · clients: varint count · (family u8 · bits u8 · octets of the prefix) …
///             · end: varint seconds since 1970
/// family      bit 0 the rule is not for this client · bit 1 IPv6 · others zero
/// octets      ⌈bits / 8⌉, what is left out is zero
/// ```
/// A client that is excluded is out whatever else is said; with any client included, only those
/// are in. From its end on a rule is as if it were not there.
package struct RuleConditions {
    /// Bits that say which conditions follow.
    package enum Flag {
        /// Clients follow.
        package static let clients: UInt8 = 1
        /// An end follows.
        package static let end: UInt8 = 2
        /// A client that the rule is not for.
        package static let excluded: UInt8 = 1
        /// A client with an IPv6 address.
        package static let isIPv6: UInt8 = 2
    }

    /// Clients of one rule at most: each is looked at for every query that reaches the rule.
    package static let clientLimit = 256
    /// The last end that can be written: five octets of seven bits.
    package static let lastEnd: Int64 = (1 << 35) - 1

    /// Where the clients stand in the section.
    private var clients = 0..<0
    private var clientCount = 0
    /// The second since 1970 from which on the rule is not there; `nil` for good.
    private(set) var end: Int64?

    /// No condition.
    init() {}

    /// Reads conditions; `nil` when the octets are none.
    init?(_ cursor: inout OctetCursor) {
        guard let bits = cursor.octet(), bits & ~(Flag.clients | Flag.end) == 0, bits != 0 else {
            return nil
        }
        if bits & Flag.clients != 0 {
            guard let count = cursor.varint(), count > 0, count <= RuleConditions.clientLimit else {
                return nil
            }
            clientCount = count
            let start = cursor.offset
            for _ in 0..<count {
                guard RuleConditions.client(&cursor) != nil else { return nil }
            }
            clients = start..<cursor.offset
        }
        if bits & Flag.end != 0 {
            guard let seconds = cursor.varint() else { return nil }
            end = Int64(seconds)
        }
    }

    /// Whether the rule is there on this occasion.
    /// - Complexity: O(clients); no allocation.
    func hold(on occasion: Occasion, in section: Span<UInt8>) -> Bool {
        if let end, occasion.seconds >= end { return false }
        guard clientCount > 0 else { return true }
        var cursor = OctetCursor(section, at: clients.lowerBound)
        var isIncluded = false
        var hasIncluded = false
        var left = clientCount
        while left > 0, let client = RuleConditions.client(&cursor) {
            left -= 1
            let isMeant = occasion.client.map { client.contains($0, in: section) } ?? false
            if client.isExcluded {
                if isMeant { return false }
            } else {
                hasIncluded = true
                isIncluded = isIncluded || isMeant
            }
        }
        return isIncluded || !hasIncluded
    }

    /// One client's place in the section.
    private struct Client {
        let isExcluded: Bool
        let isIPv6: Bool
        let bits: Int
        let octets: Range<Int>

        func contains(_ address: IPAddress, in section: Span<UInt8>) -> Bool {
            guard address.isIPv4 != isIPv6 else { return false }
            let first = octets.lowerBound
            let count = octets.count
            let size = isIPv6 ? 16 : 4
            var high: UInt64 = 0
            var low: UInt64 = 0
            var index = 0
            while index < size {
                let octet = index < count ? UInt64(section[first + index]) : 0
                if index < 8 {
                    high |= octet << UInt64(56 - 8 * index)
                } else {
                    low |= octet << UInt64(120 - 8 * index)
                }
                index += 1
            }
            return address.masked(to: bits) == IPAddress(high: high, low: low, isIPv4: !isIPv6)
        }
    }

    private static func client(_ cursor: inout OctetCursor) -> Client? {
        guard let family = cursor.octet(), family & ~(Flag.excluded | Flag.isIPv6) == 0,
            let bits = cursor.octet(), bits <= (family & Flag.isIPv6 != 0 ? 128 : 32),
            let octets = cursor.range(count: (Int(bits) + 7) / 8)
        else { return nil }
        return Client(
            isExcluded: family & Flag.excluded != 0, isIPv6: family & Flag.isIPv6 != 0,
            bits: Int(bits), octets: octets)
    }
}
