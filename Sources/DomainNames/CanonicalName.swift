/// A domain name folded to lower case, held inline: the form that the query path compares.
///
/// ```
/// wire    3 a d s 7 e x a m p l e 0      ≤ 255 octets, root label included
/// text      a d s . e x a m p l e        the same octets, a dot for each inner length octet
/// starts    0       4                    where each label starts in `text`, 8 bits each
/// ```
/// The text of the suffix from label *i* is `text[starts[i]...]`: one filling serves the hashes of
/// every suffix. A dot inside a label looks like a separator in `text` only: `wire` and the label
/// starts tell the two apart (RFC 2181 §11).
///
/// About 650 octets: keep one as scratch and refill it; never copy it on the query path.
@frozen
public struct CanonicalName: Sendable {
    /// `wire` of the picture; octets from `wireSize` on are left over and mean nothing.
    @usableFromInline var wireOctets: InlineArray<256, UInt8>
    /// `text` of the picture, `wireSize - 2` octets of it.
    @usableFromInline var textOctets: InlineArray<256, UInt8>
    /// `starts` of the picture, one for each label.
    @usableFromInline var starts: InlineArray<128, UInt8>
    /// Octets of the wire form, root label included.
    @usableFromInline var wireSize: Int
    /// Labels, root not counted.
    @usableFromInline var labels: Int

    /// The root.
    public init() {
        wireOctets = .init(repeating: 0)
        textOctets = .init(repeating: 0)
        starts = .init(repeating: 0)
        wireSize = 1
        labels = 0
    }

    /// Octets on the wire, 1…255.
    @inlinable
    public var wireCount: Int { wireSize }

    /// Labels, root not counted, 0…127.
    @inlinable
    public var labelCount: Int { labels }

    /// The canonical form of an owned name.
    public init(_ name: DomainName) {
        self.init()
        let octets = name.wire
        let filled: Void? = try? assign(wire: octets.span)
        precondition(filled != nil, "a DomainName holds to the limits of a name")
    }

    /// The wire form in lower case.
    @inlinable
    public var wire: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { wireOctets.span.extracting(0..<wireCount) }
    }

    /// The suffix that starts at label `index` (0 is the whole name) as text, dots between labels.
    @inlinable
    @_lifetime(borrow self)
    public borrowing func text(fromLabel index: Int) -> Span<UInt8> {
        textOctets.span.extracting(Int(starts[index])..<max(0, wireCount - 2))
    }

    /// The octets of label `index`.
    @inlinable
    @_lifetime(borrow self)
    public borrowing func label(_ index: Int) -> Span<UInt8> {
        let start = Int(starts[index])
        return textOctets.span.extracting(start..<(start + Int(wireOctets[start])))
    }

    /// The wire form of the suffix that starts at label `index`.
    @inlinable
    @_lifetime(borrow self)
    public borrowing func wire(fromLabel index: Int) -> Span<UInt8> {
        let start = index == labelCount ? wireCount - 1 : Int(starts[index])
        return wireOctets.span.extracting(start..<wireCount)
    }

    /// Makes this the root.
    @inlinable
    public mutating func assignRoot() {
        wireOctets[0] = 0
        wireSize = 1
        labels = 0
    }

    /// Appends one label of 1…63 octets, folded to lower case, before the root label.
    /// - Throws: `NameError.nameTooLong`; the name then stays as it was.
    @inlinable
    public mutating func append(label: Span<UInt8>) throws(NameError) {
        let size = label.count
        precondition(size > 0 && size <= NameLimits.labelSize, "a label has 1 to 63 octets")
        let start = wireCount - 1
        guard wireCount + size + 1 <= NameLimits.wireSize else { throw .nameTooLong }
        wireOctets[start] = UInt8(truncatingIfNeeded: size)
        if start > 0 { textOctets[start - 1] = UInt8(ascii: ".") }
        var index = 0
        while index < size {
            let octet = label[index].asciiLowercased
            wireOctets[start + 1 + index] = octet
            textOctets[start + index] = octet
            index += 1
        }
        wireOctets[start + 1 + size] = 0
        starts[labelCount] = UInt8(truncatingIfNeeded: start)
        wireSize += size + 1
        labels += 1
    }

    /// Refills this name from an uncompressed wire name that fills the span.
    /// - Throws: `NameError.malformedWire`, `.labelTooLong`, `.nameTooLong`.
    public mutating func assign(wire octets: Span<UInt8>) throws(NameError) {
        assignRoot()
        var offset = 0
        while true {
            guard offset < octets.count else { throw .malformedWire(offset: offset) }
            let size = Int(octets[offset])
            if size == 0 { break }
            guard size <= NameLimits.labelSize else { throw .labelTooLong(offset: offset) }
            guard offset + 1 + size < octets.count else { throw .malformedWire(offset: offset) }
            try append(label: octets.extracting((offset + 1)..<(offset + 1 + size)))
            offset += 1 + size
        }
        guard offset + 1 == octets.count else { throw .malformedWire(offset: offset + 1) }
    }
}

extension CanonicalName: CustomStringConvertible {
    /// Presentation form without a dot at the end; the root is `.`.
    public var description: String {
        let copy = self
        return NameText.text(of: copy.wire)
    }
}
