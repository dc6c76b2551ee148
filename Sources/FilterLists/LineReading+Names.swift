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
        let start = octets.count
        var length = start
        var labelStart = range.lowerBound
        octets.append(0)
        var index = range.lowerBound
        while index < range.upperBound {
            let octet = line[index]
            if octet.isHostOctet {
                octets.append(octet.asciiLowercased)
            } else if octet == .dot {
                try endLabel(length, from: labelStart)
                length = octets.count
                labelStart = index + 1
                octets.append(0)
            } else if octet >= 0x80 {
                octets.removeSubrange(start...)
                return try appendInternationalName(line, range)
            } else {
                throw LineFault(.badName, at: index)
            }
            index += 1
        }
        // A dot at the end has opened the root label already.
        if labelStart == range.upperBound, length > start { return }
        try endLabel(length, from: labelStart)
        octets.append(0)
        if line[range.upperBound - 1].isDigit, RuleAddress(text: line[range]) != nil {
            throw LineFault(.addressForName, at: range.lowerBound)
        }
    }

    /// Writes the length octet of the label that has just been appended.
    @inline(__always)
    private mutating func endLabel(_ length: Int, from offset: Int) throws(LineFault) {
        let size = octets.count - length - 1
        guard size > 0 else { throw LineFault(.emptyLabel, at: offset) }
        guard size <= NameLimits.labelSize else { throw LineFault(.labelTooLong, at: offset) }
        octets[length] = UInt8(truncatingIfNeeded: size)
        let hyphen = UInt8(ascii: "-")
        if octets[length + 1] == hyphen || octets[length + size] == hyphen {
            warn(.hyphenAtLabelEdge)
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
