import DomainNames

/// Lists of plain names, one a line, with or without wildcards at the front.
extension ListReader {
    /// Reads a line of a domain list or of a wildcard list.
    func readDomain(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let first = line[text.lowerBound]
        if first == .hash || first == UInt8(ascii: "!") { return reading.ignore(.comment) }
        var name = line.token(in: text)
        if let hash = line.index(of: .hash, in: name) {
            if CosmeticMarker.starts(line, at: hash, end: text.upperBound) {
                return reading.refuse(.cosmetic, at: hash)
            }
            name = name.lowerBound..<hash
        } else if name.upperBound < text.upperBound {
            let next = line.token(in: name.upperBound..<text.upperBound)
            if line[next.lowerBound] != .hash {
                return try readSeveralFields(line, text, name, into: &reading)
            }
        }
        reading.ruleText = name
        if first == .dot && name.count > 1 {
            name = (name.lowerBound + 1)..<name.upperBound
            return try readDomain(line, name, scope: .subtree, into: &reading)
        }
        if first == .star, options.format == .wildcard, line.hasPrefix("*.", in: name) {
            name = (name.lowerBound + 2)..<name.upperBound
            return try readDomain(line, name, scope: .subtree, into: &reading)
        }
        try readDomain(line, name, scope: options.bareScope, into: &reading)
    }

    private func readDomain(
        _ line: Span<UInt8>, _ name: Range<Int>, scope: NameScope, into reading: inout LineReading
    ) throws(LineFault) {
        do throws(LineFault) {
            try reading.appendName(line, name, scope: scope)
        } catch {
            return try readOddDomain(line, reading.ruleText, error, into: &reading)
        }
        reading.block()
    }

    /// What stands in a domain list and is no name.
    private func readOddDomain(
        _ line: Span<UInt8>, _ text: Range<Int>, _ fault: LineFault, into reading: inout LineReading
    ) throws(LineFault) {
        if fault.reason == .addressForName || isAddressOrPrefix(line, text) {
            return reading.refuse(.ipRule, at: text.lowerBound)
        }
        guard fault.reason == .badName else { throw fault }
        if let offset = CosmeticMarker.index(in: line, text) {
            return reading.refuse(.cosmetic, at: offset)
        }
        if line.hasPrefix("||", in: text) || line.hasPrefix("@@", in: text) {
            throw LineFault(.otherFormat, at: text.lowerBound)
        }
        if line[fault.offset] == .slash || line.contains("://", in: text) {
            throw LineFault(.urlForName, at: text.lowerBound)
        }
        if line[fault.offset] == .star, isHostPattern(line, text) {
            let start: PatternAnchors = options.bareScope == .subtree ? .labelStart : .hostStart
            reading.set(wildcard: line.octets(in: text), anchors: [start, .hostEnd])
            guard options.format == .wildcard else {
                return reading.refuse(.wildcardPattern, at: fault.offset)
            }
            return reading.block()
        }
        throw fault
    }

    /// A line of more than one field: a hosts line is read as such, all else is wrong.
    private func readSeveralFields(
        _ line: Span<UInt8>, _ text: Range<Int>, _ field: Range<Int>,
        into reading: inout LineReading
    ) throws(LineFault) {
        if let address = RuleAddress(hostsText: line[field]) {
            return try readHosts(line, text, address: address, after: field, into: &reading)
        }
        try reading.appendName(line, field, scope: .exact)
        throw LineFault(.severalNames, at: field.upperBound + 1)
    }

    /// Whether the range is an address, in brackets or not, or a prefix `address/length`.
    func isAddressOrPrefix(_ line: Span<UInt8>, _ text: Range<Int>) -> Bool {
        var range = text
        if let slash = line.lastIndex(of: .slash, in: text) {
            guard line.decimal(in: (slash + 1)..<text.upperBound, limit: 128) != nil else {
                return false
            }
            range = text.lowerBound..<slash
        }
        if range.count > 2, line[range.lowerBound] == UInt8(ascii: "["),
            line[range.upperBound - 1] == UInt8(ascii: "]")
        {
            range = (range.lowerBound + 1)..<(range.upperBound - 1)
        }
        return RuleAddress(text: line[range]) != nil
    }

    /// Whether the range consists of what hosts consist of, and stars.
    func isHostPattern(_ line: Span<UInt8>, _ text: Range<Int>) -> Bool {
        for index in text {
            let octet = line[index]
            guard octet.isHostOctet || octet == .dot || octet == .star else { return false }
        }
        return !text.isEmpty
    }
}
