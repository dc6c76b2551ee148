/// Reads the raw tree into settings and collects every problem on the way.
///
/// A value that is wrong leaves the default in place and a problem behind; so one pass finds all
/// mistakes, and the settings count only when there is none.
struct SettingsDecoder {
    /// The file's name, for problems and relative paths.
    let file: String
    /// What was found wrong so far, in the order of reading.
    private(set) var problems: [ConfigurationProblem] = []
    /// What was read so far; defaults elsewhere.
    var settings = Settings()

    /// Nothing read yet of the text in `file`.
    init(file: String) { self.file = file }

    /// One mapping with known keys.
    struct Section {
        /// The path for messages: `lists.ads`.
        let label: String
        /// Where the mapping starts.
        let position: SourcePosition
        /// Its values by key.
        fileprivate(set) var values: [String: ConfigurationNode] = [:]

        /// The path of a key in it, for messages.
        func path(_ key: String) -> String { label.isEmpty ? key : "\(label).\(key)" }

        /// The value at `key`.
        subscript(key: String) -> ConfigurationNode? { values[key] }
    }

    /// Whether further problems would only repeat what is known.
    var isFull: Bool { problems.count >= ConfigurationLimits.problems }

    /// Adds a problem; the last one that fits says that there are more.
    mutating func report(_ kind: ConfigurationProblem.Kind, at position: SourcePosition) {
        guard !isFull else { return }
        let isLast = problems.count == ConfigurationLimits.problems - 1
        problems.append(
            ConfigurationProblem(
                file: file, position: position,
                kind: isLast ? .tooManyProblems(limit: ConfigurationLimits.problems - 1) : kind))
    }

    /// The mapping `node`, its keys checked against the table's children of `tablePath`.
    mutating func section(
        _ node: ConfigurationNode, label: String, tablePath: String
    ) -> Section? {
        guard let entries = entries(node, key: label) else { return nil }
        let valid = ConfigurationKey.children(of: tablePath).map(\.name)
        var section = Section(label: label, position: node.position)
        for entry in entries {
            if valid.contains(entry.key) {
                section.values[entry.key] = entry.value
            } else {
                let nearest = isFull ? nil : NearestName.of(entry.key, among: valid)
                report(
                    .unknownKey(entry.key, under: label, nearest: nearest), at: entry.keyPosition)
            }
        }
        return section
    }

    /// The entries of the mapping `node`, each key once: of duplicates the first.
    mutating func entries(
        _ node: ConfigurationNode, key: String
    ) -> [ConfigurationNode.Entry]? {
        guard case .mapping(let all) = node.content else {
            report(.wrongShape(key: key, found: node.shape, expected: .mapping), at: node.position)
            return nil
        }
        var firstLines = [String: Int]()
        var entries = [ConfigurationNode.Entry]()
        for entry in all {
            if let line = firstLines[entry.key] {
                report(.duplicateKey(entry.key, firstLine: line), at: entry.keyPosition)
            } else {
                firstLines[entry.key] = entry.keyPosition.line
                entries.append(entry)
            }
        }
        return entries
    }

    /// The items of the sequence `node`.
    mutating func items(_ node: ConfigurationNode, key: String) -> [ConfigurationNode]? {
        guard case .sequence(let items) = node.content else {
            report(.wrongShape(key: key, found: node.shape, expected: .sequence), at: node.position)
            return nil
        }
        return items
    }

    /// The text of the scalar `node`.
    mutating func scalar(_ node: ConfigurationNode, key: String) -> String? {
        guard case .scalar(let text) = node.content else {
            report(.wrongShape(key: key, found: node.shape, expected: .scalar), at: node.position)
            return nil
        }
        return text
    }

    /// The value that `parse` makes of the scalar at `key`; a text that it refuses is a problem.
    mutating func value<Value>(
        _ section: Section, _ key: String, expected: ExpectedValue,
        parse: (String) -> Value?
    ) -> Value? {
        guard let node = section[key] else { return nil }
        return value(node, key: section.path(key), expected: expected, parse: parse)
    }

    /// The value that `parse` makes of the scalar `node`; a text that it refuses is a problem.
    mutating func value<Value>(
        _ node: ConfigurationNode, key: String, expected: ExpectedValue,
        parse: (String) -> Value?
    ) -> Value? {
        guard let text = scalar(node, key: key) else { return nil }
        if let value = parse(text) { return value }
        var nearest: String?
        if case .oneOf(let words) = expected, !isFull {
            nearest = NearestName.of(text, among: words)
        }
        report(
            .badValue(key: key, value: text, expected: expected, nearest: nearest),
            at: node.position)
        return nil
    }

    /// The values of the sequence at `key`; those that `parse` refuses are problems and left out.
    mutating func values<Value>(
        _ section: Section, _ key: String, expected: ExpectedValue,
        parse: (String) -> Value?
    ) -> [(value: Value, position: SourcePosition)]? {
        guard let node = section[key], let items = items(node, key: section.path(key)) else {
            return nil
        }
        return items.compactMap { item in
            value(item, key: section.path(key), expected: expected, parse: parse)
                .map { ($0, item.position) }
        }
    }

    /// Reports the second and further of equal values.
    mutating func refuseDuplicates<Value: Hashable & CustomStringConvertible>(
        _ values: [(value: Value, position: SourcePosition)], key: String
    ) {
        var firstLines = [Value: Int]()
        for (value, position) in values {
            if let line = firstLines[value] {
                report(
                    .duplicateValue(key: key, value: value.description, firstLine: line),
                    at: position)
            } else {
                firstLines[value] = position.line
            }
        }
    }
}
