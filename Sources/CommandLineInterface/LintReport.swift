import Control
import DomainNames
import FilterLists

/// What `sluice lint` prints: line by line as the list is read, then a summary for people.
struct LintReport {
    private let console: Console
    private let isJSON: Bool
    private var pending: [UInt8] = []
    private var kinds: [LineReading.Kind: Int] = [:]
    private var reasons: [LineReason: Int] = [:]
    private var lineCount = 0

    /// Octets gathered before they are written.
    private static let pendingSize = 64 << 10

    /// Nothing read.
    init(console: Console, isJSON: Bool) {
        self.console = console
        self.isJSON = isJSON
    }

    /// Whether a line was wrong.
    var hasErrors: Bool { kinds[.error] != nil }

    /// Prints one line's reading.
    mutating func add(_ reading: borrowing LineReading, number: Int) {
        lineCount += 1
        kinds[reading.kind, default: 0] += 1
        if let reason = reading.reason { reasons[reason, default: 0] += 1 }
        if isJSON {
            pending += LintReport.json(reading, number: number)
        } else {
            pending += Array(LintReport.text(reading, number: number).utf8)
        }
        pending.append(0x0A)
        if pending.count >= LintReport.pendingSize { flush() }
    }

    /// Prints the summary.
    mutating func finish(format: ListFormat, isGuessed: Bool) {
        if !isJSON {
            let read = isGuessed ? "guessed as \(format.rawValue)" : "read as \(format.rawValue)"
            pending += Array("\n\(AlignedText.count(lineCount)) lines, \(read)\n".utf8)
            var rows: [[String]] = []
            for kind in LineReading.Kind.allCases {
                guard let count = kinds[kind] else { continue }
                rows.append([kind.rawValue, AlignedText.count(count)])
            }
            for (reason, count) in reasons.sorted(by: {
                ($1.value, $0.key.key) < ($0.value, $1.key.key)
            }) {
                rows.append(["  \(reason.key)", AlignedText.count(count)])
            }
            pending += Array(AlignedText.columns(rows).utf8)
        }
        flush()
    }

    private mutating func flush() {
        console.output(String(decoding: pending, as: UTF8.self))
        pending.removeAll(keepingCapacity: true)
    }

    // MARK: For people

    /// `12: block subtree ads.example important`
    private static func text(_ reading: borrowing LineReading, number: Int) -> String {
        var words = [reading.isBadFilter ? "disable" : reading.kind.rawValue]
        if reading.exceptsRewrites { words.append("exception") }
        var scope: NameScope?
        for name in reading.names {
            if name.scope != scope { words.append(name.scope.word) }
            scope = name.scope
            words.append(reading.domainName(name).description)
        }
        if !reading.pattern.isEmpty { words.append(reading.patternText) }
        if !reading.statedAnswer.isEmpty { words.append("answer \(reading.statedAnswer)") }
        if reading.important { words.append("important") }
        if !reading.types.isEmpty {
            let types = reading.types.map { RecordTypeText.text(of: $0) }
            words.append(
                (reading.typesAreExcluded ? "not for " : "for ") + types.joined(separator: " "))
        }
        if !reading.clients.isEmpty {
            words.append("clients " + reading.clients.map(\.text).joined(separator: " "))
        }
        if !reading.except.isEmpty {
            let names = reading.except.map { reading.domainName($0).description }
            words.append("except " + names.joined(separator: " "))
        }
        var place = "\(number)"
        if let reason = reading.reason, reason != .blank {
            let detail = reading.detail.map { ": \($0)" } ?? ""
            words.append("(\(reason)\(detail))")
            if reading.column > 0 { place += ":\(reading.column)" }
        }
        for warning in reading.warnings { words.append("[\(warning)]") }
        return Console.printable("\(place): " + words.joined(separator: " "))
    }

    // MARK: For machines

    private static func json(_ reading: LineReading, number: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.member("line", number)
            object.member("kind", reading.kind.rawValue)
            object.member("names") { value in
                value.array { array in
                    for name in reading.names { array.ruleName(name, of: reading) }
                }
            }
            if let reason = reading.reason {
                object.member("reason", reason.key)
                if reading.column > 0 { object.member("column", reading.column) }
            }
            if !reading.statedAnswer.isEmpty { object.member("answer", reading.statedAnswer) }
            if reading.exceptsRewrites { object.member("exception", true) }
            if reading.important { object.member("important", true) }
            if reading.isBadFilter { object.member("badfilter", true) }
            if !reading.types.isEmpty {
                let types = reading.types.map { RecordTypeText.text(of: $0) }
                object.strings(reading.typesAreExcluded ? "typesNot" : "types", types)
            }
            if !reading.clients.isEmpty {
                object.strings("clients", reading.clients.map(\.text))
            }
            if !reading.except.isEmpty {
                let names = reading.except.map { reading.domainName($0).description }
                object.strings("except", names)
            }
            if !reading.pattern.isEmpty {
                object.member("pattern", String(decoding: reading.pattern, as: UTF8.self))
                object.member("syntax", reading.patternSyntax.rawValue)
                if !reading.patternAnchors.isEmpty {
                    object.strings("anchors", reading.patternAnchors.words)
                }
            }
            if let detail = reading.detail { object.member("detail", detail) }
            if !reading.warnings.isEmpty {
                object.member(
                    "warning", reading.warnings.map(\.description).joined(separator: "; "))
            }
        }
        return writer.octets
    }
}

extension JSONWriter {
    /// Writes a name of a reading with its scope.
    fileprivate mutating func ruleName(_ name: RuleName, of reading: LineReading) {
        object {
            $0.member("name", reading.domainName(name).description)
            $0.member("scope", name.scope.word)
        }
    }

    /// Writes a member with an array of strings.
    mutating func strings(_ name: String, _ values: [String]) {
        member(name) { value in
            value.array { array in
                for text in values { array.string(text) }
            }
        }
    }
}

extension PatternAnchors {
    /// The anchors as words of reports.
    fileprivate var words: [String] {
        let all: [(anchor: PatternAnchors, word: String)] = [
            (.hostStart, "host start"), (.labelStart, "label start"), (.hostEnd, "host end"),
        ]
        return all.filter { contains($0.anchor) }.map(\.word)
    }
}

extension NameScope {
    /// The scope of a word.
    init?(word: String) {
        guard let scope = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = scope
    }

    /// Its word in configurations and reports.
    var word: String {
        switch self {
        case .exact: "exact"
        case .subtree: "subtree"
        case .below: "below"
        }
    }
}

extension ClientCondition {
    /// As `$client` writes it.
    fileprivate var text: String {
        let subject =
            switch subject {
            case .address(let address): address.description
            case .prefix(let address, let length): "\(address)/\(length)"
            case .name(let octets): String(decoding: octets, as: UTF8.self)
            }
        return (isExcluded ? "~" : "") + subject
    }
}
