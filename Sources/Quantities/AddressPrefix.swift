/// All addresses that share their first bits: `192.168.0.0/16`, `::1` (all 128 bits).
@frozen
public struct AddressPrefix: Hashable, Sendable {
    /// The address; bits past `bits` are zero.
    public let address: IPAddress
    /// How many bits are shared: 0…32 or 0…128.
    public let bits: Int

    /// The prefix of `address`; its further bits are cleared.
    /// - Precondition: `bits` is between 0 and the bits of the family.
    package init(_ address: IPAddress, bits: Int) {
        precondition(bits >= 0 && bits <= address.bitCount, "bits within the family")
        self.address = address.masked(to: bits)
        self.bits = bits
    }

    /// The IPv4 prefix that one inside `::ffff:0:0/96` stands for, else this prefix (RFC 4291
    /// §2.5.5.2); see `IPAddress.unmapped`.
    package var unmapped: AddressPrefix {
        guard !address.isIPv4, bits >= 96, address.high == 0, address.low >> 32 == 0xFFFF else {
            return self
        }
        return AddressPrefix(address.unmapped, bits: bits - 96)
    }

    /// Whether `candidate` is one of the prefix's addresses; the family counts.
    @inlinable
    public func contains(_ candidate: IPAddress) -> Bool {
        candidate.masked(to: bits) == address
    }
}

extension AddressPrefix: CustomStringConvertible {
    /// `ADDRESS/BITS`, or the address alone when it is a single one.
    public var description: String {
        bits == address.bitCount ? "\(address)" : "\(address)/\(bits)"
    }

    /// Why a text is no prefix.
    package enum TextError: Error, Equatable, Sendable {
        /// No address, or no number of bits within its family behind a slash.
        case malformed
        /// The address has ones past its bits; the payload is what was probably meant.
        case bitsPastPrefix(AddressPrefix)
    }

    /// The prefix that `ADDRESS[/BITS]` writes (RFC 4291 §2.3, RFC 4632 §3.1).
    package init(text: String) throws(TextError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(text: String(parts[0])) else { throw .malformed }
        guard parts.count == 2 else {
            self.init(address, bits: address.bitCount)
            return
        }
        let digits = parts[1].utf8
        guard (1...3).contains(digits.count), digits.allSatisfy({ $0 &- 0x30 < 10 }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"),
            let bits = Int(parts[1]), bits <= address.bitCount
        else { throw .malformed }
        self.init(address, bits: bits)
        guard self.address == address else { throw .bitsPastPrefix(self) }
    }
}
