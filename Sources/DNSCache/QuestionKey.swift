import DNSWire
import DomainNames

/// What tells one question from another: name, type, class, DO and CD.
///
/// ```
/// wire name in lower case (1…255) · type(2) · class(2) · bits(1): 1 = DO, 2 = CD
/// ```
/// DO and CD belong to it because an upstream may answer differently under them (RFC 4035 §4.7,
/// RFC 6840 §5.9). The hash is seeded, so that nobody outside can choose names that collide.
@frozen
public struct QuestionKey: Sendable {
    /// The octets of the picture; from `count` on they are left over.
    @usableFromInline var octets: InlineArray<264, UInt8>
    /// Octets of the key, 6…260.
    @usableFromInline var count: Int
    /// The hash of the octets.
    public private(set) var hash: UInt64

    /// The type asked for.
    public private(set) var type: RecordType

    /// An empty key, to be filled.
    public init() {
        octets = .init(repeating: 0)
        count = 0
        hash = 0
        type = RecordType(rawValue: 0)
    }

    /// The octets of the key.
    @inlinable
    public var span: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { octets.span.extracting(0..<count) }
    }

    /// Fills the key.
    public mutating func assign(
        name: borrowing CanonicalName, type: RecordType, recordClass: RecordClass,
        dnssecOK: Bool, checkingDisabled: Bool, seed: UInt64
    ) {
        self.type = type
        let wire = name.wire
        var mixed = seed ^ 0xCBF2_9CE4_8422_2325
        for index in wire.indices {
            octets[index] = wire[index]
            mixed = (mixed ^ UInt64(wire[index])) &* 0x100_0000_01B3
        }
        let bits: UInt8 = (dnssecOK ? 1 : 0) | (checkingDisabled ? 2 : 0)
        let tail: [5 of UInt8] = [
            UInt8(truncatingIfNeeded: type.rawValue >> 8), UInt8(truncatingIfNeeded: type.rawValue),
            UInt8(truncatingIfNeeded: recordClass.rawValue >> 8),
            UInt8(truncatingIfNeeded: recordClass.rawValue), bits,
        ]
        for index in 0..<5 {
            octets[wire.count + index] = tail[index]
            mixed = (mixed ^ UInt64(tail[index])) &* 0x100_0000_01B3
        }
        count = wire.count + 5
        // FNV leaves the high bits weak; this is the finish of MurmurHash3 (64 bits).
        mixed ^= mixed >> 33
        mixed = mixed &* 0xFF51_AFD7_ED55_8CCD
        hash = mixed ^ (mixed >> 33)
    }

    /// Whether `other` holds the same octets.
    @inlinable
    public func matches(_ other: Span<UInt8>) -> Bool {
        guard other.count == count else { return false }
        // Through a span: a subscript of the array itself copies the whole array each time.
        let own = octets.span
        for index in 0..<count where own[index] != other[index] { return false }
        return true
    }
}
