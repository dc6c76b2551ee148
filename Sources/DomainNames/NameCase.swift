/// Which letters of a wire name are upper case: one bit an octet, 32 octets in all.
///
/// A name in lower case and this give back the very octets that a client sent, so that a question
/// is echoed byte for byte (RFC 4343 §4.1) though names are kept in lower case.
@frozen
public struct NameCase: Sendable {
    /// Bit *n* of word *n* / 64: the octet at *n* is an upper-case letter.
    @usableFromInline var bits: InlineArray<4, UInt64>

    /// All lower case.
    @inlinable
    public init() { bits = .init(repeating: 0) }

    /// The case of a wire name of at most 255 octets.
    @inlinable
    public init(wire: Span<UInt8>) {
        self.init()
        for index in 0..<min(wire.count, NameLimits.wireSize) where wire[index] &- 0x41 < 26 {
            bits[index >> 6] |= 1 << UInt64(index & 63)
        }
    }

    /// Turns letters of the lower-case name at `offset` of `octets` back to upper case.
    @inlinable
    public func restore(in octets: inout [UInt8], at offset: Int) {
        for word in 0..<4 {
            var left = bits[word]
            while left != 0 {
                let position = offset + word * 64 + left.trailingZeroBitCount
                left &= left &- 1
                if position < octets.count, octets[position] &- 0x61 < 26 {
                    octets[position] &= 0xDF
                }
            }
        }
    }
}
