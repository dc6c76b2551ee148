/// Fixed-width numbers and varints of the snapshot file, read with bounds checked.
extension Span where Element == UInt8 {
    /// The little-endian 16-bit number at `offset`; `nil` past the end.
    @inlinable
    func littleEndian16(at offset: Int) -> UInt16? {
        guard offset >= 0, offset <= count - 2 else { return nil }
        return UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    /// The little-endian 32-bit number at `offset`; `nil` past the end.
    @inlinable
    func littleEndian32(at offset: Int) -> UInt32? {
        guard offset >= 0, offset <= count - 4 else { return nil }
        let low = UInt32(self[offset]) | UInt32(self[offset + 1]) << 8
        return low | UInt32(self[offset + 2]) << 16 | UInt32(self[offset + 3]) << 24
    }

    /// The little-endian 64-bit number at `offset`; `nil` past the end.
    @inlinable
    func littleEndian64(at offset: Int) -> UInt64? {
        guard let low = littleEndian32(at: offset), let high = littleEndian32(at: offset + 4) else {
            return nil
        }
        return UInt64(low) | UInt64(high) << 32
    }

    /// The LEB128 number at `offset`, of at most five octets, and the offset after it; `nil` when
    /// it runs past the end or is longer.
    @inlinable
    func varint(at offset: Int) -> (value: Int, next: Int)? {
        guard offset >= 0, offset < count else { return nil }
        let first = self[offset]
        if first < 0x80 { return (Int(first), offset + 1) }
        var value = Int(first & 0x7F)
        var shift = 7
        while shift < 35 {
            let index = offset + shift / 7
            guard index < count else { return nil }
            let octet = self[index]
            value |= Int(octet & 0x7F) << shift
            if octet < 0x80 { return (value, index + 1) }
            shift += 7
        }
        return nil
    }

    /// Whether `prefix` is what this span begins with.
    @inlinable
    package func hasPrefix(_ prefix: Span<UInt8>) -> Bool {
        guard prefix.count <= count else { return false }
        var index = 0
        while index < prefix.count {
            if self[index] != prefix[index] { return false }
            index += 1
        }
        return true
    }

    /// How many octets this span and `other` have in common at the start, `from` being known.
    @inlinable
    package func sharedPrefix(with other: Span<UInt8>, from start: Int = 0) -> Int {
        let limit = Swift.min(count, other.count)
        var index = start
        while index < limit, self[index] == other[index] { index += 1 }
        return index
    }

    /// Whether this span comes before `other` in byte order, a prefix before what it begins.
    @inlinable
    package func precedes(_ other: Span<UInt8>) -> Bool {
        let shared = sharedPrefix(with: other)
        if shared == other.count { return false }
        return shared == count || self[shared] < other[shared]
    }
}

/// Numbers of the snapshot file, appended.
extension Array where Element == UInt8 {
    /// Appends the low `size` octets of `value`, least significant first.
    package mutating func append(littleEndian value: UInt64, size: Int) {
        var rest = value
        for _ in 0..<size {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Appends a 16-bit number.
    package mutating func append(littleEndian value: UInt16) {
        append(littleEndian: UInt64(value), size: 2)
    }

    /// Appends a 32-bit number.
    package mutating func append(littleEndian value: UInt32) {
        append(littleEndian: UInt64(value), size: 4)
    }

    /// Appends a 64-bit number.
    package mutating func append(littleEndian value: UInt64) {
        append(littleEndian: value, size: 8)
    }

    /// Appends a LEB128 number below 2³⁵.
    package mutating func append(varint value: Int) {
        precondition(value >= 0 && value < 1 << 35, "a varint of the file has at most five octets")
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the octets of a span.
    package mutating func append(octets: Span<UInt8>) {
        append(addingCapacity: octets.count) { room in
            var index = 0
            while index < octets.count {
                room.append(octets[index])
                index += 1
            }
        }
    }

    /// Appends zeros until the size is a multiple of 8.
    package mutating func padToEight() {
        while count & 7 != 0 { append(0) }
    }
}
