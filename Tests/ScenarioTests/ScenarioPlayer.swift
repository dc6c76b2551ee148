import DNSWire

/// Plays the steps of one scenario on a stage and compares what comes.
struct ScenarioPlayer {
    /// No client waits longer than this.
    static let patience = Duration.seconds(8)
    /// A query without an answer for this long has none.
    static let silence = Duration.milliseconds(300)

    private struct Sent {
        var number: Int
        var octets: [UInt8]
        var isChecked = false
    }

    private let scenario: Scenario
    private let stage: any Stage
    private let upstream: ScriptedUpstream
    private var sent: [Sent] = []
    private var last: (message: ReceivedMessage, elapsed: Duration)?
    /// Figures that the stage could not tell.
    private(set) var untold: [String] = []

    init(_ scenario: Scenario, on stage: any Stage, with upstream: ScriptedUpstream) {
        self.scenario = scenario
        self.stage = stage
        self.upstream = upstream
    }

    /// Plays every step.
    /// - Throws: `ScenarioError` for the first thing that is not as written.
    mutating func play() throws {
        for step in scenario.steps {
            upstream.enter(step: step.number)
            try play(step)
            if let query = upstream.unexpectedQueries.first {
                throw error(.unexpectedUpstreamQuery(query), step.line)
            }
        }
    }

    private mutating func play(_ step: ScenarioStep) throws {
        switch step.action {
        case .query(let entry, let client):
            let id = UInt16(truncatingIfNeeded: 0x4000 + step.number)
            let octets = entry.message.encoded(id: id)
            sent.append(Sent(number: step.number, octets: octets))
            try stage.send(octets, overTCP: entry.overTCP, from: client, number: step.number)
        case .checkAnswer(let entry, let number):
            try checkAnswer(entry, to: try take(number, step), step)
        case .checkOutQuery(let entry, let address):
            try checkOutQuery(entry, at: address, step)
        case .noAnswer:
            let query = try take(nil, step)
            try stage.pass(ScenarioPlayer.silence)
            guard try !stage.isAnswered(query.number) else {
                throw error(.unexpectedAnswer(toStep: query.number), step.line)
            }
        case .expect(let expectation): try check(expectation, step)
        case .timePasses(let time): try stage.pass(time)
        case .timeout: try letTimeOut()
        case .reload(let lists): try stage.reload(lists)
        case .pause(let client): try stage.pause(client: client)
        case .resume: try stage.resume()
        }
    }

    /// The query of step `number`, else the oldest, that was not checked.
    private mutating func take(_ number: Int?, _ step: ScenarioStep) throws -> Sent {
        let index = sent.firstIndex { !$0.isChecked && (number == nil || $0.number == number) }
        guard let index else { throw error(.nothingToCheck, step.line) }
        sent[index].isChecked = true
        return sent[index]
    }

    private func letTimeOut() throws {
        upstream.setSilent(true)
        var passed = Duration.zero
        while passed < ScenarioPlayer.patience {
            let isWaiting = try sent.contains {
                try !$0.isChecked && !stage.isAnswered($0.number)
            }
            guard isWaiting else { break }
            try stage.pass(.milliseconds(100))
            passed += .milliseconds(100)
        }
        upstream.setSilent(false)
    }

    // MARK: Messages

    private mutating func checkAnswer(
        _ entry: ScenarioEntry, to query: Sent, _ step: ScenarioStep
    ) throws {
        guard let answer = try stage.answer(to: query.number) else {
            throw error(.noAnswer(toStep: query.number), step.line)
        }
        let found: ReceivedMessage
        do { found = try ReceivedMessage.read(answer.octets) } catch {
            throw self.error(.unreadableAnswer("\(error)"), step.line)
        }
        last = (found, answer.elapsed)
        let id = UInt16(query.octets[0]) << 8 | UInt16(query.octets[1])
        try compare("id", "\(id)", "\(found.header.id)", step)
        let comparison = MessageComparison(
            entry: entry, found: found, ttlTolerance: stage.ttlTolerance)
        for part in comparison.parts {
            try compare(part.name, part.expected, part.found, step)
        }
        if let difference = comparison.ttlDifference {
            try compare("ttl", difference.expected, difference.found, step)
        }
    }

    private func checkOutQuery(
        _ entry: ScenarioEntry, at address: String?, _ step: ScenarioStep
    ) throws {
        guard let query = upstream.takeQuery(at: address) else {
            throw error(.nothingToCheck, step.line)
        }
        let found: ReceivedMessage
        do { found = try ReceivedMessage.read(query.octets) } catch {
            throw self.error(.unreadableAnswer("\(error)"), step.line)
        }
        let comparison = MessageComparison(entry: entry, found: found, ttlTolerance: 0)
        for part in comparison.questionParts + comparison.headerParts {
            try compare(part.name, part.expected, part.found, step)
        }
        for (match, transport) in [(ScenarioEntry.Match.udp, "udp"), (.tcp, "tcp")]
        where entry.match.contains(match) {
            try compare("transport", transport, "\(query.transport)", step)
        }
    }

    private func compare(
        _ part: String, _ expected: String, _ found: String, _ step: ScenarioStep
    ) throws {
        guard expected != found else { return }
        throw error(.difference(part: part, expected: expected, found: found), step.line)
    }

    // MARK: Figures

    private mutating func check(
        _ expectation: ScenarioExpectation, _ step: ScenarioStep
    ) throws {
        guard let found = try figure(expectation, step) else {
            untold.append(expectation.figure.rawValue)
            return
        }
        guard expectation.accepts(found) else {
            let expected = "\(expectation.comparison.rawValue) \(expectation.value)"
            throw error(
                .difference(
                    part: expectation.figure.rawValue, expected: expected, found: "\(found)"),
                step.line)
        }
    }

    private func figure(
        _ expectation: ScenarioExpectation, _ step: ScenarioStep
    ) throws -> ScenarioExpectation.Value? {
        let figure = expectation.figure
        switch figure {
        case .upstreamQueries, .upstreamStreams:
            let count = upstream.queryCount(
                at: expectation.address, streamsOnly: figure == .upstreamStreams)
            return .number(count)
        case .ede, .edeText, .answerCount, .authorityCount, .additionalCount, .size,
            .elapsedMilliseconds:
            guard let last else { throw error(.nothingToCheck, step.line) }
            return value(of: figure, in: last.message, elapsed: last.elapsed)
        default:
            return try stage.count(figure).map { .number($0) }
        }
    }

    private func value(
        of figure: ScenarioExpectation.Figure, in message: ReceivedMessage, elapsed: Duration
    ) -> ScenarioExpectation.Value {
        switch figure {
        case .ede: message.extendedError.map { .number($0.code) } ?? .none
        case .edeText: message.extendedError.map { .text($0.text) } ?? .none
        case .answerCount: .number(message.sections[0].count)
        case .authorityCount: .number(message.sections[1].count)
        case .additionalCount: .number(message.sections[2].count)
        case .size: .number(message.octets.count)
        default: .number(Int(elapsed / .milliseconds(1)))
        }
    }

    private func error(_ kind: ScenarioError.Kind, _ line: Int) -> ScenarioError {
        ScenarioError(file: scenario.file, line: line, kind: kind)
    }
}
