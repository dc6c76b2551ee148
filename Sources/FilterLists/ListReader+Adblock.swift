import DomainNames

/// The adblock syntax as DNS filters read it: rules on hosts, plain names, hosts lines.
extension ListReader {
    /// Reads a line of an adblock list.
    func readAdblock(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let start = text.lowerBound
        reading.ruleText = text
        switch line[start] {
        case UInt8(ascii: "!"):
            let isDirective = text.count > 1 && line[start + 1] == .hash
            return reading.ignore(isDirective ? .directive : .comment)
        case UInt8(ascii: "[") where line[text.upperBound - 1] == UInt8(ascii: "]"):
            return reading.ignore(.header)
        default: break
        }
        // `|…^` ends where a cosmetic rule would select, and is what most lines are.
        let endsHost = line[start] == .bar && line[text.upperBound - 1] == .caret
        if line[start] != .slash, !endsHost, let offset = CosmeticMarker.index(in: line, text) {
            return reading.refuse(.cosmetic, at: offset)
        }
        if line[start] == .hash { return reading.ignore(.comment) }
        var body = text
        if line.hasPrefix("@@", in: text) {
            reading.accept(.allow)
            body = (start + 2)..<text.upperBound
        } else {
            reading.block()
        }
        guard let first = body.first.map({ line[$0] }) else {
            throw LineFault(.emptyPattern, at: start)
        }
        if line.hasPrefix("||", in: body) {
            return try readHostRule(
                line, (body.lowerBound + 2)..<body.upperBound, .subtree, into: &reading)
        }
        if first == .bar {
            return try readHostRule(
                line, (body.lowerBound + 1)..<body.upperBound, .exact, into: &reading)
        }
        if first == .slash { return try readSlashes(line, body, into: &reading) }
        try readUnanchored(line, body, into: &reading)
    }

    /// Reads what follows `||` (scope subtree) or `|` (scope exact).
    private func readHostRule(
        _ line: Span<UInt8>, _ body: Range<Int>, _ scope: NameScope,
        into reading: inout LineReading
    ) throws(LineFault) {
        let isBelow = scope == .subtree && line.hasPrefix("*.", in: body)
        let start = isBelow ? body.lowerBound + 2 : body.lowerBound
        var end = start
        while end < body.upperBound {
            let octet = line[end]
            guard octet.isHostOctet || octet == .dot || octet >= 0x80 else { break }
            end += 1
        }
        guard body.lowerBound < body.upperBound, line[body.lowerBound] != .caret else {
            throw LineFault(.emptyPattern, at: body.lowerBound)
        }
        guard let after = endOfHost(line, end..<body.upperBound), end > start else {
            return try readPattern(
                line, body, [scope == .subtree ? .labelStart : .hostStart], into: &reading)
        }
        do throws(LineFault) {
            try reading.appendName(line, start..<end, scope: isBelow ? .below : scope)
        } catch {
            guard error.reason == .addressForName else { throw error }
            reading.refuse(.ipRule, at: start)
        }
        if after < body.upperBound {
            try readModifiers(line, after..<body.upperBound, into: &reading)
        }
    }

    /// Where the modifiers start, or the line ends, when the host's end is marked here: by `^`,
    /// by `|`, or by both; a star behind says nothing more. `nil` for all else.
    private func endOfHost(_ line: Span<UInt8>, _ text: Range<Int>) -> Int? {
        var index = text.lowerBound
        if index < text.upperBound, line[index] == .caret { index += 1 }
        let isMarked = index > text.lowerBound
        if index < text.upperBound, line[index] == .bar {
            index += 1
        } else if isMarked, index < text.upperBound, line[index] == .star {
            index += 1
        }
        guard index > text.lowerBound else { return nil }
        return index == text.upperBound || line[index] == .dollar ? index : nil
    }

    /// Reads `/regular expression/`, or a part of a path.
    private func readSlashes(
        _ line: Span<UInt8>, _ body: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        var end = body.upperBound
        while let slash = line.lastIndex(of: .slash, in: body.lowerBound..<end) {
            if slash + 1 == body.upperBound || line[slash + 1] == .dollar {
                end = slash
                break
            }
            end = slash
        }
        // Alone, or nothing between the two: no text to match.
        guard body.count > 1, end != body.lowerBound + 1 else {
            throw LineFault(.emptyPattern, at: body.lowerBound)
        }
        guard end > body.lowerBound, line[end] == .slash else {
            return reading.refuse(.urlRule, at: body.lowerBound)
        }
        try setExpression(line, (body.lowerBound + 1)..<end, into: &reading)
        if end + 1 < body.upperBound {
            try readModifiers(line, (end + 1)..<body.upperBound, into: &reading)
        }
    }

    /// Reads a rule that no bar ties to the start of a host: a plain name, a hosts line, a pattern.
    private func readUnanchored(
        _ line: Span<UInt8>, _ body: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        let field = line.token(in: body)
        if reading.kind == .block, let address = RuleAddress(hostsText: line[field]) {
            if field.upperBound == body.upperBound {
                return reading.refuse(.ipRule, at: field.lowerBound)
            }
            return try readHosts(line, body, address: address, after: field, into: &reading)
        }
        var content = body
        if field.upperBound < body.upperBound {
            let next = line.token(in: field.upperBound..<body.upperBound)
            if line[next.lowerBound] == .hash { content = field }
        }
        var isName = true
        var hasDot = false
        for index in content {
            let octet = line[index]
            hasDot = hasDot || octet == .dot
            isName = isName && (octet.isHostOctet || octet == .dot || octet >= 0x80)
        }
        if isName && hasDot && line[content.lowerBound] != .dot {
            reading.ruleText = content
            do throws(LineFault) {
                return try reading.appendName(line, content, scope: options.bareScope)
            } catch {
                guard error.reason == .addressForName else { throw error }
                return reading.refuse(.ipRule, at: content.lowerBound)
            }
        }
        try readPattern(line, content, [], into: &reading)
    }
}
