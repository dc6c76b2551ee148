import DomainNames

/// Lines of an Unbound configuration (unbound.conf(5)).
extension ListReader {
    /// Reads `key: value`; `#` outside quotes starts a comment.
    func readUnbound(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let rule = line.trimmed(text.lowerBound..<endOfContent(line, text))
        if rule.isEmpty { return reading.ignore(.comment) }
        reading.ruleText = rule
        guard let colon = line.index(of: UInt8(ascii: ":"), in: rule) else {
            throw LineFault(.syntax, at: rule.lowerBound)
        }
        let key = rule.lowerBound..<colon
        for index in key where !line[index].isHostOctet { throw LineFault(.syntax, at: index) }
        let value = line.trimmed((colon + 1)..<rule.upperBound)
        if value.isEmpty { return reading.ignore(.section) }
        if line.equals("local-zone", in: key) {
            try readLocalZone(line, value, into: &reading)
        } else if line.equals("local-data", in: key) {
            try readLocalData(line, unquoted(line, value), into: &reading)
        } else if line.equals("local-data-ptr", in: key) {
            reading.refuse(.recordType)
        } else if line.hasPrefix("include", in: key) {
            reading.refuse(.include)
        } else if line.hasPrefix("forward-", in: key) || line.hasPrefix("stub-", in: key) {
            reading.refuse(.forwardRule)
        } else {
            reading.ignore(.setting)
        }
    }

    private func endOfContent(_ line: Span<UInt8>, _ text: Range<Int>) -> Int {
        var quote: UInt8?
        for index in text {
            let octet = line[index]
            if let open = quote {
                if octet == open { quote = nil }
            } else if octet == .quote || octet == UInt8(ascii: "'") {
                quote = octet
            } else if octet == .hash {
                return index
            }
        }
        return text.upperBound
    }

    private func unquoted(_ line: Span<UInt8>, _ text: Range<Int>) -> Range<Int> {
        guard text.count > 1, let first = text.first, let last = text.last,
            line[first] == line[last], line[first] == .quote || line[first] == UInt8(ascii: "'")
        else { return text }
        return line.trimmed((first + 1)..<last)
    }

    /// Host names, unless an escape says that other octets are meant.
    private func syntax(_ line: Span<UInt8>, _ name: Range<Int>) -> NameSyntax {
        line.index(of: .backslash, in: name) == nil ? .host : .presentation
    }

    private func readLocalZone(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let field = line.token(in: value)
        let type = line.trimmed(field.upperBound..<value.upperBound)
        guard !type.isEmpty else { throw LineFault(.syntax, at: value.upperBound) }
        let name = unquoted(line, field)
        try reading.appendName(line, name, scope: .subtree, syntax: syntax(line, name))
        try readZoneType(line, unquoted(line, type), into: &reading)
    }

    private func readZoneType(
        _ line: Span<UInt8>, _ type: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        func isOne(of names: String...) -> Bool { names.contains { line.equals($0, in: type) } }
        if isOne(of: "always_null") {
            reading.block(stated: "0.0.0.0 / ::")
        } else if isOne(of: "always_nxdomain") {
            reading.block(stated: "NXDOMAIN")
        } else if isOne(of: "static") {
            reading.block(stated: "NXDOMAIN/NODATA")
        } else if isOne(of: "always_nodata") {
            reading.block(.nodata, stated: "NODATA")
        } else if isOne(of: "refuse", "always_refuse") {
            reading.block(.refused, stated: "REFUSED")
        } else if isOne(of: "deny", "inform_deny", "always_deny") {
            reading.block(.drop, stated: "drop")
        } else if isOne(of: "redirect", "inform_redirect") {
            reading.block(stated: LineReading.redirectAnswer)
        } else if isOne(of: "block_a") {
            reading.block(.nodata, stated: "NODATA")
            reading.types = [1]
        } else if isOne(of: "transparent", "typetransparent", "always_transparent", "inform") {
            reading.accept(.allow)
        } else if isOne(of: "nodefault", "noview") {
            reading.ignore(.setting)
        } else if isOne(of: "ipset") {
            reading.refuse(.zoneType, at: type.lowerBound)
        } else {
            throw LineFault(.unknownZoneType, at: type.lowerBound)
        }
    }

    /// Reads `name [ttl] [class] type data`.
    private func readLocalData(
        _ line: Span<UInt8>, _ value: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let name = line.token(in: value)
        let rest = name.upperBound..<value.upperBound
        guard let record = RecordFields(line, rest) else {
            throw LineFault(.syntax, at: value.upperBound)
        }
        try reading.appendName(line, name, scope: .exact, syntax: syntax(line, name))
        switch RecordTypeText.type(of: line[record.type]) {
        case 1, 28:
            reading.answer(with: [try record.address(line)], keepsSinks: true)
        case 5:
            let target = line.token(in: record.data)
            try reading.rewrite(to: line, target, syntax: syntax(line, target))
        case nil:
            throw LineFault(.syntax, at: record.type.lowerBound)
        default:
            reading.refuse(.recordType, at: record.type.lowerBound)
        }
    }
}

/// The fields of a record in master-file form after its owner (RFC 1035 §5.1).
struct RecordFields {
    /// The type's mnemonic.
    var type: Range<Int>
    /// What follows the type.
    var data: Range<Int>

    /// Finds the type behind an optional TTL and class, in either order.
    init?(_ line: Span<UInt8>, _ text: Range<Int>) {
        var field = line.token(in: text)
        while !field.isEmpty, Self.isTTLOrClass(line, field) {
            field = line.token(in: field.upperBound..<text.upperBound)
        }
        guard !field.isEmpty else { return nil }
        type = field
        data = line.trimmed(field.upperBound..<text.upperBound)
    }

    /// The address of an A or AAAA record.
    /// - Throws: `badAddress` when there is none of the type's family.
    func address(_ line: Span<UInt8>) throws(LineFault) -> RuleAddress {
        let wantsV4 = line.equals("a", in: type) || line.equals("type1", in: type)
        switch RuleAddress(text: line[data]) {
        case .v4(let bits) where wantsV4: return .v4(bits)
        case .v6(let bits) where !wantsV4: return .v6(bits)
        default: throw LineFault(.badAddress, at: data.lowerBound)
        }
    }

    private static func isTTLOrClass(_ line: Span<UInt8>, _ field: Range<Int>) -> Bool {
        if line[field.lowerBound].isDigit { return true }
        return ["in", "ch", "hs"].contains { line.equals($0, in: field) }
    }
}

extension LineReading {
    /// Unbound's words for a zone whose answer stands in other lines.
    static let redirectAnswer = "local-data of the zone for all names below"

    /// Whether this is a zone that answers everything with local data of its own name.
    package var isRedirectZone: Bool { statedAnswer == Self.redirectAnswer }
}
