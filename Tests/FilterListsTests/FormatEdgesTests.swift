import DomainNames
import FilterLists
import Testing

/// The table of edge lines, every row and every key of its expectation.
@Suite struct FormatEdgesTests {
    @Test func everyEdgeLineIsReadAsTheTableSays() throws {
        let rows = try vectorRows("format-edges.jsonl")
        #expect(rows.count == 87)
        for row in rows {
            let format = try #require(
                (row["format"] as? String).flatMap { ListFormat(rawValue: $0) })
            let line = try #require(row["line"] as? String)
            let expected = try #require(row["expect"] as? [String: Any])
            #expect(!expected.isEmpty)
            for (key, value) in expected {
                let why = "\(format) \(line): \(key)"
                let known = check(Read(line, format), expected, key, value, why)
                #expect(known, "no check for \(why)")
            }
        }
    }

    private func check(
        _ read: Read, _ expected: [String: Any], _ key: String, _ value: Any, _ why: String
    ) -> Bool {
        let texts = value as? [String] ?? (value as? String).map { [$0] } ?? []
        if checkNames(read, expected, key, texts, why) { return true }
        return checkConditions(read, expected, key, value, texts, why)
    }

    /// Rules that name names.
    private func checkNames(
        _ read: Read, _ expected: [String: Any], _ key: String, _ texts: [String], _ why: String
    ) -> Bool {
        let kind: LineReading.Kind = expected["ctag"] != nil ? .unsupported : .block
        let byKey: [String: (LineReading.Kind, NameScope)] = [
            "blockExact": (kind, .exact), "blockSuffix": (kind, .subtree),
            "blockSubdomainsOnly": (kind, .below), "allowSuffix": (.allow, .subtree),
        ]
        guard let (kind, scope) = byKey[key] else { return false }
        #expect(read.reading.kind == kind, "\(why)")
        #expect(read.names(scope) == texts, "\(why)")
        #expect(read.names.count == texts.count, "\(why)")
        return true
    }

    /// Rules with something besides names, and lines that are no rules.
    private func checkConditions(
        _ read: Read, _ expected: [String: Any], _ key: String, _ value: Any, _ texts: [String],
        _ why: String
    ) -> Bool {
        let reading = read.reading
        switch key {
        case "ignore":
            #expect([.ignored, .error].contains(reading.kind) && read.names.isEmpty, "\(why)")
        case "directive": #expect(reading.reason == .directive, "\(why)")
        case "error":
            #expect(reading.kind == .error && reading.reason?.key == texts.first, "\(why)")
        case "warn":
            #expect(reading.kind == .error && reading.reason == .wholePublicSuffix, "\(why)")
        case "ignoreOrIPRule", "ipRule":
            #expect(reading.kind == .unsupported && reading.reason == .ipRule, "\(why)")
        case "rewrite":
            let map = value as? [String: [String]] ?? [:]
            #expect(reading.kind == .rewrite && map.count == 1, "\(why)")
            #expect(map[read.names.first ?? ""] == read.addresses, "\(why)")
        case "forward":
            let map = value as? [String: String] ?? [:]
            #expect(reading.kind == .unsupported && reading.reason == .forwardRule, "\(why)")
            #expect(read.names == Array(map.keys), "\(why)")
        case "rcode", "answer": #expect(reading.statedAnswer == texts.first, "\(why)")
        case "important": #expect(reading.important, "\(why)")
        case "disablesRule":
            #expect(reading.isBadFilter && read.identity == texts.first, "\(why)")
            #expect(read.identity == Read(texts.first ?? "", .adblock).identity, "\(why)")
        case "except": #expect(read.except == texts, "\(why)")
        case "typesNot":
            #expect(reading.typesAreExcluded, "\(why)")
            #expect(reading.types.map { RecordTypeText.text(of: $0) } == texts, "\(why)")
        case "client":
            #expect(reading.kind == .block && reading.clients.count == 1, "\(why)")
            guard case .address(let address) = reading.clients.first?.subject else { return false }
            #expect([address.description] == texts, "\(why)")
        case "ctag": #expect(reading.reason == .clientTag, "\(why)")
        case "hostPattern", "blockPrefixOfHost":
            #expect(reading.kind == .block && reading.hostPattern != nil, "\(why)")
            #expect(read.names.isEmpty && reading.reason == nil, "\(why)")
            #expect(read.pattern == texts.first, "\(why)")
        case "dns", "urlOnly": #expect(reading.kind == .unsupported, "\(why)")
        case "cosmetic":
            #expect(reading.reason == .cosmetic && read.names.isEmpty, "\(why)")
        default: return false
        }
        return true
    }
}
