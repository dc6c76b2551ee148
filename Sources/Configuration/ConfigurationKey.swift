/// One key of the configuration, as data: the decoder's valid keys, the commented example and the
/// documentation come from `table`.
package struct ConfigurationKey: Sendable {
    /// Where it stands: parts with dots between; `*` is any name, or any item of a sequence.
    package let path: String
    /// What it does, in a line or two.
    package let summary: String
    /// What it takes: unit, choices, range.
    package let takes: String
    /// The value that it has when it is left out, as YAML; `nil` when it has none.
    package let defaultText: String?
    /// A value that shows its use, as YAML, where the default does not.
    package let example: String?
    /// Whether this version acts on it; else only the default is taken.
    package let isLive: Bool

    /// The key at `path`.
    init(
        _ path: String, _ summary: String, takes: String, default defaultText: String? = nil,
        example: String? = nil, isLive: Bool = true
    ) {
        self.path = path
        self.summary = summary
        self.takes = takes
        self.defaultText = defaultText
        self.example = example
        self.isLive = isLive
    }

    /// The last part of the path.
    package var name: String {
        path.split(separator: ".").last.map(String.init) ?? path
    }

    /// The keys directly under `parent`; the empty path has the top-level keys.
    static func children(of parent: String) -> [ConfigurationKey] {
        table.filter { key in
            guard !parent.isEmpty else { return !key.path.contains(".") }
            guard key.path.hasPrefix(parent + ".") else { return false }
            return !key.path.dropFirst(parent.utf8.count + 1).contains(".")
        }
    }
}
