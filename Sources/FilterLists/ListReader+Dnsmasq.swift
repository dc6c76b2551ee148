import DomainNames

/// Lines of a dnsmasq configuration (dnsmasq(8), without the leading `--`).
extension ListReader {
    /// Reads `option=value`; a comment starts with `#` at the start or after a blank.
    func readDnsmasq(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        if line[text.lowerBound] == .hash { return reading.ignore(.comment) }
        var end = text.upperBound
        for index in text where line[index] == .hash && line[index - 1].isBlank {
            end = index
            break
        }
        let rule = line.trimmed(text.lowerBound..<end)
        reading.ruleText = rule
        guard let equals = line.index(of: UInt8(ascii: "="), in: rule) else {
            for index in rule where !line[index].isHostOctet {
                throw LineFault(.syntax, at: index)
            }
            return reading.ignore(.setting)
        }
        let option = line.trimmed(rule.lowerBound..<equals)
        let value = line.trimmed((equals + 1)..<rule.upperBound)
        if line.equals("address", in: option) {
            try readAddress(line, value, into: &reading)
        } else if line.equals("server", in: option) || line.equals("local", in: option) {
            try readServer(line, value, into: &reading)
        } else if line.equals("host-record", in: option) {
            try readHostRecord(line, value, into: &reading)
        } else if line.equals("cname", in: option) {
            try readAlias(line, value, into: &reading)
        } else {
            readOtherOption(line, option, into: &reading)
        }
    }

    private func readOtherOption(
        _ line: Span<UInt8>, _ option: Range<Int>, into reading: inout LineReading
    ) {
        let records = [
            "txt-record", "ptr-record", "srv-host", "mx-host", "naptr-record", "caa-record",
            "dns-rr", "interface-name", "synth-domain", "dynamic-host",
        ]
        if records.contains(where: { line.equals($0, in: option) }) {
            reading.refuse(.recordType)
        } else if line.equals("rev-server", in: option) {
            reading.refuse(.forwardRule)
        } else if line.equals("alias", in: option) || line.equals("bogus-nxdomain", in: option)
            || line.equals("ignore-address", in: option)
        {
            reading.refuse(.ipRule)
        } else if ["conf-file", "conf-dir", "addn-hosts", "servers-file", "hostsdir"].contains(
            where: { line.equals($0, in: option) })
        {
            reading.refuse(.include)
        } else {
            reading.ignore(.setting)
        }
    }

    /// Reads the names between the slashes of `/name/name/value`.
    /// - Returns: what follows the last slash.
    private func readDomains(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) -> Range<Int> {
        guard let last = line.lastIndex(of: .slash, in: value), last > value.lowerBound,
            line[value.lowerBound] == .slash
        else { throw LineFault(.syntax, at: value.lowerBound) }
        var fault: LineFault?
        for field in line.fields(of: (value.lowerBound + 1)..<last, separatedBy: .slash) {
            do throws(LineFault) {
                try appendDomain(line, field, into: &reading)
            } catch {
                fault = fault ?? error
            }
        }
        let rest = (last + 1)..<value.upperBound
        guard let fault else { return rest }
        if reading.names.isEmpty && reading.hostPattern == nil { throw fault }
        reading.warn(.nameSkipped(fault.reason, column: fault.offset + 1))
        return rest
    }

    private func appendDomain(
        _ line: Span<UInt8>, _ field: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        // `#` is every name; a dot at the start changes nothing.
        if line.equals("#", in: field) {
            let start = reading.octets.count
            reading.octets.append(0)
            reading.names.append(RuleName(wire: start..<(start + 1), scope: .subtree))
            return
        }
        let hasDot = field.count > 1 && line[field.lowerBound] == .dot
        let name = hasDot ? (field.lowerBound + 1)..<field.upperBound : field
        // `*name` is every name that ends so, in the middle of a label too. One for a line.
        if line.hasPrefix("*", in: name) {
            let text = (name.lowerBound + 1)..<name.upperBound
            guard isHostPattern(line, text), line.index(of: .star, in: text) == nil else {
                throw LineFault(.badName, at: text.lowerBound)
            }
            guard reading.hostPattern == nil else {
                throw LineFault(.wildcardPattern, at: name.lowerBound)
            }
            return reading.set(wildcard: line.octets(in: name), anchors: [.hostEnd])
        }
        try reading.appendName(line, name, scope: .subtree)
    }

    private func readAddress(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let text = try readDomains(line, value, into: &reading)
        if text.isEmpty { return reading.block(stated: "NXDOMAIN") }
        if line.equals("#", in: text) { return reading.block(stated: "0.0.0.0 and ::") }
        guard let address = RuleAddress(text: line[text]) else {
            throw LineFault(.badAddress, at: text.lowerBound)
        }
        reading.answer(with: [address])
    }

    private func readServer(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        guard line.hasPrefix("/", in: value) else {
            return reading.refuse(.forwardRule, at: value.lowerBound)
        }
        let text = try readDomains(line, value, into: &reading)
        if text.isEmpty {
            reading.block(stated: "NXDOMAIN")
        } else if line.equals("#", in: text) {
            reading.accept(.allow)
        } else {
            reading.refuse(.forwardRule, at: text.lowerBound)
        }
    }

    /// Reads `host-record=name,…,address,…,ttl`.
    private func readHostRecord(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        var addresses: [RuleAddress] = []
        for field in line.fields(of: value, separatedBy: UInt8(ascii: ",")) {
            let field = line.trimmed(field)
            if let address = RuleAddress(text: line[field]) {
                addresses.append(address)
            } else if addresses.isEmpty {
                try reading.appendName(line, field, scope: .exact)
            } else if line.decimal(in: field, limit: Int(Int32.max)) == nil {
                throw LineFault(.badAddress, at: field.lowerBound)
            }
        }
        guard !addresses.isEmpty else { throw LineFault(.badAddress, at: value.upperBound) }
        reading.answer(with: addresses)
    }

    /// Reads `cname=alias,…,target,ttl`.
    private func readAlias(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        var fields = line.fields(of: value, separatedBy: UInt8(ascii: ",")).map { line.trimmed($0) }
        if fields.count > 2, let last = fields.last,
            line.decimal(in: last, limit: Int(Int32.max)) != nil
        {
            fields.removeLast()
        }
        guard let target = fields.popLast(), !fields.isEmpty else {
            throw LineFault(.syntax, at: value.lowerBound)
        }
        for field in fields {
            if line.hasPrefix("*.", in: field) {
                let name = (field.lowerBound + 2)..<field.upperBound
                try reading.appendName(line, name, scope: .below)
            } else {
                try reading.appendName(line, field, scope: .exact)
            }
        }
        try reading.rewrite(to: line, target, syntax: .host)
    }
}
