import FilterIndex
import LinuxSystem
import Quantities

/// The parts that the scripts beside this folder measure with; a verb each.
enum Benchmark {
    private static let usage = """
        usage: benchmark list COUNT SEED
               benchmark listed COUNT LIST-COUNT LIST-SEED
               benchmark unlisted COUNT SEED
               benchmark lookup SNAPSHOT NAMES PASSES none|blocked|any
               benchmark upstream ADDRESS:PORT
               benchmark first ADDRESS:PORT NAME
               benchmark load ADDRESS:PORT NAMES COUNT SEED
        """

    /// Does what the arguments say.
    static func run(_ arguments: [String]) throws(BenchmarkError) {
        var words = Words(arguments)
        switch words.next() {
        case "list":
            let count = try words.number()
            try NameGenerator.printList(count: count, seed: UInt64(words.number()))
        case "listed":
            let count = try words.number()
            let listCount = try words.number()
            try NameGenerator.printListed(
                count: count, listCount: listCount, listSeed: UInt64(words.number()))
        case "unlisted":
            let count = try words.number()
            try NameGenerator.printUnlisted(count: count, seed: UInt64(words.number()))
        case "lookup":
            let snapshot = try words.word()
            let names = try NameFile(path: words.word())
            let passes = try words.number()
            try LookupRun(snapshot: snapshot, wanted: words.word()).run(names, passes: passes)
        case "upstream": try LoopbackUpstream.serve(at: words.address())
        case "first":
            let server = try words.address()
            try QueryLoad.awaitFirstAnswer(from: server, name: words.word())
        case "load":
            let server = try words.address()
            let names = try NameFile(path: words.word())
            let count = try words.number()
            var load = try QueryLoad(server: server, seed: UInt64(words.number()))
            try load.run(names, count: count)
        default: throw .usage(usage)
        }
    }

    /// The arguments, one after the other.
    private struct Words {
        private var rest: ArraySlice<String>

        init(_ arguments: [String]) { rest = arguments[...] }

        mutating func next() -> String { rest.popFirst() ?? "" }

        mutating func word() throws(BenchmarkError) -> String {
            guard let word = rest.popFirst() else { throw .usage(usage) }
            return word
        }

        mutating func number() throws(BenchmarkError) -> Int {
            guard let number = Int(try word()), number >= 0 else { throw .usage(usage) }
            return number
        }

        /// `ADDRESS:PORT` of IPv4.
        mutating func address() throws(BenchmarkError) -> NetworkAddress {
            let parts = try word().split(separator: ":")
            guard parts.count == 2, let address = IPAddress(text: String(parts[0])),
                let port = UInt16(parts[1])
            else { throw .usage(usage) }
            return NetworkAddress(octets: address.octets, port: port)
        }
    }
}

/// What ends a benchmark.
enum BenchmarkError: Error, CustomStringConvertible {
    /// The arguments are wrong.
    case usage(String)
    /// A line of a file of names is none.
    case badName(path: String, line: Int)
    /// A file has no name that is answered as wanted.
    case noNames
    /// The system refused.
    case system(SystemError)
    /// The snapshot was refused.
    case snapshot(SnapshotError)
    /// No answer came for so long.
    case silence(seconds: Int)

    /// The exit status: that of the commands.
    var status: Int32 {
        if case .usage = self { return 2 }
        return 3
    }

    /// Prose.
    var description: String {
        switch self {
        case .usage(let text): text
        case .badName(let path, let line): "\(path):\(line): no name"
        case .noNames: "no name is answered as wanted"
        case .system(let error): "\(error)"
        case .snapshot(let error): "\(error)"
        case .silence(let seconds): "no answer for \(seconds) s"
        }
    }
}
