import DomainNames

/// Hosts files: `address name name … # comment` (hosts(5)).
extension ListReader {
    /// Names by which hosts files speak of the machine itself and its networks.
    private static let localNames = [
        "localhost", "localhost.localdomain", "local", "broadcasthost", "ip6-localhost",
        "ip6-loopback", "ip6-localnet", "ip6-mcastprefix", "ip6-allnodes", "ip6-allrouters",
        "ip6-allhosts", "localhost4", "localhost6", "localhost4.localdomain4",
        "localhost6.localdomain6",
    ]

    /// Reads a line of a hosts file: a sink address blocks, any other one rewrites.
    func readHosts(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let first = line[text.lowerBound]
        if first == .hash || first == UInt8(ascii: "!") { return reading.ignore(.comment) }
        let field = line.token(in: text)
        guard let address = RuleAddress(hostsText: line[field]) else {
            return try readUnaddressed(line, text, into: &reading)
        }
        try readHosts(line, text, address: address, after: field, into: &reading)
    }

    /// Reads the names of a hosts line after its address.
    func readHosts(
        _ line: Span<UInt8>, _ text: Range<Int>, address: RuleAddress, after field: Range<Int>,
        into reading: inout LineReading
    ) throws(LineFault) {
        let end = line.index(of: .hash, in: text) ?? text.upperBound
        reading.ruleText = line.trimmed(text.lowerBound..<end)
        var rest = field.upperBound..<max(field.upperBound, end)
        var passedOver = LineReason.addressWithoutName
        var fault: LineFault?
        while true {
            let name = line.token(in: rest)
            if name.isEmpty { break }
            rest = name.upperBound..<end
            if isLocalName(line, name) {
                passedOver = .localName
                continue
            }
            do throws(LineFault) {
                try reading.appendName(line, name, scope: options.bareScope)
            } catch {
                if error.reason == .addressForName || RuleAddress(hostsText: line[name]) != nil {
                    passedOver = .addressForName
                } else if fault == nil {
                    fault = faultOfHostsName(error, line, name)
                }
            }
        }
        guard !reading.names.isEmpty else {
            if let fault { throw fault }
            return reading.ignore(passedOver)
        }
        if let fault {
            reading.warn(.nameSkipped(fault.reason, column: fault.offset + 1))
        }
        // The two that fill whole lists, without making text of them.
        if address == .v4(0) { return reading.block(stated: "0.0.0.0") }
        if address == .v4(0x7F00_0001) { return reading.block(stated: "127.0.0.1") }
        if line.index(of: UInt8(ascii: "%"), in: field) != nil {
            return reading.refuse(.zonedAddress, at: field.lowerBound)
        }
        reading.answer(with: [address])
    }

    private func isLocalName(_ line: Span<UInt8>, _ name: Range<Int>) -> Bool {
        let first = line[name.lowerBound].asciiLowercased
        guard first == UInt8(ascii: "l") || first == UInt8(ascii: "b") || first == UInt8(ascii: "i")
        else { return false }
        return Self.localNames.contains { line.equals($0, in: name) }
    }

    private func faultOfHostsName(
        _ fault: LineFault, _ line: Span<UInt8>, _ name: Range<Int>
    ) -> LineFault {
        guard fault.reason == .badName else { return fault }
        if line.contains("://", in: name) { return LineFault(.urlInHosts, at: name.lowerBound) }
        if let star = line.index(of: .star, in: name) {
            return LineFault(.wildcardInHosts, at: star)
        }
        return fault
    }

    private func readUnaddressed(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let field = line.token(in: text)
        if let offset = CosmeticMarker.index(in: line, text) {
            return reading.refuse(.cosmetic, at: offset)
        }
        if line.hasPrefix("||", in: field) || line.hasPrefix("@@", in: field) {
            throw LineFault(.otherFormat, at: field.lowerBound)
        }
        if line.contains("://", in: field) { throw LineFault(.urlInHosts, at: field.lowerBound) }
        // A name with a comment behind it, or alone: say what is missing rather than what follows.
        let end = line.index(of: .hash, in: field) ?? field.upperBound
        do throws(LineFault) {
            try reading.appendName(line, field.lowerBound..<end, scope: .exact)
        } catch {
            throw error.reason == .badName ? error : LineFault(.badAddress, at: field.lowerBound)
        }
        throw LineFault(.nameWithoutAddress, at: field.lowerBound)
    }
}
