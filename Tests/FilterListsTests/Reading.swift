import DomainNames
import FilterLists
import Foundation

/// One line read alone, in a form that is easy to compare.
struct Read {
    var reading: LineReading
    var line: [UInt8]

    init(_ line: String, _ options: ListOptions) {
        var reader = ListReader(options: options)
        self.init(line, &reader)
    }

    init(_ line: String, _ format: ListFormat) { self.init(line, ListOptions(format: format)) }

    init(_ line: String, _ reader: inout ListReader, number: Int = 1) {
        let octets = Array(line.utf8)
        var reading = LineReading()
        reader.read(line: octets.span, number: number, into: &reading)
        self.line = octets
        self.reading = reading
    }

    /// The names of one scope.
    func names(_ scope: NameScope) -> [String] {
        reading.names.filter { $0.scope == scope }.map { reading.domainName($0).description }
    }

    var names: [String] { reading.names.map { reading.domainName($0).description } }
    var except: [String] { reading.except.map { reading.domainName($0).description } }
    var pattern: String { String(decoding: reading.pattern, as: UTF8.self) }

    /// Whether the rule's pattern is found in a name.
    func matches(_ name: String) -> Bool {
        guard let pattern = reading.hostPattern, let name = try? DomainName(text: name) else {
            return false
        }
        return pattern.matches(CanonicalName(name))
    }

    var identity: String {
        var octets: [UInt8] = []
        reading.appendIdentity(ofLine: line.span, to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }

    /// The addresses of a rewrite, as text.
    var addresses: [String] {
        guard case .addresses(let addresses) = reading.answer else { return [] }
        return addresses.map { $0.description }
    }
}

/// A whole text read line by line.
func readAll(_ text: String, _ options: ListOptions) -> [Read] {
    var reader = ListReader(options: options)
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
        Read(String($0.element), &reader, number: $0.offset + 1)
    }
}

/// The rows of a JSON-lines file under `Tests/Vectors/lists`.
func vectorRows(_ name: String) throws -> [[String: Any]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors/lists/\(name)")
    let text = try String(contentsOf: file, encoding: .utf8)
    return try text.split(separator: "\n").map {
        let value = try JSONSerialization.jsonObject(with: Data($0.utf8))
        guard let row = value as? [String: Any] else { throw CocoaError(.fileReadCorruptFile) }
        return row
    }
}
