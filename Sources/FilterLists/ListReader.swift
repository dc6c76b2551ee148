import DomainNames

/// Reads the lines of one list, one after the other.
///
/// A reader is a value that keeps what a format carries from line to line: the origin, owner and
/// open parentheses of a zone file, and whether the text turned out to be a web page. A bad line
/// never stops the list; it becomes a reading of kind `error` with its reason and column.
package struct ListReader: Sendable {
    /// How the list is to be read.
    package let options: ListOptions
    /// State of a zone file.
    var zone = PolicyZone()
    /// Whether the list began like a web page: no line of it is a rule then.
    private var isHTML = false
    private var hasRules = false

    /// A reader at the first line of a list.
    package init(options: ListOptions) { self.options = options }

    /// Reads one line.
    /// - Parameters:
    ///   - line: the line without its ending (a CR is tolerated); at most
    ///     `LineSplitter.maximumLineSize` octets, else the reading says `line too long`.
    ///   - number: its number in the list.
    ///   - reading: refilled; its buffers are kept.
    /// - Complexity: O(octets); no allocation for plain rules and comments.
    package mutating func read(
        line: Span<UInt8>, number: Int, into reading: inout LineReading
    ) {
        reading.clear()
        guard line.count <= LineSplitter.maximumLineSize else {
            return reading.fail(LineFault(.lineTooLong, at: LineSplitter.maximumLineSize))
        }
        let text = line.trimmed(0..<line.count)
        guard !text.isEmpty else { return }
        if let offset = line.index(of: 0, in: text) {
            return reading.fail(LineFault(.nulOctet, at: offset))
        }
        if isHTML || looksLikeHTML(line, text) {
            return reading.fail(LineFault(.html, at: text.lowerBound))
        }
        do throws(LineFault) {
            try readRule(line, text, into: &reading)
            if reading.kind == .block && options.action == .allow {
                reading.accept(.allow)
                reading.answer = .standard
                reading.statedAnswer = ""
            }
            try refuseSuffixes(of: &reading)
            try settlePattern(of: &reading)
        } catch {
            return reading.fail(error)
        }
        if reading.reason == nil { hasRules = true }
        reading.settle()
    }

    private mutating func readRule(
        _ line: Span<UInt8>, _ text: Range<Int>, into reading: inout LineReading
    ) throws(LineFault) {
        switch options.format {
        case .hosts: try readHosts(line, text, into: &reading)
        case .domains, .wildcard: try readDomain(line, text, into: &reading)
        case .adblock: try readAdblock(line, text, into: &reading)
        case .dnsmasq: try readDnsmasq(line, text, into: &reading)
        case .unbound: try readUnbound(line, text, into: &reading)
        case .rpz: try readZoneLine(line, text, into: &reading)
        }
    }

    /// Whether a line is markup or script. A document's head before any rule makes the whole text
    /// a page, so that a name alone on a later line is no rule either.
    private mutating func looksLikeHTML(_ line: Span<UInt8>, _ text: Range<Int>) -> Bool {
        switch line[text.lowerBound] {
        case UInt8(ascii: "<"):
            if !hasRules {
                isHTML = ["<!doctype", "<html", "<head", "<?xml", "<body"].contains {
                    line.hasPrefix($0, in: text)
                }
            }
            return true
        case UInt8(ascii: "{"), UInt8(ascii: "}"): return true
        case UInt8(ascii: ")"): return options.format != .rpz
        default: return false
        }
    }

    /// Takes block rules on one label or the root out of a reading, and rewrites of all names
    /// below such a name, unless the options allow them: they would take a whole top-level domain.
    /// Suffixes of more labels (`co.uk`) are not known here.
    private func refuseSuffixes(of reading: inout LineReading) throws(LineFault) {
        let kind = reading.kind
        guard kind == .block || kind == .rewrite else { return }
        var short = 0
        var refused = 0
        for name in reading.names where reading.isShort(name) {
            short += 1
            if kind == .block || name.scope != .exact && !reading.exceptsRewrites { refused += 1 }
        }
        guard short > 0 else { return }
        if refused == 0 || reading.isBadFilter || options.allowPublicSuffixes {
            return reading.warn(.singleLabel)
        }
        let column = reading.ruleText.lowerBound
        guard refused < reading.names.count else {
            throw LineFault(.wholePublicSuffix, at: column)
        }
        let octets = reading.octets
        reading.names.removeAll {
            LineReading.isShort($0, in: octets) && (kind == .block || $0.scope != .exact)
        }
        reading.warn(.nameSkipped(.wholePublicSuffix, column: column + 1))
    }
}

extension LineReading {
    /// Whether a name is the root or a single label.
    func isShort(_ name: RuleName) -> Bool { Self.isShort(name, in: octets) }

    /// Whether a name in these octets is the root or a single label.
    static func isShort(_ name: RuleName, in octets: [UInt8]) -> Bool {
        let size = Int(octets[name.wire.lowerBound])
        return size == 0 || name.wire.count == size + 2
    }
}
