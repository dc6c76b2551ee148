import Cryptography
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// Reads lists one after the other and gathers their rules, counts and diagnostics.
struct ListIntake {
    /// The rules of all lists read.
    var rules = PolicyRules()
    /// What each list held.
    private(set) var lists: [SnapshotManifest.List] = []
    /// The first wrong lines.
    private(set) var diagnostics: [Diagnostic] = []
    /// All wrong lines.
    private(set) var diagnosticCount = 0

    private static let chunkSize = 64 << 10

    /// Nothing read.
    init() {}

    /// Reads one list to its end.
    /// - Parameter progress: octets of text so far, and octets of the file.
    /// - Throws: `.unreadableList`, `.tooMuchText`.
    mutating func read(
        _ list: ListSource, number: UInt16, progress: (ByteCount, ByteCount) -> Void
    ) throws(CompilationError) {
        rules.beginList(
            number, format: list.options.format, action: list.options.action,
            rewrites: list.options.rewrites)
        var reader = ListTextReader(list, number: number)
        switch list.text {
        case .octets(let octets):
            take(octets.span, by: &reader)
            progress(ByteCount(octets.count), ByteCount(octets.count))
        case .file(let path):
            do throws(SystemError) {
                var stream = try ByteStream.open(path: path)
                let size = ByteCount(stream.fileSize)
                var chunk = [UInt8](repeating: 0, count: ListIntake.chunkSize)
                while rules.hasRoom {
                    var buffer = chunk.mutableSpan
                    let count = try stream.read(into: &buffer)
                    if count == 0 { break }
                    take(chunk.span.extracting(0..<count), by: &reader)
                    progress(ByteCount(reader.textSize), size)
                }
            } catch {
                throw .unreadableList(name: list.name, cause: error)
            }
        }
        guard rules.hasRoom else { throw .tooMuchText }
        finish(&reader)
        reader.uncountBlocks(rules.endList())
        lists.append(reader.entry(for: list))
    }

    private mutating func take(_ chunk: Span<UInt8>, by reader: inout ListTextReader) {
        reader.textSize += chunk.count
        reader.hash.update(chunk)
        var splitter = LineSplitter()
        swap(&splitter, &reader.splitter)
        splitter.split(chunk) { line, number in take(line, number, by: &reader) }
        reader.splitter = splitter
    }

    private mutating func finish(_ reader: inout ListTextReader) {
        var splitter = reader.splitter
        splitter.finish { line, number in take(line, number, by: &reader) }
        reader.splitter = splitter
    }

    private mutating func take(_ line: Span<UInt8>, _ number: Int, by reader: inout ListTextReader)
    {
        reader.read(line, number)
        if let count = rules.add(reader.reading, list: reader.number) {
            reader.countRule(count)
            return
        }
        reader.countSkipped()
        guard reader.reading.kind == .error, let reason = reader.reading.reason else { return }
        diagnosticCount += 1
        guard diagnostics.count < Compilation.diagnosticLimit else { return }
        diagnostics.append(
            Diagnostic(
                list: Int(reader.number), line: number, column: reader.reading.column,
                reason: reason))
    }
}

/// Reads the text of one list and counts what its lines are.
struct ListTextReader: ~Copyable {
    /// Its place in the policy.
    let number: UInt16
    /// Cuts the text into lines.
    var splitter = LineSplitter()
    /// Hashes the text.
    var hash = SHA256()
    /// Octets of text.
    var textSize = 0
    /// The last line read.
    private(set) var reading = LineReading()
    private var reader: ListReader
    private var blockRules = 0
    private var allowRules = 0
    private var skipped: [LineReason: Int] = [:]
    private var rewriteRules = 0
    /// Rewrites that do not count.
    private var rewrites = 0

    /// A reader at the start of a list.
    init(_ list: ListSource, number: UInt16) {
        self.number = number
        reader = ListReader(options: list.options)
    }

    /// Reads one line into `reading`.
    mutating func read(_ line: Span<UInt8>, _ number: Int) {
        reader.read(line: line, number: number, into: &reading)
    }

    /// Counts the last line as a rule.
    mutating func countRule(_ count: PolicyRules.LineCount) {
        switch count {
        case .block: blockRules += 1
        case .allow: allowRules += 1
        case .rewrite: rewriteRules += 1
        }
    }

    /// Takes back that lines were counted as rules that block.
    mutating func uncountBlocks(_ count: Int) { blockRules -= count }

    /// Counts the last line as none; blank lines are not worth a count.
    mutating func countSkipped() {
        if reading.kind == .rewrite {
            rewrites += 1
        } else if let reason = reading.reason, reason != .blank {
            skipped[reason, default: 0] += 1
        }
    }

    /// What the list held.
    consuming func entry(for list: ListSource) -> SnapshotManifest.List {
        var kinds = skipped.map { SnapshotManifest.Skipped(kind: $0.key.key, count: $0.value) }
        if rewrites > 0 { kinds.append(.init(kind: "rewrite", count: rewrites)) }
        let lines = splitter.lineCount
        let blocks = blockRules
        let allows = allowRules
        let rewriteRules = rewriteRules
        let size = textSize
        return SnapshotManifest.List(
            name: list.name, source: list.origin, format: list.options.format.rawValue,
            isAllowList: list.options.action == .allow, scope: list.options.scope,
            allowsPublicSuffixes: list.options.allowPublicSuffixes, digest: hash.finish(),
            textSize: size, lineCount: lines, blockRules: blocks, allowRules: allows,
            rewriteRules: rewriteRules, takesRewrites: list.options.rewrites,
            skipped: kinds.sorted { $0.kind < $1.kind })
    }
}
