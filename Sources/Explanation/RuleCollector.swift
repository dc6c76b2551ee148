import DomainNames
import FilterIndex
import FilterLists

/// What of the rules that do not speak of the name is looked at.
package enum Surroundings: Sendable {
    /// Nothing.
    case ignored
    /// The nearest block rules: for a name that is not blocked.
    case nearest
    /// The blocked names below it, counted on from list to list: for a name that is blocked.
    case below(NamesBelow)
}

/// Reads the text of one list, chunk by chunk, and keeps the rules that speak of one name.
///
/// The text may come from anywhere: lists of a policy are read so, and rules of the user's own.
/// An Unbound list is read twice: whether a zone is a block or a rewrite stands in other lines.
/// ```
/// repeat { for chunk in text { collector.read(chunk) } } while collector.needsAnotherPass()
/// ```
package struct RuleCollector: Sendable {
    /// What was found; complete after the last pass.
    package private(set) var findings: ListFindings
    /// The blocked names below the name, those of earlier lists included, when they are counted.
    package private(set) var below: NamesBelow?
    private let question: Question
    private let questionName: CanonicalName
    private let wantsNearest: Bool
    private let list: Int
    private let options: ListOptions
    private var splitter = LineSplitter()
    private var reader: ListReader
    private var reading = LineReading()
    private var isSurvey: Bool
    /// Zones that answer with their local data, and names with data that leads somewhere.
    private var redirectZones: Set<DomainName> = []
    private var rewrittenNames: Set<DomainName> = []
    private var lineNames = LineNames()

    /// The different names of one line: made once a line, however many of them are found.
    private struct LineNames {
        var line = 0
        var count = 0
        var first: [DomainName] = []

        init() {}

        init(of reading: borrowing LineReading, line: Int) {
            self.line = line
            var seen: Set<DomainName> = []
            for name in reading.names {
                let name = reading.domainName(name)
                guard seen.insert(name).inserted else { continue }
                // One of them may be the name in question, which is no example of another.
                if first.count <= NamesBelow.exampleLimit { first.append(name) }
            }
            count = seen.count
        }
    }

    /// A collector at the start of list number `list`.
    package init(
        question: Question, list: Int, options: ListOptions, surroundings: Surroundings = .ignored
    ) {
        self.question = question
        questionName = CanonicalName(question.name)
        switch surroundings {
        case .ignored: (wantsNearest, below) = (false, nil)
        case .nearest: (wantsNearest, below) = (true, nil)
        case .below(let names): (wantsNearest, below) = (false, names)
        }
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
        } else if !reading.names.isEmpty || reading.hostPattern != nil {
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
        if let pattern = reading.hostPattern, pattern.matches(questionName),
            let rule = rule(on: nil, line, number)
        {
            findings.add(rule)
        }
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
            guard question.isCovered(by: wire, scope: scope(of: name)) else {
                lookAround(name, line, number)
                continue
            }
            if let rule = rule(on: name, line, number) { findings.add(rule) }
        }
    }

    /// Looks at a rule that does not speak of the name.
    private mutating func lookAround(_ name: RuleName, _ line: Span<UInt8>, _ number: Int) {
        guard wantsNearest || below != nil, kind == .block, !reading.isBadFilter else { return }
        let octets = reading.octets
        let wire = octets.span.extracting(name.wire)
        if wantsNearest {
            guard let relation = question.relation(to: wire), findings.nearby.wants(relation),
                let rule = rule(on: name, line, number)
            else { return }
            findings.nearby.offer(NearbyRule(rule: rule, relation: relation))
        } else {
            let (shared, theirs) = question.sharedLabels(with: wire)
            if shared == question.labelCount, theirs > shared { below?.note(wire: wire) }
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
    private func isDropped(_ name: RuleName?) -> Bool {
        guard let name, !redirectZones.isEmpty, isPlainBlock else { return false }
        let zone = reading.domainName(name)
        return redirectZones.contains(zone) && rewrittenNames.contains(zone)
    }

    private var isPlainBlock: Bool {
        kind == .block && BlockAnswer(stated: reading.answer) == .standard
            && reading.types.isEmpty && reading.except.isEmpty && reading.clients.isEmpty
            && !reading.important
    }

    /// The line's rule on one of its names, or on its pattern.
    private mutating func rule(
        on name: RuleName?, _ line: Span<UInt8>, _ number: Int
    ) -> FoundRule? {
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
        if lineNames.line != number { lineNames = LineNames(of: reading, line: number) }
        var rule = FoundRule(
            list: list, line: number, text: line.shownText, kind: ruleKind,
            meaning: FoundRule.Meaning(
                name: name.map { reading.domainName($0) } ?? .root,
                scope: name.map { scope(of: $0) } ?? .subtree, isAllow: isAllow,
                isImportant: reading.important,
                answer: isAllow ? .standard : BlockAnswer(stated: reading.answer),
                types: Set(reading.types).sorted(),
                typesAreExcluded: reading.typesAreExcluded && !reading.types.isEmpty,
                exceptions: Set(exceptions),
                clients: Set(reading.clients.compactMap(FoundRule.Client.init)),
                rewrite: kind == .rewrite ? RewriteAnswer(stated: reading.answer) : nil,
                exceptsRewrites: reading.exceptsRewrites,
                pattern: name == nil ? reading.patternText : ""),
            statedAnswer: reading.statedAnswer, isBadFilter: reading.isBadFilter,
            isRedirectZone: reading.isRedirectZone,
            isInSettledList: findings.isSettledBySpecificity, lineNameCount: lineNames.count,
            lineNames: lineNames.first)
        switch ruleKind {
        case .rewrite where !takesRewrites: rule.fate = .rewritesOff
        case .unsupported: rule.fate = .undecided(reading.reason ?? .unsupportedModifier)
        case .block where isDropped(name): rule.fate = .answeredByZoneData
        case .block, .allow, .rewrite: rule.fate = rule.ownFate(for: question)
        }
        return rule
    }
}
