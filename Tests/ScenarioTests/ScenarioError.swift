/// What is wrong with a scenario file, or with what the server did in it.
struct ScenarioError: Error, Equatable {
    enum Kind: Equatable {
        // The file.
        case unknownWord(String, place: String)
        case missing(String)
        case malformedNumber(String)
        case malformedRecord(String, RecordFault)
        case unfinished(String)
        case stepNotAscending(Int)
        case figureNeedsNumber(String)
        case checksNothing
        case configuration(String)
        // The server.
        case noAnswer(toStep: Int)
        case unexpectedAnswer(toStep: Int)
        case nothingToCheck
        case unreadableAnswer(String)
        case difference(part: String, expected: String, found: String)
        case unexpectedUpstreamQuery(String)
        case command(String)
    }

    /// Why text is no record.
    enum RecordFault: Error, Equatable {
        case tooFewFields
        case badName(String)
        case badNumber(String)
        case badAddress(String)
        case badType(String)
        case badOctets(String)
    }

    var file: String
    var line: Int
    var kind: Kind
}

extension ScenarioError: CustomStringConvertible {
    var description: String { "\(file):\(line): \(kind)" }
}

extension ScenarioError.Kind: CustomStringConvertible {
    var description: String {
        switch self {
        case .unknownWord(let word, let place): "unknown word '\(word)' in \(place)"
        case .missing(let what): "missing: \(what)"
        case .malformedNumber(let text): "'\(text)' is no number that fits here"
        case .malformedRecord(let text, let fault): "'\(text)' is no record: \(fault)"
        case .unfinished(let block): "\(block) is not ended"
        case .stepNotAscending(let number): "step \(number) does not follow in number"
        case .figureNeedsNumber(let figure): "\(figure) is compared with numbers only"
        case .checksNothing: "the scenario checks nothing, so it cannot fail"
        case .configuration(let text): "the configuration block: \(text)"
        case .noAnswer(let step): "no answer to the query of step \(step)"
        case .unexpectedAnswer(let step): "an answer to the query of step \(step)"
        case .nothingToCheck: "every query was checked already"
        case .unreadableAnswer(let text): "the message cannot be read: \(text)"
        case .difference(let part, let expected, let found):
            "\(part) differs\n  expected \(expected)\n  found    \(found)"
        case .unexpectedUpstreamQuery(let text): "no entry answers the upstream query \(text)"
        case .command(let text): text
        }
    }
}

extension ScenarioError.RecordFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .tooFewFields: "too few fields"
        case .badName(let text): "'\(text)' is no name"
        case .badNumber(let text): "'\(text)' is no number that fits"
        case .badAddress(let text): "'\(text)' is no address of this type"
        case .badType(let text): "'\(text)' is no type known here; write TYPEnnn"
        case .badOctets(let text): "'\(text)' is no text or hexadecimal that fits"
        }
    }
}
