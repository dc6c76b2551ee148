import Cryptography
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// Reads lists one after the other and gathers their rules, counts and diagnostics.
struct ListIntake {
    /// The rules of all lists read.
    var rules: PolicyRules
    /// What each list held.
    private(set) var lists: [SnapshotManifest.List] = []
    /// The first wrong lines.
    private(set) var diagnostics: [Diagnostic] = []
    /// All wrong lines.
    private(set) var diagnosticCount = 0

    private static let chunkSize = 64 << 10

    /// Nothing read.
    /// - Parameters: see `PolicyRules`.
    init(memory: BuildMemory, scratchDirectory: String) {
        rules = PolicyRules(memory: memory, scratchDirectory: scratchDirectory)
    }

    /// Reads one list to its end.
    /// - Parameter progress: octets of the file so far, and in all.
    /// - Throws: `.unreadableList`, `.scratch`, `.tooManyRulesInMemory`.
    mutating func read(
        _ list: ListSource, number: UInt16, progress: (Int, Int) -> Void
    ) throws(CompilationError) {
        rules.beginList(
            number, format: list.options.format, action: list.options.action,
            rewrites: list.options.rewrites)
        var reader = ListTextReader(list, number: number)
        switch list.text {
        case .octets(let octets):
            for start in stride(from: 0, to: octets.count, by: ListIntake.chunkSize) {
                let end = min(start + ListIntake.chunkSize, octets.count)
                take(octets.span.extracting(start..<end), by: &reader)
                try rules.spillWhenFull(listName: list.name)
            }
            progress(octets.count, octets.count)
        case .file(let path):
            try read(path, of: list, by: &reader, progress: progress)
        }
        finish(&reader)
        rules.endList()
        lists.append(reader.entry(for: list))
    }

    private mutating func read(
        _ path: String, of list: ListSource, by reader: inout ListTextReader,
        progress: (Int, Int) -> Void
    ) throws(CompilationError) {
        var stream: ByteStream
        do { stream = try ByteStream.open(path: path) } catch {
            throw .unreadableList(name: list.name, cause: error)
        }
        var chunk = [UInt8](repeating: 0, count: ListIntake.chunkSize)
        while true {
            let count: Int
            do {
                var buffer = chunk.mutableSpan
                count = try stream.read(into: &buffer)
            } catch {
                throw .unreadableList(name: list.name, cause: error)
            }
            if count == 0 { return }
            take(chunk.span.extracting(0..<count), by: &reader)
            try rules.spillWhenFull(listName: list.name)
            progress(stream.fileOctetsRead, stream.fileSize)
        }
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
        if let count = rules.add(reader.reading, list: reader.number, line: number) {
            reader.countRule(count)
            return
        }
        reader.countSkipped()
        guard reader.reading.kind == .error, let reason = reader.reading.reason else { return }
        report(
            Diagnostic(
                list: Int(reader.number), line: number, column: reader.reading.column,
                reason: reason))
    }

    private mutating func report(_ diagnostic: Diagnostic) {
        diagnosticCount += 1
        guard diagnostics.count < Compilation.diagnosticLimit else { return }
        diagnostics.append(diagnostic)
    }

    /// Makes the automata of all patterns, and counts rules that found no place there as lines
    /// without a rule.
    /// - Throws: `.scratch`, `.tooMuchText`.
    mutating func settlePatterns() throws(CompilationError) {
        // The tables give their memory back first.
        try rules.finishRuns()
        for refusal in try rules.settlePatterns() {
            let list = Int(refusal.list)
            if refusal.isWholeLine {
                lists[list].leaveOut(isAllow: refusal.isAllow, kind: refusal.reason.key)
            }
            report(
                Diagnostic(list: list, line: refusal.line, column: 0, reason: refusal.reason))
        }
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

extension SnapshotManifest.List {
    /// Counts a line, so far a rule, as one that made none.
    fileprivate mutating func leaveOut(isAllow: Bool, kind: String) {
        if isAllow { allowRules -= 1 } else { blockRules -= 1 }
        let index = skipped.firstIndex { $0.kind >= kind } ?? skipped.count
        if index < skipped.count, skipped[index].kind == kind {
            skipped[index] = .init(kind: kind, count: skipped[index].count + 1)
        } else {
            skipped.insert(.init(kind: kind, count: 1), at: index)
        }
    }
}
