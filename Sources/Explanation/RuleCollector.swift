import DomainNames
import FilterIndex
import FilterLists

/// What one list says of a question.
package struct ListFindings: Sendable {
    /// The rules that speak of the name, in the order of the lines.
    package internal(set) var rules: [FoundRule] = []
    /// Of the names that are the one asked for or above it, the labels of the longest that a block
    /// of this list lies below; `nil` without any.
    package internal(set) var longestAboveBlock: Int?
    /// The same of rewrites of this list, where they count.
    var longestAboveRewrite: Int?
    /// Labels of the names with such rewrites that are the one asked for or above it.
    var rewriteLabels: Set<Int> = []
    /// Whether the more specific entry of the list wins: dnsmasq, unbound and RPZ.
    let isSettledBySpecificity: Bool
    /// Whether `$badfilter` counts in it: adblock.
    let heedsBadFilter: Bool

    /// Nothing found yet in a list of this format.
    init(format: ListFormat) {
        switch format {
        case .dnsmasq, .unbound, .rpz: isSettledBySpecificity = true
        case .hosts, .domains, .wildcard, .adblock: isSettledBySpecificity = false
        }
        heedsBadFilter = format == .adblock
    }
}

/// Reads the text of one list, chunk by chunk, and keeps the rules that speak of one name.
///
/// An Unbound list is read twice: whether a zone is a block or a rewrite stands in other lines.
/// ```
/// repeat { for chunk in text { collector.read(chunk) } } while collector.needsAnotherPass()
/// ```
package struct RuleCollector: Sendable {
    /// What was found; complete after the last pass.
    package private(set) var findings: ListFindings
    private let question: Question
    private let list: Int
    private let options: ListOptions
    private var splitter = LineSplitter()
    private var reader: ListReader
    private var reading = LineReading()
    private var isSurvey: Bool
    /// Zones that answer with their local data, and names with data that leads somewhere.
    private var redirectZones: Set<DomainName> = []
    private var rewrittenNames: Set<DomainName> = []

    /// A collector at the start of list number `list`.
    package init(question: Question, list: Int, options: ListOptions) {
        self.question = question
        self.list = list
        self.options = options
        findings = ListFindings(format: options.format)
        reader = ListReader(options: options)
        isSurvey = options.format == .unbound
    }

    /// Reads more of the text.
    /// - Complexity: O(octets); allocates for rules that are kept.
    package mutating func read(_ chunk: Span<UInt8>) {
        var splitter = LineSplitter()
        swap(&splitter, &self.splitter)
        splitter.split(chunk) { line, number in take(line, number) }
        self.splitter = splitter
    }

    /// Ends the text; whether it has to be read once more from its start.
    package mutating func needsAnotherPass() -> Bool {
        var splitter = splitter
        splitter.finish { line, number in take(line, number) }
        self.splitter = LineSplitter()
        reader = ListReader(options: options)
        defer { isSurvey = false }
        return isSurvey
    }

    private mutating func take(_ line: Span<UInt8>, _ number: Int) {
        reader.read(line: line, number: number, into: &reading)
        if isSurvey {
            survey()
        } else if !reading.names.isEmpty {
            collect(line, number)
        }
    }

    private mutating func survey() {
        switch reading.kind {
        case .block, .allow:
            guard reading.isRedirectZone else { return }
            for name in reading.names { redirectZones.insert(reading.domainName(name)) }
        case .rewrite:
            if reading.isSinkBlock(in: options.action) { return }
            for name in reading.names { rewrittenNames.insert(reading.domainName(name)) }
        case .ignored, .unsupported, .error: return
        }
    }

    private mutating func collect(_ line: Span<UInt8>, _ number: Int) {
        let octets = reading.octets
        for name in reading.names {
            let wire = octets.span.extracting(name.wire)
            if findings.isSettledBySpecificity, kind == .block, !isDropped(name) {
                let labels = question.labels(ofLongestAbove: wire)
                if let labels { note(labels) }
            }
            if findings.isSettledBySpecificity, kind == .rewrite, takesRewrites {
                noteRewrite(on: wire)
            }
            guard question.isCovered(by: wire, scope: scope(of: name)),
                let rule = rule(on: name, line, number)
            else { continue }
            findings.rules.append(rule)
        }
    }

    /// The kind of the line's rule; a rewrite to a sink blocks.
    private var kind: LineReading.Kind {
        reading.isSinkBlock(in: options.action) ? .block : reading.kind
    }

    private mutating func note(_ labels: Int) {
        findings.longestAboveBlock = max(labels, findings.longestAboveBlock ?? 0)
    }

    private mutating func noteRewrite(on wire: Span<UInt8>) {
        if let labels = question.labels(ofLongestAbove: wire) {
            findings.longestAboveRewrite = max(labels, findings.longestAboveRewrite ?? 0)
        }
        if let labels = question.labels(ofEnclosing: wire) { findings.rewriteLabels.insert(labels) }
    }

    private var takesRewrites: Bool { options.rewrites && options.action == .block }

    /// The scope of a name: data of a redirect zone counts for all below.
    private func scope(of name: RuleName) -> NameScope {
        guard kind == .rewrite, !redirectZones.isEmpty,
            redirectZones.contains(reading.domainName(name))
        else { return name.scope }
        return .subtree
    }

    /// Whether a plain block on the name gives way to the zone's own data.
    private func isDropped(_ name: RuleName) -> Bool {
        guard !redirectZones.isEmpty, isPlainBlock else { return false }
        let name = reading.domainName(name)
        return redirectZones.contains(name) && rewrittenNames.contains(name)
    }

    private var isPlainBlock: Bool {
        kind == .block && BlockAnswer(stated: reading.answer) == .standard
            && reading.types.isEmpty && reading.except.isEmpty && reading.clients.isEmpty
            && !reading.important
    }

    private func rule(on name: RuleName, _ line: Span<UInt8>, _ number: Int) -> FoundRule? {
        let ruleKind: FoundRule.Kind
        switch kind {
        case .block: ruleKind = .block
        case .allow: ruleKind = .allow
        case .rewrite: ruleKind = .rewrite
        case .unsupported: ruleKind = .unsupported
        case .ignored, .error: return nil
        }
        let isAllow = ruleKind == .allow
        let exceptions = reading.except.map {
            FoundRule.Exception(name: reading.domainName($0), scope: $0.scope)
        }
        var rule = FoundRule(
            list: list, line: number, text: RuleCollector.text(of: line), kind: ruleKind,
            meaning: FoundRule.Meaning(
                name: reading.domainName(name), scope: scope(of: name), isAllow: isAllow,
                isImportant: reading.important,
                answer: isAllow ? .standard : BlockAnswer(stated: reading.answer),
                types: Set(reading.types).sorted(),
                typesAreExcluded: reading.typesAreExcluded && !reading.types.isEmpty,
                exceptions: Set(exceptions),
                clients: Set(reading.clients.compactMap(FoundRule.Client.init)),
                rewrite: kind == .rewrite ? RewriteAnswer(stated: reading.answer) : nil,
                exceptsRewrites: reading.exceptsRewrites),
            statedAnswer: reading.statedAnswer, isBadFilter: reading.isBadFilter,
            isRedirectZone: reading.isRedirectZone)
        switch ruleKind {
        case .rewrite where !takesRewrites: rule.fate = .rewritesOff
        case .unsupported: rule.fate = .undecided(reading.reason ?? .unsupportedModifier)
        case .block where isDropped(name): rule.fate = .answeredByZoneData
        case .block, .allow, .rewrite: rule.fate = rule.ownFate(for: question)
        }
        return rule
    }

    /// The line without blanks at its ends; a very long one is cut.
    private static func text(of line: Span<UInt8>) -> String {
        var octets: [UInt8] = []
        for index in 0..<min(line.count, textLimit) { octets.append(line[index]) }
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        while let last = octets.last, isBlank(last) { octets.removeLast() }
        let text = String(decoding: octets.drop(while: isBlank), as: UTF8.self)
        return line.count > textLimit ? text + "…" : text
    }

    /// Octets of a line that are shown.
    private static let textLimit = 500
}
