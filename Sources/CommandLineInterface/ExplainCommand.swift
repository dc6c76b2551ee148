import Configuration
import Cryptography
import DomainNames
import Explanation
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// `sluice explain NAME [--snapshot F] [--config F] [--type T] [--client ADDR] [--json]`
enum ExplainCommand {
    /// Decides by the snapshot and prints the rules behind the decision.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let text = invocation.argumentText ?? ""
        let question = Question(
            name: try name(of: text), type: try type(of: invocation.text(.type) ?? "A"),
            occasion: Occasion(
                client: invocation.address(.client), seconds: Clock.wallSeconds()))
        let settings =
            invocation.has(.snapshot) && !invocation.has(.config)
            ? nil : try SettingsSource.load(invocation, console: console)
        let (path, policy) = try snapshotPath(invocation, settings)
        let snapshot: Snapshot
        do { snapshot = try Snapshot(path: path) } catch { throw .snapshot(error) }
        var scratch = MatchScratch()
        let verdict = snapshot.match(
            CanonicalName(question.name), type: question.type, on: question.occasion,
            into: &scratch)
        let texts = ListTextSearch(
            libraries: libraries(settings, snapshot: path), question: question)
        var line = ProgressLine(console: console)
        let results = snapshot.manifest.lists.enumerated().map { number, list in
            texts.findings(of: list, number: number) { done in
                line.show(
                    "reading \(list.name)", done: done, of: ByteCount(list.textSize))
            }
        }
        line.end()
        let report = ExplainReport(
            explanation: NameExplanation(
                question: question, verdict: verdict, findings: results.map(\.findings)),
            snapshot: snapshot, policy: policy, absences: results.map(\.absence))
        console.output(invocation.has(.json) ? report.json + "\n" : report.text)
        return report.explanation.isBlocked ? .found : .good
    }

    private static func name(of text: String) throws(CommandError) -> DomainName {
        guard !text.contains("/") else { throw .urlNotTaken(text) }
        let octets = Array(text.utf8)
        if octets.allSatisfy({ $0 < 0x80 }) {
            do { return try DomainName(text: text) } catch { throw .badName(text) }
        }
        guard let ascii = try? IDNA.ascii(of: octets.span),
            let name = try? DomainName(text: String(decoding: ascii, as: UTF8.self))
        else { throw .badName(text) }
        return name
    }

    private static func type(of text: String) throws(CommandError) -> UInt16 {
        let octets = Array(text.utf8)
        guard let type = RecordTypeText.type(of: octets.span) else { throw .unknownType(text) }
        return type
    }

    /// The snapshot to ask: the one given, else the current one of the client's policy.
    private static func snapshotPath(
        _ invocation: Invocation, _ settings: Settings?
    ) throws(CommandError) -> (path: String, policy: String?) {
        if let path = invocation.text(.snapshot) { return (path, nil) }
        guard let settings else { preconditionFailure("without a snapshot there are settings") }
        let client = invocation.address(.client)?.unmapped
        let index = client.flatMap { settings.clientTable.longestMatch($0) } ?? 0
        let policy = settings.policies[index].name
        let store = PolicyStore(policy: policy, stateDirectory: settings.stateDirectory)
        guard FileIO.kind(path: store.current) != nil else {
            throw .notCompiled(policy: policy, configuration: invocation.configurationFile)
        }
        return (store.current, policy)
    }

    /// Where kept texts may be: in the configured state directory, and in the one that a snapshot
    /// at `STATE/policies/POLICY/FILE` stands in.
    private static func libraries(_ settings: Settings?, snapshot: String) -> [ListLibrary] {
        var directories: [String] = []
        if let settings { directories.append(settings.stateDirectory) }
        let parts = FileIO.absolute(path: snapshot).split(separator: "/")
        if parts.count > 3, parts[parts.count - 3] == "policies" {
            let directory = "/" + parts.dropLast(3).joined(separator: "/")
            if !directories.contains(directory) { directories.append(directory) }
        }
        return directories.map { ListLibrary(stateDirectory: $0) }
    }
}

/// Finds the text that a snapshot's list was compiled from and reads it again.
struct ListTextSearch {
    /// Why a list's text could not be read again.
    enum Absence: Equatable {
        /// Neither kept nor at its source.
        case gone
        /// The source has another text by now.
        case changed
        /// Its format is one that this program does not know.
        case unknownFormat
    }

    /// Where kept texts may be.
    let libraries: [ListLibrary]
    /// The question whose rules are looked for.
    let question: Question

    /// What the list says of the question, or why that is not known.
    func findings(
        of list: SnapshotManifest.List, number: Int, progress: (ByteCount) -> Void
    ) -> (findings: ListFindings?, absence: Absence?) {
        guard let format = ListFormat(rawValue: list.format) else { return (nil, .unknownFormat) }
        let options = ListOptions(
            format: format, scope: list.scope, action: list.isAllowList ? .allow : .block,
            allowPublicSuffixes: list.allowsPublicSuffixes, rewrites: list.takesRewrites)
        var isChanged = false
        for path in libraries.map({ $0.path(of: list.digest) }) + [list.source] {
            guard FileIO.kind(path: path) == .file else { continue }
            var collector = RuleCollector(question: question, list: number, options: options)
            var digest: SHA256Digest?
            repeat {
                digest = try? read(path, into: &collector, progress)
            } while collector.needsAnotherPass()
            if digest == list.digest { return (collector.findings, nil) }
            isChanged = true
        }
        return (nil, isChanged ? .changed : .gone)
    }

    private func read(
        _ path: String, into collector: inout RuleCollector, _ progress: (ByteCount) -> Void
    ) throws(SystemError) -> SHA256Digest {
        var hash = SHA256()
        var size = 0
        try ListLibrary.read(path) { chunk throws(SystemError) in
            hash.update(chunk)
            collector.read(chunk)
            size += chunk.count
            progress(ByteCount(size))
        }
        return hash.finish()
    }
}
