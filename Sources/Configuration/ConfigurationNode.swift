/// One value of the raw tree: what the text says and where, before it means anything.
struct ConfigurationNode: Sendable {
    /// One `key: value` of a mapping, in the order of the text.
    struct Entry: Sendable {
        /// The key.
        let key: String
        /// Where the key stands.
        let keyPosition: SourcePosition
        /// The value.
        let value: ConfigurationNode
    }

    /// What is there.
    enum Content: Sendable {
        /// A word or text, quotes and escapes resolved.
        case scalar(String)
        /// Values in their order.
        case sequence([ConfigurationNode])
        /// Values under keys, duplicates kept.
        case mapping([Entry])
    }

    /// Where it starts.
    let position: SourcePosition
    /// What is there.
    let content: Content

    /// The kind of content.
    var shape: ConfigurationProblem.Shape {
        switch content {
        case .scalar: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    /// The value in a line, for messages; long ones are cut.
    var summary: String {
        switch content {
        case .scalar(let text): text
        case .sequence(let items): items.isEmpty ? "[]" : "[…]"
        case .mapping(let entries): entries.isEmpty ? "{}" : "{…}"
        }
    }
}
