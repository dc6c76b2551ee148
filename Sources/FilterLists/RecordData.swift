import DomainNames

/// RDATA from the text of a `$dnsrewrite` value: names in it without compression.
enum RecordData {
    /// Types that are read: PTR, MX, TXT, SRV, SVCB, HTTPS.
    static let types: Set<UInt16> = [12, 15, 16, 33, 64, 65]
    /// Octets of the RDATA at most.
    private static let sizeLimit = 1024

    /// Reads `value` as RDATA of `type`.
    ///
    /// Layouts: PTR `name`; MX `preference name`; SRV `priority weight port name`; TXT
    /// the text; SVCB and HTTPS `priority name key=value …` (RFC 9460 §2.1).
    /// - Returns: the octets; `nil` for a parameter of a service that is not known.
    /// - Throws: when the text is no such value.
    static func read(
        _ line: Span<UInt8>, _ value: Range<Int>, type: UInt16,
        scratch reading: inout LineReading
    ) throws(LineFault) -> [UInt8]? {
        if type == 16 { return try text(line, value) }
        var fields: [Range<Int>] = []
        var rest = value
        while true {
            let field = line.token(in: rest)
            if field.isEmpty { break }
            fields.append(field)
            rest = field.upperBound..<value.upperBound
        }
        let numberCount = type == 12 ? 0 : type == 33 ? 3 : 1
        let isService = type == 64 || type == 65
        guard fields.count == numberCount + 1 || isService && fields.count > numberCount else {
            throw LineFault(.badModifierValue, at: value.lowerBound)
        }
        var data: [UInt8] = []
        for field in fields[..<numberCount] {
            guard let number = line.decimal(in: field, limit: 0xFFFF) else {
                throw LineFault(.badModifierValue, at: field.lowerBound)
            }
            append(UInt16(number), to: &data)
        }
        let target = fields[numberCount]
        if isService && line.equals(".", in: target) {
            data.append(0)
        } else {
            let wire = try reading.appendWire(line, target)
            data += reading.octets[wire]
            reading.octets.removeSubrange(wire)
        }
        guard isService else { return data }
        guard let parameters = try parameters(line, fields[(numberCount + 1)...]) else {
            return nil
        }
        data += parameters
        return try bounded(data, at: value)
    }

    /// Character strings of at most 255 octets (RFC 1035 §3.3.14); a backslash keeps the octet
    /// after it.
    private static func text(
        _ line: Span<UInt8>, _ value: Range<Int>
    ) throws(LineFault) -> [UInt8] {
        let octets = unescaped(line, value)
        var data: [UInt8] = []
        var start = 0
        repeat {
            let end = min(start + 255, octets.count)
            data.append(UInt8(end - start))
            data += octets[start..<end]
            start = end
        } while start < octets.count
        return try bounded(data, at: value)
    }

    private static func bounded(
        _ data: [UInt8], at value: Range<Int>
    ) throws(LineFault) -> [UInt8] {
        guard data.count <= sizeLimit else {
            throw LineFault(.badModifierValue, at: value.lowerBound)
        }
        return data
    }

    private static func unescaped(_ line: Span<UInt8>, _ value: Range<Int>) -> [UInt8] {
        var octets: [UInt8] = []
        var index = value.lowerBound
        while index < value.upperBound {
            if line[index] == .backslash, index + 1 < value.upperBound { index += 1 }
            octets.append(line[index])
            index += 1
        }
        return octets
    }

    /// Service parameters, ascending by key and each once (RFC 9460 §2.2).
    /// - Returns: their octets; `nil` when one is not known.
    private static func parameters(
        _ line: Span<UInt8>, _ fields: ArraySlice<Range<Int>>
    ) throws(LineFault) -> [UInt8]? {
        var found: [(key: UInt16, value: [UInt8])] = []
        for field in fields {
            let fault = LineFault(.badModifierValue, at: field.lowerBound)
            let equals = line.index(of: UInt8(ascii: "="), in: field)
            let name = field.lowerBound..<(equals ?? field.upperBound)
            let octets = equals.map { unescaped(line, ($0 + 1)..<field.upperBound) } ?? []
            let items = octets.split(separator: UInt8(ascii: ","))
            let key: UInt16
            var value: [UInt8] = []
            if line.equals("alpn", in: name) {
                key = 1
                guard !items.isEmpty, items.allSatisfy({ $0.count < 256 }) else { throw fault }
                for item in items { value += [UInt8(item.count)] + item }
            } else if line.equals("no-default-alpn", in: name) {
                key = 2
                guard octets.isEmpty else { throw fault }
            } else if line.equals("port", in: name) {
                key = 3
                guard let equals,
                    let port = line.decimal(in: (equals + 1)..<field.upperBound, limit: 0xFFFF)
                else { throw fault }
                append(UInt16(port), to: &value)
            } else if line.equals("ipv4hint", in: name) || line.equals("ipv6hint", in: name) {
                key = line.equals("ipv4hint", in: name) ? 4 : 6
                guard !items.isEmpty else { throw fault }
                for item in items {
                    let text = Array(item)
                    guard let address = RuleAddress(text: text.span),
                        address.octets.count == (key == 4 ? 4 : 16)
                    else { throw fault }
                    value += address.octets
                }
            } else {
                return nil
            }
            guard !found.contains(where: { $0.key == key }) else { throw fault }
            found.append((key, value))
        }
        var data: [UInt8] = []
        for (key, value) in found.sorted(by: { $0.key < $1.key }) {
            append(key, to: &data)
            append(UInt16(clamping: value.count), to: &data)
            data += value
        }
        return data
    }

    private static func append(_ number: UInt16, to octets: inout [UInt8]) {
        octets.append(UInt8(number >> 8))
        octets.append(UInt8(number & 0xFF))
    }
}
