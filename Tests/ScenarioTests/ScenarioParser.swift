/// Reads a scenario file; `docs/Scenarios.md` describes the language.
struct ScenarioParser {
    /// A line without its comment, cut into words; quoted text is one word.
    struct Line {
        var words: [String]
        var number: Int
    }

    private let file: String
    private let lines: [Substring]
    private var index = 0
    private(set) var scenario: Scenario

    private init(file: String, text: String) {
        self.file = file
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        scenario = Scenario(file: file)
    }

    /// The scenario that `text` writes.
    static func parse(file: String, text: String) throws(ScenarioError) -> Scenario {
        var parser = ScenarioParser(file: file, text: text)
        try parser.readHead()
        try parser.readBody()
        try parser.refuseRest()
        return parser.scenario
    }

    // MARK: Blocks

    private mutating func readHead() throws(ScenarioError) {
        while let line = next() {
            switch line.words[0] {
            case "CONFIG_BEGIN":
                scenario.configuration += try rawText(until: "CONFIG_END", from: line)
            case "RULES_BEGIN":
                scenario.lists.append(try list(from: line))
            case "SCENARIO_BEGIN":
                scenario.title = line.words.dropFirst().joined(separator: " ")
                return
            default:
                throw unknown(line.words[0], "the head of the file", line)
            }
        }
        throw error(.missing("SCENARIO_BEGIN"), lines.count)
    }

    private mutating func readBody() throws(ScenarioError) {
        while let line = next() {
            switch line.words[0] {
            case "RANGE_BEGIN": try readRange(from: line)
            case "STEP": try readStep(from: line)
            case "SCENARIO_END":
                guard scenario.steps.contains(where: \.checks) else {
                    throw error(.checksNothing, line.number)
                }
                return
            default: throw unknown(line.words[0], "the scenario", line)
            }
        }
        throw error(.unfinished("SCENARIO_BEGIN"), lines.count)
    }

    private mutating func refuseRest() throws(ScenarioError) {
        if let line = next() { throw unknown(line.words[0], "what follows SCENARIO_END", line) }
    }

    private mutating func readRange(from line: Line) throws(ScenarioError) {
        let first = try number(line, 1)
        let last = try number(line, 2)
        guard first <= last else { throw error(.malformedNumber("\(last)"), line.number) }
        guard let address = next(), address.words[0] == "ADDRESS", address.words.count == 2 else {
            throw error(.missing("ADDRESS of the range"), line.number)
        }
        var range = AnswerRange(steps: first...last, address: address.words[1])
        while let line = next() {
            switch line.words[0] {
            case "RANGE_END":
                scenario.ranges.append(range)
                return
            case "ENTRY_BEGIN":
                range.entries.append(try entry(from: line, role: .upstream))
            default:
                throw unknown(line.words[0], "a range", line)
            }
        }
        throw error(.unfinished("RANGE_BEGIN"), line.number)
    }

    /// `RULES_BEGIN list NAME FORMAT [SCOPE] [allow] [allow-public-suffixes]`.
    private mutating func list(from line: Line) throws(ScenarioError) -> ScenarioList {
        guard line.words.count >= 4, line.words[1] == "list" else {
            throw error(.missing("'list', a name and a format"), line.number)
        }
        var list = ScenarioList(name: line.words[2], format: line.words[3])
        for word in line.words.dropFirst(4) {
            switch word {
            case "exact", "subtree", "below": list.scope = word
            case "allow": list.isAllowList = true
            case "allow-public-suffixes": list.allowsPublicSuffixes = true
            default: throw unknown(word, "RULES_BEGIN", line)
            }
        }
        list.text = try rawText(until: "RULES_END", from: line)
        return list
    }

    // MARK: Steps

    private mutating func readStep(from line: Line) throws(ScenarioError) {
        let number = try number(line, 1)
        if let last = scenario.steps.last, last.number >= number {
            throw error(.stepNotAscending(number), line.number)
        }
        guard line.words.count > 2 else { throw error(.missing("what the step does"), line.number) }
        let arguments = Array(line.words.dropFirst(3))
        let action = try action(line.words[2], arguments, line)
        scenario.steps.append(ScenarioStep(number: number, line: line.number, action: action))
    }

    private mutating func action(
        _ word: String, _ arguments: [String], _ line: Line
    ) throws(ScenarioError) -> ScenarioStep.Action {
        switch word {
        case "QUERY":
            let client = try value(of: "ADDRESS", in: arguments, line) ?? Scenario.defaultClient
            return .query(try entryOfStep(line, role: .client), client: client)
        case "CHECK_ANSWER":
            let step = try value(of: "OF", in: arguments, line)
            let number = step.flatMap(Int.init)
            if let step, number == nil { throw error(.malformedNumber(step), line.number) }
            return .checkAnswer(try entryOfStep(line, role: .answer), of: number)
        case "CHECK_OUT_QUERY":
            let address = try value(of: "ADDRESS", in: arguments, line)
            return .checkOutQuery(try entryOfStep(line, role: .outQuery), address: address)
        case "EXPECT": return .expect(try expectation(arguments, line))
        case "TIME_PASSES":
            let text = try value(of: "ELAPSE", in: arguments, line)
            guard let text else { throw error(.missing("ELAPSE and seconds"), line.number) }
            return .timePasses(.milliseconds(try milliseconds(text, perUnit: 1000, line)))
        case "PAUSE": return .pause(client: try value(of: "ADDRESS", in: arguments, line))
        case "RELOAD":
            try refuse(arguments, line)
            var lists: [ScenarioList] = []
            while let peeked = peek(), peeked.words[0] == "RULES_BEGIN" {
                _ = next()
                lists.append(try list(from: peeked))
            }
            return .reload(lists)
        case "NO_ANSWER", "TIMEOUT", "RESUME":
            try refuse(arguments, line)
            return word == "NO_ANSWER" ? .noAnswer : word == "TIMEOUT" ? .timeout : .resume
        default: throw unknown(word, "a step", line)
        }
    }

    private func expectation(
        _ words: [String], _ line: Line
    ) throws(ScenarioError) -> ScenarioExpectation {
        guard words.count == 3 || words.count == 4 else {
            throw error(.missing("figure, operator and value"), line.number)
        }
        guard let figure = ScenarioExpectation.Figure(rawValue: words[0]) else {
            throw unknown(words[0], "EXPECT", line)
        }
        let isOfUpstream = figure == .upstreamQueries || figure == .upstreamStreams
        guard words.count == 3 || isOfUpstream else { throw unknown(words[1], "EXPECT", line) }
        let word = words[words.count - 2]
        guard let comparison = ScenarioExpectation.Operator(rawValue: word) else {
            throw unknown(word, "EXPECT", line)
        }
        let text = words[words.count - 1]
        let value: ScenarioExpectation.Value
        if figure == .edeText, text.hasPrefix("\""), text.hasSuffix("\""), text.count >= 2 {
            value = .text(String(text.dropFirst().dropLast()))
        } else if figure == .ede, text == "none" {
            value = .none
        } else if figure != .edeText, let number = Int(text) {
            value = .number(number)
        } else {
            throw error(.malformedNumber(text), line.number)
        }
        if case .number = value {
        } else if comparison != .equal, comparison != .different {
            throw error(.figureNeedsNumber(words[0]), line.number)
        }
        return ScenarioExpectation(
            figure: figure, address: words.count == 4 ? words[1] : nil, comparison: comparison,
            value: value)
    }

    private mutating func entryOfStep(
        _ line: Line, role: EntryReader.Role
    ) throws(ScenarioError) -> ScenarioEntry {
        guard let begin = next(), begin.words[0] == "ENTRY_BEGIN" else {
            throw error(.missing("ENTRY_BEGIN after the step"), line.number)
        }
        return try entry(from: begin, role: role)
    }

    private mutating func entry(
        from begin: Line, role: EntryReader.Role
    ) throws(ScenarioError) -> ScenarioEntry {
        var reader = EntryReader(file: file, role: role, line: begin.number)
        while let line = next() {
            if line.words[0] == "ENTRY_END" { return try reader.finish() }
            try reader.read(line)
        }
        throw error(.unfinished("ENTRY_BEGIN"), begin.number)
    }

    // MARK: Lines and words

    private mutating func next() -> Line? {
        while index < lines.count {
            let words = ScenarioParser.words(lines[index])
            index += 1
            if !words.isEmpty { return Line(words: words, number: index) }
        }
        return nil
    }

    private func peek() -> Line? {
        var copy = self
        return copy.next()
    }

    private mutating func rawText(
        until end: String, from line: Line
    ) throws(ScenarioError) -> String {
        var text = ""
        while index < lines.count {
            let raw = lines[index]
            index += 1
            if raw == end { return text }
            text += raw + "\n"
        }
        throw error(.unfinished(line.words[0]), line.number)
    }

    /// The words of a line; `;` begins a comment outside of quotes.
    static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        for character in line {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, character == ";" { break }
            if !isQuoted, character == " " || character == "\t" {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    private func value(
        of key: String, in arguments: [String], _ line: Line
    ) throws(ScenarioError) -> String? {
        guard let first = arguments.first else { return nil }
        guard first == key else { throw unknown(first, line.words[2], line) }
        guard arguments.count == 2 else {
            throw error(.missing("one value of \(key)"), line.number)
        }
        return arguments[1]
    }

    private func refuse(_ arguments: [String], _ line: Line) throws(ScenarioError) {
        if let first = arguments.first { throw unknown(first, line.words[2], line) }
    }

    private func number(_ line: Line, _ index: Int) throws(ScenarioError) -> Int {
        guard index < line.words.count else {
            throw error(.missing("a step number"), line.number)
        }
        guard let number = Int(line.words[index]), number >= 0 else {
            throw error(.malformedNumber(line.words[index]), line.number)
        }
        return number
    }

    private func milliseconds(
        _ text: String, perUnit: Double, _ line: Line
    ) throws(ScenarioError) -> Int {
        guard let value = Double(text), value >= 0, value < 1e9 else {
            throw error(.malformedNumber(text), line.number)
        }
        return Int((value * perUnit).rounded())
    }

    private func unknown(_ word: String, _ place: String, _ line: Line) -> ScenarioError {
        error(.unknownWord(word, place: place), line.number)
    }

    private func error(_ kind: ScenarioError.Kind, _ line: Int) -> ScenarioError {
        ScenarioError(file: file, line: line, kind: kind)
    }
}

extension ScenarioStep {
    /// Whether the step can fail by what the server does.
    var checks: Bool {
        switch action {
        case .checkAnswer, .checkOutQuery, .noAnswer, .expect: true
        case .query, .timePasses, .timeout, .reload, .pause, .resume: false
        }
    }
}
