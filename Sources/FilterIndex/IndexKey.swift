import DomainNames

/// A name as the index sorts it: labels from the top-level domain down, each ended by 0x00.
///
/// ```
/// name   ads.example.com.
/// key    c o m 0 e x a m p l e 0 a d s 0
/// ends   0     4               12      16      the key of the last i labels ends at ends[i]
/// ```
/// Inside a label letters, digits, hyphen and underscore stand for themselves; each of the other
/// 218 octets is written 0x01 and its number among them, from 1. So 0x00 only ever ends a label,
/// and byte order is the order of coded names (`NameSymbol`): it puts a name directly before all
/// names below it, and "lies at or below" is "begins with". The root is the empty key.
///
/// At most 504 octets: 250 octets in four labels, each escaped, and four terminators. Held inline;
/// keep one as scratch and refill it.
@frozen
public struct IndexKey: Sendable {
    /// The key, then octets of no meaning.
    @usableFromInline var storage: InlineArray<512, UInt8>
    /// Where the key of the last i labels ends; `ends[0]` is 0.
    @usableFromInline var ends: InlineArray<128, UInt16>
    /// Labels of the name.
    @usableFromInline var labels: Int

    /// The key of the root.
    public init() {
        storage = .init(repeating: 0)
        ends = .init(repeating: 0)
        labels = 0
    }

    /// The octets of the key.
    @inlinable
    public var octets: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { storage.span.extracting(0..<Int(ends[labels])) }
    }

    /// This key without a copy.
    @inlinable
    public var view: View {
        @_lifetime(borrow self)
        borrowing get {
            View(
                octets: storage.span.extracting(0..<Int(ends[labels])),
                ends: ends.span.extracting(0..<(labels + 1)))
        }
    }

    /// A key in place: what the tables are asked with.
    @frozen
    public struct View: ~Escapable {
        /// The octets of the key.
        public let octets: Span<UInt8>
        /// Where the key of the last i labels ends.
        @usableFromInline let ends: Span<UInt16>

        /// A view of these octets and ends.
        @inlinable
        @_lifetime(copy octets, copy ends)
        init(octets: Span<UInt8>, ends: Span<UInt16>) {
            self.octets = octets
            self.ends = ends
        }

        /// Labels of the name, root not counted.
        @inlinable
        public var labelCount: Int { ends.count - 1 }

        /// The key of the suffix of the name's last `labels` labels: the beginning of this key.
        @inlinable
        @_lifetime(copy self)
        public func octets(ofLastLabels labels: Int) -> Span<UInt8> {
            octets.extracting(0..<Int(ends[labels]))
        }
    }

    /// Refills this key from a name.
    /// - Complexity: O(octets of the name); no allocation.
    public mutating func assign(_ name: borrowing CanonicalName) { assign(wire: name.wire) }

    /// Refills this key from the wire form of a name in lower case.
    mutating func assign(wire: Span<UInt8>) {
        var starts = InlineArray<128, UInt8>(repeating: 0)
        var count = 0
        var start = 0
        while wire[start] != 0 {
            starts[count] = UInt8(truncatingIfNeeded: start)
            count += 1
            start += 1 + Int(wire[start])
        }
        labels = count
        var size = 0
        var label = 1
        while label <= count {
            let length = Int(starts[count - label])
            var offset = length + 1
            let end = offset + Int(wire[length])
            while offset < end {
                let octet = wire[offset]
                if NameSymbol.of(octet) == NameSymbol.escape {
                    storage[size] = NameSymbol.escapeOctet
                    storage[size + 1] = NameSymbol.escapedNumber(of: octet) + 1
                    size += 2
                } else {
                    storage[size] = octet
                    size += 1
                }
                offset += 1
            }
            storage[size] = 0
            size += 1
            ends[label] = UInt16(truncatingIfNeeded: size)
            label += 1
        }
    }

    /// Fills `name` from a key of the file.
    /// - Returns: whether the octets are a key; `name` is the root when they are not.
    package static func read(_ key: Span<UInt8>, into name: inout CanonicalName) -> Bool {
        var starts = InlineArray<128, UInt16>(repeating: 0)
        var count = 0
        for index in key.indices where key[index] == 0 {
            guard count < NameLimits.labelCount else { return false }
            count += 1
            starts[count] = UInt16(truncatingIfNeeded: index + 1)
        }
        name.assignRoot()
        guard Int(starts[count]) == key.count else { return false }
        while count > 0 {
            let range = Int(starts[count - 1])..<(Int(starts[count]) - 1)
            guard append(label: key.extracting(range), to: &name) else {
                name.assignRoot()
                return false
            }
            count -= 1
        }
        return true
    }

    private static func append(label: Span<UInt8>, to name: inout CanonicalName) -> Bool {
        var octets = InlineArray<64, UInt8>(repeating: 0)
        var size = 0
        var offset = 0
        while offset < label.count {
            guard size < NameLimits.labelSize else { return false }
            octets[size] = label[offset]
            if label[offset] == NameSymbol.escapeOctet {
                guard offset + 1 < label.count, label[offset + 1] > 0,
                    let octet = NameSymbol.octet(ofEscapedNumber: label[offset + 1] - 1)
                else { return false }
                octets[size] = octet
                offset += 1
            } else if NameSymbol.of(label[offset]) == NameSymbol.escape {
                return false
            }
            size += 1
            offset += 1
        }
        guard size > 0 else { return false }
        return (try? name.append(label: octets.span.extracting(0..<size))) != nil
    }
}
