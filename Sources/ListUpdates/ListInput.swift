import Configuration
import DomainNames
import FilterLists
import LinuxSystem
import Quantities

/// One list to compile, as the command line or the configuration names it.
package struct ListInput: Sendable {
    /// Its name, which verdicts carry.
    package let name: String
    /// Where its text is: a path, or the address of one that is fetched.
    package let path: String
    /// How it is written; `nil` means guess.
    package let format: ListFormat?
    private let scope: NameScope?
    private let action: ListAction
    private let allowsPublicSuffixes: Bool
    private let takesRewrites: Bool

    /// Octets by which a format is guessed.
    package static let prefixSize = 64 << 10

    /// A list with all that is said about it.
    package init(
        name: String, path: String, format: ListFormat?, scope: NameScope?, action: ListAction,
        rewrites: Bool = true
    ) {
        self.name = name
        self.path = path
        self.format = format
        self.scope = scope
        self.action = action
        allowsPublicSuffixes = false
        takesRewrites = rewrites
    }

    /// A list of the configuration; one with an address has that in the place of its path.
    package init(_ settings: ListSettings) {
        name = settings.name
        path = settings.file ?? settings.url ?? ""
        format = settings.format.flatMap { ListFormat(rawValue: $0.rawValue) }
        scope = settings.scope
        action = settings.action == .allow ? .allow : .block
        allowsPublicSuffixes = settings.allowsPublicSuffixes
        takesRewrites = settings.rewrites
    }

    /// How the list is read when it is of this format.
    package func options(_ format: ListFormat) -> ListOptions {
        ListOptions(
            format: format, scope: scope, action: action,
            allowPublicSuffixes: allowsPublicSuffixes, rewrites: takesRewrites)
    }

    /// The format: as told, else as the start of the text looks.
    package func format(fromPrefix prefix: [UInt8]) -> ListFormat {
        format ?? ListFormat.guess(fromPrefix: prefix.span)
    }

    /// The format of the text at `path`.
    package func guessedFormat() throws(SystemError) -> ListFormat {
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
