/// Reads a section from front to back; what is not there reads as `nil`, never past the end.
struct OctetCursor: ~Escapable {
    private let octets: Span<UInt8>
    /// Offset of the next octet.
    private(set) var offset: Int

    /// A cursor at `offset` of `octets`.
    @_lifetime(copy octets)
    init(_ octets: Span<UInt8>, at offset: Int = 0) {
        self.octets = octets
        self.offset = offset
    }

    /// Octets that are left.
    var remaining: Int { octets.count - offset }

    /// The next octet.
    @_lifetime(self: copy self)
    mutating func octet() -> UInt8? {
        guard offset < octets.count else { return nil }
        offset += 1
        return octets[offset - 1]
    }

    /// The next LEB128 number.
    @_lifetime(self: copy self)
    mutating func varint() -> Int? {
        guard let (value, next) = octets.varint(at: offset) else { return nil }
        offset = next
        return value
    }

    /// The next 16-bit number.
    @_lifetime(self: copy self)
    mutating func littleEndian16() -> UInt16? {
        guard let value = octets.littleEndian16(at: offset) else { return nil }
        offset += 2
        return value
    }

    /// The next 64-bit number.
    @_lifetime(self: copy self)
    mutating func littleEndian64() -> UInt64? {
        guard let value = octets.littleEndian64(at: offset) else { return nil }
        offset += 8
        return value
    }

    /// The next `count` octets, as a range of the span; steps over them.
    @_lifetime(self: copy self)
    mutating func range(count: Int) -> Range<Int>? {
        guard count >= 0, count <= remaining else { return nil }
        offset += count
        return (offset - count)..<offset
    }
}
