import Automata
import DomainNames

/// Rules on patterns: wildcards inside a name, and regular expressions.
extension ListReader {
    /// Reads a wildcard rule, when it speaks of hosts only.
    func readPattern(
        _ line: Span<UInt8>, _ body: Range<Int>, _ anchors: PatternAnchors,
        into reading: inout LineReading
    ) throws(LineFault) {
        var end = body.upperBound
        if let dollar = line.lastIndex(of: .dollar, in: body), dollar > body.lowerBound,
            line[dollar - 1] != .backslash
        {
            end = dollar
        }
        var pattern = body.lowerBound..<end
        var anchors = anchors
        if let last = pattern.last, line[last] == .caret || line[last] == .bar {
            pattern = pattern.lowerBound..<last
            anchors.insert(.hostEnd)
            if let last = pattern.last, line[last] == .caret {
                pattern = pattern.lowerBound..<last
            }
        }
        if isAddressOrPrefix(line, pattern) {
            reading.refuse(.ipRule, at: body.lowerBound)
        } else if isHostPattern(line, pattern) {
            try setWildcard(line, pattern, anchors, into: &reading)
        } else {
            reading.refuse(.urlRule, at: body.lowerBound)
        }
        if end < body.upperBound {
            try readModifiers(line, end..<body.upperBound, into: &reading)
        }
    }

    private func setWildcard(
        _ line: Span<UInt8>, _ pattern: Range<Int>, _ anchors: PatternAnchors,
        into reading: inout LineReading
    ) throws(LineFault) {
        // `*.name^` and `.name^` match exactly what lies below the name.
        if anchors == [.hostEnd] {
            for prefix in ["*.", "."] where line.hasPrefix(prefix, in: pattern) {
                let name = (pattern.lowerBound + prefix.utf8.count)..<pattern.upperBound
                guard line.index(of: .star, in: name) == nil, !name.isEmpty else { break }
                return try reading.appendName(line, name, scope: .below)
            }
        }
        reading.set(wildcard: line.octets(in: pattern), anchors: anchors)
    }

    /// Keeps a regular expression, or why there is none.
    func setExpression(
        _ line: Span<UInt8>, _ expression: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        reading.pattern = line.octets(in: expression)
        reading.patternSyntax = .regularExpression
        if !isLabelAnchored(line, expression) { reading.warn(.notLabelAnchored) }
        do throws(PatternError) {
            let pattern = try HostPattern(regularExpression: line[expression])
            reading.hostPattern = pattern
            if !pattern.canMatchHost { reading.refuse(.urlRule, at: expression.lowerBound) }
        } catch {
            let offset = expression.lowerBound + (error.offset ?? 0)
            switch error {
            case .unsupported: reading.refuse(.unsupportedExpression, at: offset)
            case .tooDeep, .tooLarge, .tooManyStates: reading.refuse(.patternTooComplex, at: offset)
            default: throw LineFault(.badExpression, at: offset, cause: error)
            }
            reading.patternError = error
        }
    }

    /// Octets of the shortest pattern, its anchors counted, that may block. A line of one or two
    /// octets is rather a slip than a rule, and takes a good part of all names.
    private static let shortestPattern = 3

    /// Leaves out what no pattern can do: a pattern that takes a whole top-level domain or is too
    /// short, unless the options allow the former, and a rewrite of names that are not known.
    func settlePattern(of reading: inout LineReading) throws(LineFault) {
        guard let pattern = reading.hostPattern else { return }
        if reading.kind == .rewrite {
            guard reading.isSinkBlock(in: options.action) else {
                return leaveOut(.rewriteByPattern, of: &reading)
            }
            reading.block(stated: reading.statedAnswer)
        }
        guard reading.kind == .block, !reading.isBadFilter, !options.allowPublicSuffixes else {
            return
        }
        let reason: LineReason
        if pattern.coversTopLevelDomain {
            reason = .wholePublicSuffix
        } else if reading.patternText.utf8.count < ListReader.shortestPattern {
            reason = .patternTooShort
        } else {
            return
        }
        let column = reading.ruleText.lowerBound
        guard !reading.names.isEmpty else { throw LineFault(reason, at: column) }
        leaveOut(reason, of: &reading)
    }

    /// Leaves the pattern out; the whole line when it has no names besides.
    private func leaveOut(_ reason: LineReason, of reading: inout LineReading) {
        let column = reading.ruleText.lowerBound
        guard !reading.names.isEmpty else { return reading.refuse(reason, at: column) }
        reading.dropPattern()
        reading.warn(.nameSkipped(reason, column: column + 1))
    }

    /// Whether a regular expression can start to match only at the start of a label.
    private func isLabelAnchored(_ line: Span<UInt8>, _ expression: Range<Int>) -> Bool {
        let starts = ["^", "(^|\\.)", "(?:^|\\.)", "(\\.|^)", "(?:\\.|^)", "\\.", "[.]"]
        return starts.contains { line.hasPrefix($0, in: expression) }
            && !hasTopLevelAlternative(line, expression)
    }

    /// Whether `|` stands outside parentheses and classes: its right side is unanchored perhaps.
    private func hasTopLevelAlternative(_ line: Span<UInt8>, _ expression: Range<Int>) -> Bool {
        var depth = 0
        var inClass = false
        var index = expression.lowerBound
        while index < expression.upperBound {
            switch line[index] {
            case .backslash: index += 1
            case UInt8(ascii: "["): inClass = true
            case UInt8(ascii: "]"): inClass = false
            case UInt8(ascii: "(") where !inClass: depth += 1
            case UInt8(ascii: ")") where !inClass: depth -= 1
            case .bar where !inClass && depth == 0: return true
            default: break
            }
            index += 1
        }
        return false
    }
}
