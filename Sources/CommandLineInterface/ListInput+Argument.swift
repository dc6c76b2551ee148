import Configuration
import FilterLists
import ListUpdates

extension ListInput {
    /// The list of a `--list`, or the argument of `lint`.
    init(_ argument: ListArgument, name: String) {
        self.init(
            name: name, path: argument.file,
            format: argument.format.flatMap { ListFormat(rawValue: $0.rawValue) },
            scope: argument.scope, action: argument.action == .allow ? .allow : .block)
    }

    /// The lists of `--list`, each under the name of its file; equal names are numbered.
    static func inputs(_ arguments: [ListArgument]) -> [ListInput] {
        var used: Set<String> = []
        return arguments.map { argument in
            let file = argument.file.split(separator: "/").last.map(String.init) ?? "list"
            let stem = file.split(separator: ".").first.map(String.init) ?? file
            var name = stem
            var count = 1
            while !used.insert(name).inserted {
                count += 1
                name = "\(stem)-\(count)"
            }
            return ListInput(argument, name: name)
        }
    }
}
