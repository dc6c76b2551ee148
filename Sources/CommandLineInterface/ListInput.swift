import Configuration
import DomainNames
import FilterLists
import LinuxSystem
import Quantities

/// One list to compile, as the command line or the configuration names it.
struct ListInput: Sendable {
    /// Its name, which verdicts carry.
    let name: String
    /// Its text.
    let path: String
    /// How it is written; `nil` means guess.
    let format: ListFormat?
    private let scope: NameScope?
    private let action: ListAction
    private let allowsPublicSuffixes: Bool
    private let takesRewrites: Bool

    /// Octets by which a format is guessed.
    static let prefixSize = 64 << 10

    /// The list of a `--list`, or the argument of `lint`.
    init(_ argument: ListArgument, name: String) {
        self.name = name
        path = argument.file
        format = argument.format.flatMap { ListFormat(rawValue: $0.rawValue) }
        scope = argument.scope
        action = argument.action == .allow ? .allow : .block
        allowsPublicSuffixes = false
        takesRewrites = true
    }

    /// A list of the configuration.
    init(_ settings: ListSettings) {
        name = settings.name
        path = settings.file
        format = settings.format.flatMap { ListFormat(rawValue: $0.rawValue) }
        scope = settings.scope
        action = settings.action == .allow ? .allow : .block
        allowsPublicSuffixes = settings.allowsPublicSuffixes
        takesRewrites = settings.rewrites
    }

    /// The lists of `--list`, each under the name of its file; equal names are numbered.
    static func inputs(_ arguments: [ListArgument]) -> [ListInput] {
        var used: [String: Int] = [:]
        return arguments.map { argument in
            let file = argument.file.split(separator: "/").last.map(String.init) ?? "list"
            let stem = file.split(separator: ".").first.map(String.init) ?? file
            used[stem, default: 0] += 1
            let count = used[stem] ?? 1
            return ListInput(argument, name: count == 1 ? stem : "\(stem)-\(count)")
        }
    }

    /// How the list is read when it is of this format.
    func options(_ format: ListFormat) -> ListOptions {
        ListOptions(
            format: format, scope: scope, action: action,
            allowPublicSuffixes: allowsPublicSuffixes, rewrites: takesRewrites)
    }

    /// The format: as told, else as the start of the text looks.
    func format(fromPrefix prefix: [UInt8]) -> ListFormat {
        format ?? ListFormat.guess(fromPrefix: prefix.span)
    }

    /// The format of the text at `path`.
    func guessedFormat() throws(SystemError) -> ListFormat {
        if let format { return format }
        var stream = try ByteStream.open(path: path)
        var prefix: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Self.prefixSize)
        while prefix.count < Self.prefixSize {
            var span = chunk.mutableSpan
            let count = try stream.read(into: &span)
            if count == 0 { break }
            prefix.append(contentsOf: chunk[..<count])
        }
        return format(fromPrefix: prefix)
    }
}
