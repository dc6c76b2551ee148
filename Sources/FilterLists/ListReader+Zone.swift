import DomainNames

/// Response policy zones as master files (draft-vixie-dnsop-dns-rpz-00, RFC 1035 §5).
extension ListReader {
    /// Reads one line of a zone file; records may span lines in parentheses.
    mutating func readZoneLine(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let wasOpen = zone.depth > 0
        let content = line.trimmed(text.lowerBound..<endOfRecord(line, text))
        if wasOpen { return reading.ignore(.continuation) }
        if content.isEmpty { return reading.ignore(.comment) }
        reading.ruleText = content
        if line[content.lowerBound] == .dollar {
            return try readDirective(line, content, into: &reading)
        }
        var rest = content
        if content.lowerBound == 0 {
            let field = line.token(in: content)
            rest = field.upperBound..<content.upperBound
            zone.owner = owner(line, field, record: rest, scratch: &reading)
        }
        guard let record = RecordFields(line, rest) else {
            throw LineFault(.syntax, at: content.upperBound)
        }
        try readRecord(line, record, into: &reading)
    }

    /// Where a comment starts or the line ends; keeps count of the parentheses before.
    private mutating func endOfRecord(_ line: Span<UInt8>, _ text: Range<Int>) -> Int {
        var isQuoted = false
        var index = text.lowerBound
        while index < text.upperBound {
            switch line[index] {
            case .backslash: index += 1
            case .quote: isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: zone.depth += 1
            case UInt8(ascii: ")") where !isQuoted: zone.depth = max(0, zone.depth - 1)
            case UInt8(ascii: ";") where !isQuoted: return index
            default: break
            }
            index += 1
        }
        return text.upperBound
    }

    private mutating func readDirective(
        _ line: Span<UInt8>, _ content: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let directive = line.token(in: content)
        let value = line.token(in: directive.upperBound..<content.upperBound)
        if line.equals("$ttl", in: directive) { return reading.ignore(.directive) }
        if line.equals("$include", in: directive) || line.equals("$generate", in: directive) {
            return reading.refuse(.include)
        }
        guard line.equals("$origin", in: directive) else {
            throw LineFault(.syntax, at: directive.lowerBound)
        }
        let (wire, isAbsolute) = try zoneName(line, value, scratch: &reading)
        guard let origin = zone.absolute(wire, isAbsolute: isAbsolute) else {
            throw LineFault(.nameTooLong, at: value.lowerBound)
        }
        zone.origin = origin
        if zone.apex.isEmpty { zone.apex = origin }
        reading.ignore(.directive)
    }

    /// A name's wire form in lower case, and whether a dot ends it.
    private func zoneName(
        _ line: Span<UInt8>, _ text: Range<Int>, scratch reading: inout LineReading
    ) throws(LineFault) -> (wire: [UInt8], isAbsolute: Bool) {
        let range = try reading.appendWire(line, text, syntax: .presentation)
        let wire = Array(reading.octets[range])
        reading.octets.removeSubrange(range)
        guard let last = text.last else { throw LineFault(.syntax, at: text.lowerBound) }
        let isEscaped = last > text.lowerBound && line[last - 1] == .backslash
        return (wire, line[last] == .dot && !isEscaped)
    }

    /// The trigger that an owner field names. An absolute owner of the SOA names the zone.
    private mutating func owner(
        _ line: Span<UInt8>, _ field: Range<Int>, record: Range<Int>,
        scratch reading: inout LineReading
    ) -> PolicyZone.Owner {
        if line.equals("@", in: field) { return originOwner() }
        do throws(LineFault) {
            let (wire, isAbsolute) = try zoneName(line, field, scratch: &reading)
            guard let absolute = zone.absolute(wire, isAbsolute: isAbsolute) else {
                return .bad(.nameTooLong)
            }
            if let fields = RecordFields(line, record), line.equals("soa", in: fields.type) {
                if isAbsolute || !zone.origin.isEmpty { zone.apex = absolute }
                return .apex
            }
            // With neither origin nor apex known there is nothing to take off.
            let isRelative = !isAbsolute && zone.origin.isEmpty
            guard let relative = isRelative ? wire : zone.relative(absolute) else {
                return .bad(.outOfZone)
            }
            return Self.trigger(relative)
        } catch {
            return .bad(error.reason)
        }
    }

    private mutating func originOwner() -> PolicyZone.Owner {
        guard !zone.origin.isEmpty else { return .apex }
        guard let relative = zone.relative(zone.origin) else { return .bad(.outOfZone) }
        return Self.trigger(relative)
    }

    private static func trigger(_ wire: [UInt8]) -> PolicyZone.Owner {
        if wire.count == 1 { return .apex }
        if wire[0] == 1 && wire[1] == .star { return .name(Array(wire[2...]), .below) }
        return .name(wire, .exact)
    }

    private func readRecord(
        _ line: Span<UInt8>, _ record: RecordFields, into reading: inout LineReading
    ) throws(LineFault) {
        switch zone.owner {
        case nil: throw LineFault(.syntax, at: reading.ruleText.lowerBound)
        case .apex: return reading.ignore(.apexRecord)
        case .bad(let reason): throw LineFault(reason, at: reading.ruleText.lowerBound)
        case .name(let wire, let scope):
            if zone.depth > 0 { return reading.refuse(.multilineRecord) }
            if Self.isOtherTrigger(wire) { return reading.refuse(.policyTrigger) }
            let start = reading.octets.count
            reading.octets.append(contentsOf: wire)
            reading.names.append(
                RuleName(wire: start..<(start + wire.count), scope: scope))
            try readAction(line, record, owner: wire, into: &reading)
        }
    }

    /// Whether the last label of a relative owner makes it a trigger on something else.
    private static func isOtherTrigger(_ wire: [UInt8]) -> Bool {
        var offset = 0
        while wire[offset] != 0, wire[offset + 1 + Int(wire[offset])] != 0 {
            offset += 1 + Int(wire[offset])
        }
        let span = wire.span
        let label = (offset + 1)..<max(offset + 1, wire.count - 1)
        return ["rpz-ip", "rpz-nsip", "rpz-nsdname", "rpz-client-ip"].contains {
            span.equals($0, in: label)
        }
    }

    private func readAction(
        _ line: Span<UInt8>, _ record: RecordFields, owner: [UInt8],
        into reading: inout LineReading
    ) throws(LineFault) {
        switch RecordTypeText.type(of: line[record.type]) {
        case 1, 28: reading.answer(with: [try record.address(line)])
        case 5: try readTarget(line, record.data, owner: owner, into: &reading)
        case nil: throw LineFault(.syntax, at: record.type.lowerBound)
        default: reading.refuse(.recordType, at: record.type.lowerBound)
        }
    }

    private func readTarget(
        _ line: Span<UInt8>, _ target: Range<Int>, owner: [UInt8],
        into reading: inout LineReading
    ) throws(LineFault) {
        if line.equals(".", in: target) { return reading.block(stated: "NXDOMAIN") }
        if line.equals("*.", in: target) { return reading.block(.nodata, stated: "NODATA") }
        if line.equals("rpz-drop.", in: target) { return reading.block(.drop, stated: "drop") }
        if line.equals("rpz-passthru.", in: target) { return reading.accept(.allow) }
        if line.equals("rpz-tcp-only.", in: target) { return reading.refuse(.tcpOnly) }
        if line.hasPrefix("*.", in: target) {
            return reading.refuse(.wildcardTarget, at: target.lowerBound)
        }
        let (wire, isAbsolute) = try zoneName(line, target, scratch: &reading)
        guard let absolute = zone.absolute(wire, isAbsolute: isAbsolute) else {
            throw LineFault(.nameTooLong, at: target.lowerBound)
        }
        // An alias to itself is how early policy zones wrote rpz-passthru.
        if absolute == owner { return reading.accept(.allow) }
        reading.rewrite(toWire: absolute)
    }
}
