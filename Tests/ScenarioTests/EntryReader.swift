/// Reads the lines between `ENTRY_BEGIN` and `ENTRY_END`.
struct EntryReader {
    /// What an entry is for; it decides which words it may hold.
    enum Role {
        /// An answer of a scripted upstream.
        case upstream
        /// A query of a client.
        case client
        /// What the answer to a client is to be.
        case answer
        /// What a query to an upstream is to be.
        case outQuery

        var matches: Set<ScenarioEntry.Match> {
            switch self {
            case .upstream: [.opcode, .qname, .qtype, .subdomain, .udp, .tcp, .dnssecOK]
            case .client: []
            case .answer:
                [.all, .flags, .rcode, .question, .answer, .authority, .additional, .ttl, .opt]
            case .outQuery: [.qname, .qtype, .flags, .opt, .udp, .tcp]
            }
        }
    }

    private enum Section: Int {
        case question = -1
        case answer, authority, additional
    }

    static let flags: [String: UInt16] = [
        "QR": 0x8000, "AA": 0x0400, "TC": 0x0200, "RD": 0x0100, "RA": 0x0080, "Z": 0x0040,
        "AD": 0x0020, "CD": 0x0010,
    ]
    static let rcodes: [String: UInt16] = [
        "NOERROR": 0, "FORMERR": 1, "SERVFAIL": 2, "NXDOMAIN": 3, "NOTIMP": 4, "REFUSED": 5,
        "BADVERS": 16,
    ]
    static let opcodes: [String: UInt16] = [
        "QUERY": 0, "IQUERY": 1, "STATUS": 2, "NOTIFY": 4, "UPDATE": 5,
    ]
    /// The payload size when only `DO` says that there is an OPT record.
    static let defaultPayloadSize: UInt16 = 1232

    private let file: String
    private let role: Role
    private var entry: ScenarioEntry
    private var section: Section?

    init(file: String, role: Role, line: Int) {
        self.file = file
        self.role = role
        entry = ScenarioEntry(line: line)
    }

    /// Reads one line.
    mutating func read(_ line: ScenarioParser.Line) throws(ScenarioError) {
        let arguments = line.words.dropFirst()
        switch line.words[0] {
        case "MATCH": try readMatch(arguments, line)
        case "REPLY": try readReply(arguments, line)
        case "SECTION": try readSection(arguments, line)
        case "EDNS":
            entry.message.payloadSize = UInt16(try number(arguments, line, upTo: 0xFFFF))
        case "ADJUST" where role == .upstream: try readAdjust(arguments, line)
        case "DELAY" where role == .upstream:
            entry.delay = .milliseconds(try number(arguments, line, upTo: 60_000))
        case "TIMES" where role == .upstream:
            entry.uses = try number(arguments, line, upTo: 1000)
        case "DO_NOT_ANSWER" where role == .upstream: entry.isSilent = true
        case "TRUNCATE" where role == .upstream: entry.truncates = true
        case "TCP" where role == .client: entry.overTCP = true
        default: try readRecord(line)
        }
    }

    /// The entry, when it is complete.
    func finish() throws(ScenarioError) -> ScenarioEntry {
        if role != .client, entry.match.isEmpty {
            throw error(.missing("MATCH with at least one word"), entry.line)
        }
        if role == .client, entry.message.questions.isEmpty {
            throw error(.missing("SECTION QUESTION"), entry.line)
        }
        return entry
    }

    private mutating func readMatch(
        _ words: ArraySlice<String>, _ line: ScenarioParser.Line
    ) throws(ScenarioError) {
        for word in words {
            guard let match = ScenarioEntry.Match(rawValue: word), role.matches.contains(match)
            else { throw error(.unknownWord(word, place: "MATCH of this entry"), line.number) }
            entry.match.insert(match)
        }
    }

    private mutating func readReply(
        _ words: ArraySlice<String>, _ line: ScenarioParser.Line
    ) throws(ScenarioError) {
        for word in words {
            if let flag = EntryReader.flags[word] {
                entry.message.flags |= flag
            } else if let rcode = EntryReader.rcodes[word] {
                entry.message.flags |= rcode & 0x000F
                entry.message.extendedRcode = UInt8(rcode >> 4)
            } else if let opcode = EntryReader.opcodes[word] {
                entry.message.flags |= opcode << 11
            } else if word == "DO" {
                entry.message.dnssecOK = true
                entry.message.payloadSize =
                    entry.message.payloadSize ?? EntryReader.defaultPayloadSize
            } else {
                throw error(.unknownWord(word, place: "REPLY"), line.number)
            }
        }
    }

    private mutating func readAdjust(
        _ words: ArraySlice<String>, _ line: ScenarioParser.Line
    ) throws(ScenarioError) {
        for word in words {
            switch word {
            case "copy_id": entry.copiesID = true
            case "copy_query": entry.copiesQuery = true
            default: throw error(.unknownWord(word, place: "ADJUST"), line.number)
            }
        }
    }

    private mutating func readSection(
        _ words: ArraySlice<String>, _ line: ScenarioParser.Line
    ) throws(ScenarioError) {
        switch words.first {
        case "QUESTION": section = .question
        case "ANSWER": section = .answer
        case "AUTHORITY": section = .authority
        case "ADDITIONAL": section = .additional
        default:
            throw error(.unknownWord(words.first ?? "", place: "SECTION"), line.number)
        }
    }

    private mutating func readRecord(_ line: ScenarioParser.Line) throws(ScenarioError) {
        let text = line.words.joined(separator: " ")
        guard let section else { throw error(.unknownWord(text, place: "this entry"), line.number) }
        do throws(ScenarioError.RecordFault) {
            if section == .question {
                entry.message.questions.append(try question(line.words))
            } else {
                let record = try ScenarioRecord(words: line.words)
                entry.message.sections[section.rawValue].append(record)
            }
        } catch {
            throw self.error(.malformedRecord(text, error), line.number)
        }
    }

    /// `NAME [CLASS] TYPE`.
    private func question(
        _ words: [String]
    ) throws(ScenarioError.RecordFault) -> ScenarioMessage.Question {
        guard words.count == 2 || words.count == 3 else { throw .tooFewFields }
        var recordClass: UInt16 = 1
        if words.count == 3 {
            guard let known = ScenarioRecord.classes[words[1]] else { throw .badType(words[1]) }
            recordClass = known
        }
        return .init(
            name: try ScenarioRecord.name(words[0]),
            type: try ScenarioRecord.type(words[words.count - 1]), recordClass: recordClass)
    }

    private func number(
        _ words: ArraySlice<String>, _ line: ScenarioParser.Line, upTo limit: Int
    ) throws(ScenarioError) -> Int {
        let text = words.joined(separator: " ")
        guard let number = Int(text), number >= 0, number <= limit else {
            throw error(.malformedNumber(text), line.number)
        }
        return number
    }

    private func error(_ kind: ScenarioError.Kind, _ line: Int) -> ScenarioError {
        ScenarioError(file: file, line: line, kind: kind)
    }
}
