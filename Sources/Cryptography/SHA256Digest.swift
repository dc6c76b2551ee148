/// The 32 octets of a SHA-256 digest.
package struct SHA256Digest: Sendable {
    /// The digest, first octet first.
    package let octets: InlineArray<32, UInt8>

    /// Octets of a digest.
    package static let size = 32

    /// A digest from its octets.
    package init(octets: InlineArray<32, UInt8>) { self.octets = octets }

    /// A digest from 32 octets of a file; `nil` for any other number.
    package init?(_ span: Span<UInt8>) {
        guard span.count == SHA256Digest.size else { return nil }
        var copy = InlineArray<32, UInt8>(repeating: 0)
        for index in span.indices { copy[index] = span[index] }
        octets = copy
    }

    /// The digest that 64 hexadecimal digits in lower case write; `nil` for any other text.
    package init?(text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * SHA256Digest.size else { return nil }
        var copy = InlineArray<32, UInt8>(repeating: 0)
        for (index, digit) in digits.enumerated() {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x57
            default: return nil
            }
            copy[index / 2] = copy[index / 2] << 4 | value
        }
        octets = copy
    }
}

extension SHA256Digest: Hashable {
    /// Equality of all octets.
    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
        for index in left.octets.indices where left.octets[index] != right.octets[index] {
            return false
        }
        return true
    }

    /// Hashes what equality compares.
    package func hash(into hasher: inout Hasher) {
        for index in octets.indices { hasher.combine(octets[index]) }
    }
}

extension SHA256Digest: CustomStringConvertible {
    /// 64 hexadecimal digits in lower case.
    package var description: String {
        var text = ""
        text.reserveCapacity(2 * SHA256Digest.size)
        for index in octets.indices {
            for nibble in [octets[index] >> 4, octets[index] & 15] {
                let digit = nibble < 10 ? 0x30 + nibble : 0x57 + nibble
                text.unicodeScalars.append(Unicode.Scalar(digit))
            }
        }
        return text
    }
}
