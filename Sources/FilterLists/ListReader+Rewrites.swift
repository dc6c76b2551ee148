import DomainNames

/// `$dnsrewrite` of adblock lists: a response code, an address, a name, or `RCODE;TYPE;VALUE`.
extension ListReader {
    /// Response codes that an answer can have, by their mnemonics (RFC 6895 §2.3); those that are
    /// blocks in other words are not here.
    private static let responseCodes: [(name: String, code: UInt8)] = [
        ("formerr", 1), ("servfail", 2), ("notimp", 4), ("yxdomain", 6), ("yxrrset", 7),
        ("nxrrset", 8), ("notauth", 9), ("notzone", 10),
    ]

    /// Reads the modifier at `field`.
    ///
    /// NXDOMAIN, REFUSED and an empty NOERROR are blocks with that answer. `@@` takes rewrites of
    /// the names out: all of them without a value, else those with that answer.
    func readRewrite(
        _ line: Span<UInt8>, _ field: Range<Int>, _ value: Range<Int>?,
        into reading: inout LineReading
    ) throws(LineFault) {
        guard reading.kind == .block || reading.kind == .allow else { return }
        let isException = reading.kind == .allow
        if isException, value?.isEmpty ?? true {
            reading.accept(.rewrite)
            reading.exceptsRewrites = true
            return
        }
        try readAnswer(line, try valueOf(value, field), into: &reading)
        guard isException, reading.kind != .unsupported else { return }
        let isSink = reading.isSinkBlock(in: .block)
        guard reading.kind == .rewrite, !isSink else {
            return reading.refuse(.rewriteException, at: field.lowerBound)
        }
        reading.exceptsRewrites = true
    }

    private func readAnswer(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let parts = line.fields(of: value, separatedBy: UInt8(ascii: ";"))
        let code = parts[0]
        let isLong = parts.count == 3
        let isEmpty = !isLong || (parts[1].isEmpty && parts[2].isEmpty)
        guard isLong || parts.count == 1 else {
            throw LineFault(.badModifierValue, at: code.lowerBound)
        }
        if line.equals("nxdomain", in: code) { return reading.block(stated: "NXDOMAIN") }
        if line.equals("refused", in: code) { return reading.block(.refused, stated: "REFUSED") }
        if line.equals("noerror", in: code) && isEmpty {
            return reading.block(.nodata, stated: "NODATA")
        }
        if let found = Self.responseCodes.first(where: { line.equals($0.name, in: code) }) {
            reading.accept(.rewrite)
            reading.answer = .rcode(found.code)
            reading.statedAnswer = found.name.uppercased()
            return
        }
        guard isLong else { return try readTarget(line, value, into: &reading) }
        guard line.equals("noerror", in: code) else {
            return reading.refuse(.responseCode, at: code.lowerBound)
        }
        guard let type = RecordTypeText.type(of: line[parts[1]]) else {
            throw LineFault(.badModifierValue, at: parts[1].lowerBound)
        }
        try readRecord(line, type: type, at: parts[1], parts[2], into: &reading)
    }

    private func readRecord(
        _ line: Span<UInt8>, type: UInt16, at place: Range<Int>, _ value: Range<Int>,
        into reading: inout LineReading
    ) throws(LineFault) {
        let address = RuleAddress(text: line[value])
        switch (type, address) {
        case (1, .v4(let bits)): return reading.answer(with: [.v4(bits)], keepsSinks: true)
        case (28, .v6(let bits)): return reading.answer(with: [.v6(bits)], keepsSinks: true)
        case (1, _), (28, _): throw LineFault(.badModifierValue, at: place.lowerBound)
        case (5, _): return try readTarget(line, value, into: &reading)
        default: break
        }
        guard RecordData.types.contains(type) else {
            return reading.refuse(.recordType, at: place.lowerBound)
        }
        let data: [UInt8]?
        do throws(LineFault) {
            data = try RecordData.read(line, value, type: type, scratch: &reading)
        } catch {
            throw LineFault(.badModifierValue, at: value.lowerBound)
        }
        guard let data else { return reading.refuse(.recordType, at: value.lowerBound) }
        reading.accept(.rewrite)
        reading.answer = .record(type: type, data: data)
        let text = String(decoding: line.octets(in: value), as: UTF8.self)
        reading.statedAnswer = "\(RecordTypeText.text(of: type)) \(text)"
    }

    private func readTarget(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        if let address = RuleAddress(text: line[text]) {
            return reading.answer(with: [address], keepsSinks: true)
        }
        do throws(LineFault) {
            try reading.rewrite(to: line, text, syntax: .host)
        } catch {
            throw LineFault(.badModifierValue, at: text.lowerBound)
        }
    }
}

extension LineReading {
    /// Answers with an alias for the name in the range.
    mutating func rewrite(
        to line: Span<UInt8>, _ text: Range<Int>, syntax: NameSyntax
    ) throws(LineFault) {
        let range = try appendWire(line, text, syntax: syntax)
        let wire = Array(octets[range])
        octets.removeSubrange(range)
        rewrite(toWire: wire)
    }

    /// Answers with an alias for a wire name that holds to the limits.
    mutating func rewrite(toWire wire: [UInt8]) {
        accept(.rewrite)
        answer = .cname(wire)
        statedAnswer = NameText.text(of: wire.span)
    }
}
