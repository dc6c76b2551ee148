internal import CYAML
import Quantities

/// From text to the raw tree, through libyaml's event parser.
///
/// Of YAML it takes what a settings file needs: one document, mappings with scalar keys, sequences
/// and scalars. Anchors, aliases and tags are refused: with them a kilobyte can mean a gigabyte.
enum ConfigurationTree {
    /// Why there is no tree.
    struct Failure: Error, Equatable {
        /// Where the parser stopped.
        let position: SourcePosition
        /// What it met.
        let kind: ConfigurationProblem.Kind
    }

    /// The document's root; `nil` when the text holds no value at all.
    /// - Throws: the first fault; after it the parser cannot tell what the rest means.
    /// - Complexity: O(octets), bounded by `ConfigurationLimits`.
    static func parse(_ text: [UInt8]) throws(Failure) -> ConfigurationNode? {
        guard text.count <= ConfigurationLimits.documentSize.octets else {
            throw Failure(
                position: SourcePosition(line: 1, column: 1),
                kind: .documentTooLarge(limit: ConfigurationLimits.documentSize))
        }
        let outcome = unsafe text.withUnsafeBufferPointer {
            input -> Result<ConfigurationNode?, Failure> in
            guard var reader = unsafe EventReader(input) else {
                return .failure(
                    Failure(
                        position: SourcePosition(line: 1, column: 1),
                        kind: .malformed(reason: "no memory for the YAML parser")))
            }
            do throws(Failure) {
                return .success(try document(&reader))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private static func document(_ reader: inout EventReader) throws(Failure) -> ConfigurationNode?
    {
        var root: ConfigurationNode?
        var documents = 0
        while true {
            let event = try reader.next()
            switch event.kind {
            case .streamEnd:
                return root
            case .documentStart:
                documents += 1
                guard documents == 1 else {
                    throw Failure(position: event.position, kind: .secondDocument)
                }
            case .nothing:
                continue
            default:
                root = try node(event, &reader, depth: 1)
            }
        }
    }

    /// The node that starts with `event`.
    private static func node(
        _ event: Event, _ reader: inout EventReader, depth: Int
    ) throws(Failure) -> ConfigurationNode {
        guard depth <= ConfigurationLimits.depth else {
            throw Failure(
                position: event.position, kind: .nestedTooDeeply(limit: ConfigurationLimits.depth))
        }
        switch event.kind {
        case .sequenceStart:
            var items = [ConfigurationNode]()
            while true {
                let next = try reader.next()
                if next.kind == .sequenceEnd { break }
                items.append(try node(next, &reader, depth: depth + 1))
            }
            return ConfigurationNode(position: event.position, content: .sequence(items))
        case .mappingStart:
            var entries = [ConfigurationNode.Entry]()
            while true {
                let key = try reader.next()
                if key.kind == .mappingEnd { break }
                guard key.kind == .scalar else {
                    throw Failure(position: key.position, kind: .keyIsNoScalar)
                }
                let value = try node(try reader.next(), &reader, depth: depth + 1)
                entries.append(
                    ConfigurationNode.Entry(
                        key: key.text, keyPosition: key.position, value: value))
            }
            return ConfigurationNode(position: event.position, content: .mapping(entries))
        default:
            return ConfigurationNode(position: event.position, content: .scalar(event.text))
        }
    }
}

/// One event of the parser, in Swift's terms.
private struct Event {
    enum Kind {
        case nothing, streamEnd, documentStart, scalar
        case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }

    let kind: Kind
    let position: SourcePosition
    let text: String
}

/// Owns the C parser; the input must outlive it.
@safe private struct EventReader: ~Copyable {
    private let reader: UnsafeMutablePointer<sluice_yaml_reader>
    private var values = 0

    init?(_ input: UnsafeBufferPointer<UInt8>) {
        guard let opened = unsafe sluice_yaml_open(input.baseAddress, input.count) else {
            return nil
        }
        unsafe reader = opened
    }

    deinit { unsafe sluice_yaml_close(reader) }

    /// The next event, with what a settings file must not contain refused.
    mutating func next() throws(ConfigurationTree.Failure) -> Event {
        let raw = unsafe sluice_yaml_next(reader)
        let position = unsafe SourcePosition(line: Int(raw.line) + 1, column: Int(raw.column) + 1)
        let text = unsafe String(
            decoding: UnsafeBufferPointer(start: raw.text, count: raw.text_size), as: UTF8.self)
        let kind = unsafe raw.kind
        if kind == Int32(SLUICE_YAML_ERROR.rawValue) {
            throw .init(position: position, kind: .malformed(reason: text))
        }
        if unsafe kind == Int32(SLUICE_YAML_ALIAS.rawValue) || raw.has_anchor != 0 {
            throw .init(position: position, kind: .anchorOrAlias)
        }
        if unsafe raw.has_tag != 0 { throw .init(position: position, kind: .tag) }
        let event = Event(kind: Self.kind(kind), position: position, text: text)
        switch event.kind {
        case .scalar, .sequenceStart, .mappingStart: values += 1
        default: break
        }
        guard values <= ConfigurationLimits.values else {
            throw .init(
                position: position, kind: .tooManyValues(limit: ConfigurationLimits.values))
        }
        return event
    }

    private static func kind(_ raw: Int32) -> Event.Kind {
        switch UInt32(bitPattern: raw) {
        case SLUICE_YAML_STREAM_END.rawValue: .streamEnd
        case SLUICE_YAML_DOCUMENT_START.rawValue: .documentStart
        case SLUICE_YAML_SCALAR.rawValue: .scalar
        case SLUICE_YAML_SEQUENCE_START.rawValue: .sequenceStart
        case SLUICE_YAML_SEQUENCE_END.rawValue: .sequenceEnd
        case SLUICE_YAML_MAPPING_START.rawValue: .mappingStart
        case SLUICE_YAML_MAPPING_END.rawValue: .mappingEnd
        default: .nothing
        }
    }
}
