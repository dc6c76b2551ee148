import DomainNames

/// The modifiers of adblock rules that a name filter understands.
extension ListReader {
    /// Reads `$modifier,modifier=value…` up to the end of the rule.
    ///
    /// A modifier that needs a page, a path or a resource type makes the whole rule unsupported:
    /// without it the rule would block more than its author meant.
    func readModifiers(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let list = (text.lowerBound + 1)..<text.upperBound
        guard !line.trimmed(list).isEmpty else {
            throw LineFault(.emptyOptions, at: text.lowerBound)
        }
        var kept: [[UInt8]] = []
        for field in line.fields(of: list, separatedBy: UInt8(ascii: ",")) {
            let field = line.trimmed(field)
            if line.equals("badfilter", in: field) {
                reading.isBadFilter = true
                continue
            }
            kept.append(line.octets(in: field).map(\.asciiLowercased))
            try readModifier(line, field, into: &reading)
        }
        let pattern = reading.ruleText.lowerBound..<text.lowerBound
        reading.identity = line.octets(in: pattern).map(\.asciiLowercased)
        kept.sort { $0.lexicographicallyPrecedes($1) }
        for (index, modifier) in kept.enumerated() {
            reading.identity.append(index == 0 ? .dollar : UInt8(ascii: ","))
            reading.identity.append(contentsOf: modifier)
        }
    }

    private func readModifier(
        _ line: Span<UInt8>, _ field: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let equals = line.index(of: UInt8(ascii: "="), in: field)
        let name = field.lowerBound..<(equals ?? field.upperBound)
        let value = equals.map { ($0 + 1)..<field.upperBound }
        if line.equals("important", in: field) {
            reading.important = true
        } else if line.equals("denyallow", in: name) {
            try readExceptions(line, try valueOf(value, field), into: &reading)
        } else if line.equals("dnstype", in: name) {
            try readTypes(line, try valueOf(value, field), into: &reading)
        } else if line.equals("client", in: name) {
            try readClients(line, try valueOf(value, field), into: &reading)
            // Clients have names only where the configuration gives them a policy.
            if reading.clients.contains(where: { $0.prefix == nil })
                || reading.clients.count > ListReader.clientLimit
            {
                refuse(.clientCondition, at: field, in: &reading)
            }
        } else if line.equals("ctag", in: name) {
            refuse(.clientTag, at: field, in: &reading)
        } else if line.equals("dnsrewrite", in: name) {
            try readRewrite(line, field, value, into: &reading)
        } else if line.equals("_", in: field) {
            // A place holder of uBlock Origin: it says nothing.
        } else {
            refuse(.unsupportedModifier, at: field, in: &reading)
        }
    }

    /// Clients that one rule may name.
    private static let clientLimit = 256

    /// The first reason stays: a pattern with a page condition is still a pattern.
    private func refuse(
        _ reason: LineReason, at field: Range<Int>, in reading: inout LineReading
    ) {
        if reading.kind != .unsupported { reading.refuse(reason, at: field.lowerBound) }
    }

    /// The value of a modifier that needs one.
    func valueOf(
        _ value: Range<Int>?, _ field: Range<Int>
    ) throws(LineFault) -> Range<Int> {
        guard let value, !value.isEmpty else {
            throw LineFault(.badModifierValue, at: field.lowerBound)
        }
        return value
    }

    private func readExceptions(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        for field in line.fields(of: value, separatedBy: .bar) {
            do throws(LineFault) {
                let wire = try reading.appendWire(line, field)
                reading.except.append(RuleName(wire: wire, scope: .subtree))
            } catch {
                throw LineFault(.badModifierValue, at: field.lowerBound)
            }
        }
    }

    private func readTypes(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        for field in line.fields(of: value, separatedBy: .bar) {
            let isExcluded = line.hasPrefix("~", in: field)
            let text = isExcluded ? (field.lowerBound + 1)..<field.upperBound : field
            guard let type = RecordTypeText.type(of: line[text]),
                reading.types.isEmpty || reading.typesAreExcluded == isExcluded
            else { throw LineFault(.badModifierValue, at: field.lowerBound) }
            reading.typesAreExcluded = isExcluded
            if !reading.types.contains(type) { reading.types.append(type) }
        }
    }

    private func readClients(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        for field in line.fields(of: value, separatedBy: .bar) {
            let isExcluded = line.hasPrefix("~", in: field)
            var text = isExcluded ? (field.lowerBound + 1)..<field.upperBound : field
            if text.count > 1, let first = text.first, let last = text.last,
                line[first] == line[last],
                line[first] == .quote || line[first] == UInt8(ascii: "'")
            {
                text = (first + 1)..<last
            }
            guard !text.isEmpty else { throw LineFault(.badModifierValue, at: field.lowerBound) }
            reading.clients.append(
                ClientCondition(subject: subject(line, text), isExcluded: isExcluded))
        }
    }

    private func subject(_ line: Span<UInt8>, _ text: Range<Int>) -> ClientCondition.Subject {
        if let address = RuleAddress(text: line[text]) { return .address(address) }
        if let slash = line.lastIndex(of: .slash, in: text),
            let address = RuleAddress(text: line[text.lowerBound..<slash]),
            let length = line.decimal(
                in: (slash + 1)..<text.upperBound, limit: 8 * address.octets.count)
        {
            return .prefix(address, length: length)
        }
        var name: [UInt8] = []
        var index = text.lowerBound
        while index < text.upperBound {
            if line[index] == .backslash, index + 1 < text.upperBound { index += 1 }
            name.append(line[index])
            index += 1
        }
        return .name(name)
    }
}
