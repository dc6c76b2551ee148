/// Bits of a file, most significant first in every octet, read at any bit.
struct CodedBits: ~Escapable {
    private let octets: Span<UInt8>

    /// A view of these octets.
    @_lifetime(copy octets)
    init(_ octets: Span<UInt8>) { self.octets = octets }

    /// Bits there are.
    var count: Int { octets.count * 8 }

    /// The bits from `position`, left-aligned: at least 57 of them, zeros past the end.
    @inline(__always)
    func bits(at position: Int) -> UInt64 {
        let offset = position >> 3
        if offset >= 0, offset <= octets.count - 8 {
            return UInt64(bigEndian: octets.word(at: offset)) << UInt64(position & 7)
        }
        return tail(at: offset) << UInt64(position & 7)
    }

    /// Up to eight octets near the end of the file.
    private func tail(at offset: Int) -> UInt64 {
        guard offset >= 0 else { return 0 }
        var word: UInt64 = 0
        for index in offset..<(offset + 8) {
            word = word << 8 | (index < octets.count ? UInt64(octets[index]) : 0)
        }
        return word
    }

    /// How many of the `count` bits from `position` equal those of `key` from bit `keyPosition`.
    @inline(__always)
    func shared(
        at position: Int, count: Int, with key: Span<UInt64>, at keyPosition: Int
    ) -> Int {
        var done = 0
        while done < count {
            let start = keyPosition + done
            let index = start >> 6
            guard index < key.count - 1 else { return done }
            let shift = UInt64(start & 63)
            // A shift by 64 gives zero.
            let wanted = key[index] << shift | key[index + 1] >> (64 - shift)
            let difference = (bits(at: position + done) ^ wanted) >> 8
            if difference != 0 { return min(count, done + difference.leadingZeroBitCount - 8) }
            done += 56
        }
        return count
    }
}

extension Span where Element == UInt8 {
    /// The little-endian 64-bit number at `offset`; 0 past the end.
    @inline(__always)
    func littleEndianWord(at offset: Int) -> UInt64 {
        offset >= 0 && offset <= count - 8 ? UInt64(littleEndian: word(at: offset)) : 0
    }

    /// The eight octets at `offset`, which the caller knows to be there.
    ///
    /// Eight reads with bounds checks, put together, were half of a look-up.
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    }
}
