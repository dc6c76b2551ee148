import DomainNames

/// How a format writes names.
enum NameSyntax {
    /// Letters, digits, `-`, `_` and dots; Unicode as UTF-8.
    case host
    /// The presentation form of RFC 1035 §5.1 with its escapes; Unicode as UTF-8.
    case presentation
}

extension LineReading {
    /// Appends a name of the line to `octets` and `names`.
    /// - Throws: the reason and the place in the line; `octets` and `names` then stay as they were.
    /// - Complexity: O(octets); allocates for Unicode names only.
    mutating func appendName(
        _ line: Span<UInt8>, _ range: Range<Int>, scope: NameScope, syntax: NameSyntax = .host
    ) throws(LineFault) {
        names.append(RuleName(wire: try appendWire(line, range, syntax: syntax), scope: scope))
    }

    /// Appends the wire form of a name to `octets`, in lower case.
    mutating func appendWire(
        _ line: Span<UInt8>, _ range: Range<Int>, syntax: NameSyntax = .host
    ) throws(LineFault) -> Range<Int> {
        let start = octets.count
        do throws(LineFault) {
            if syntax == .host {
                try appendHostLabels(line, range)
            } else {
                try appendPresentationLabels(line, range)
            }
            guard octets.count - start <= NameLimits.wireSize else {
                throw LineFault(.nameTooLong, at: range.lowerBound)
            }
            return start..<octets.count
        } catch {
            octets.removeSubrange(start...)
            throw error
        }
    }

    private mutating func appendHostLabels(
        _ line: Span<UInt8>, _ range: Range<Int>
    ) throws(LineFault) {
        // A length octet for every dot, one more at the front, and the root's.
        let start = octets.count
        octets.append(contentsOf: repeatElement(0, count: range.count + 2))
        var wire = HostWire(start: start)
        var target = octets.mutableSpan
        guard try wire.fill(&target, from: line, range) else {
            octets.removeSubrange(start...)
            return try appendInternationalName(line, range)
        }
        octets.removeLast(octets.count - wire.end)
        if wire.hasHyphenAtEdge { warn(.hyphenAtLabelEdge) }
        if line[range.upperBound - 1].isDigit, RuleAddress(text: line[range]) != nil {
            throw LineFault(.addressForName, at: range.lowerBound)
        }
    }

    private mutating func appendInternationalName(
        _ line: Span<UInt8>, _ range: Range<Int>
    ) throws(LineFault) {
        var ascii: [UInt8] = []
        do throws(IDNAError) {
            ascii = try IDNA.ascii(of: line[range])
        } catch {
            throw LineFault(.badInternationalName, at: range.lowerBound)
        }
        // libidn2 answers in ASCII; anything else must not come back here.
        let span = ascii.span
        for index in span.indices where span[index] >= 0x80 {
            throw LineFault(.badInternationalName, at: range.lowerBound)
        }
        do throws(LineFault) {
            try appendHostLabels(span, 0..<span.count)
        } catch {
            throw LineFault(error.reason, at: range.lowerBound)
        }
    }

    private mutating func appendPresentationLabels(
        _ line: Span<UInt8>, _ range: Range<Int>
    ) throws(LineFault) {
        for index in range where line[index] >= 0x80 {
            return try appendInternationalName(line, range)
        }
        var wire: [UInt8] = []
        do throws(NameError) {
            wire = try NameText.wire(of: line[range])
        } catch {
            throw LineFault(error, from: range.lowerBound)
        }
        for octet in wire { octets.append(octet.asciiLowercased) }
    }
}

/// Writes host names of a list as wire names.
private struct HostWire {
    /// Where the length octet of the current label goes.
    private var length: Int
    /// The end of what has been written.
    private(set) var end: Int
    /// Whether a label starts or ends with a hyphen.
    private(set) var hasHyphenAtEdge = false

    /// A wire name that starts at `start` of the octets to fill.
    init(start: Int) {
        length = start
        end = start + 1
    }

    /// Writes the name in the range of the line, in lower case.
    /// - Returns: whether the name is ASCII; if not, nothing of it counts.
    mutating func fill(
        _ target: inout MutableSpan<UInt8>, from line: Span<UInt8>, _ range: Range<Int>
    ) throws(LineFault) -> Bool {
        var index = range.lowerBound
        var labelStart = index
        while index < range.upperBound {
            let octet = line[index]
            if octet.isHostOctet {
                target[end] = octet.asciiLowercased
                end += 1
            } else if octet == .dot {
                try endLabel(&target, from: labelStart)
                labelStart = index + 1
            } else if octet >= 0x80 {
                return false
            } else {
                throw LineFault(.badName, at: index)
            }
            index += 1
        }
        // After a dot at the end, the octet kept for a next label is the root's length already.
        if labelStart < range.upperBound || labelStart == range.lowerBound {
            try endLabel(&target, from: labelStart)
        }
        return true
    }

    /// Writes the length of the label that ends here and keeps an octet for the next one.
    @inline(__always)
    private mutating func endLabel(
        _ target: inout MutableSpan<UInt8>, from offset: Int
    ) throws(LineFault) {
        let size = end - length - 1
        guard size > 0 else { throw LineFault(.emptyLabel, at: offset) }
        guard size <= NameLimits.labelSize else { throw LineFault(.labelTooLong, at: offset) }
        target[length] = UInt8(truncatingIfNeeded: size)
        let hyphen = UInt8(ascii: "-")
        if target[length + 1] == hyphen || target[end - 1] == hyphen { hasHyphenAtEdge = true }
        length = end
        end += 1
    }
}

extension LineFault {
    /// A fault of a name that starts at `start` in its line.
    init(_ error: NameError, from start: Int) {
        switch error {
        case .empty: self.init(.emptyLabel, at: start)
        case .emptyLabel(let offset): self.init(.emptyLabel, at: start + offset)
        case .labelTooLong(let offset): self.init(.labelTooLong, at: start + offset)
        case .nameTooLong: self.init(.nameTooLong, at: start)
        case .badEscape(let offset), .malformedWire(let offset):
            self.init(.badName, at: start + offset)
        }
    }
}
