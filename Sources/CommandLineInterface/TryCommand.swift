import Configuration
import Cryptography
import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import ListImpact
import ListUpdates
import Quantities

/// `sluice try LIST [--history FILE] [--sites FILE] [--format FORMAT] [--scope SCOPE]
/// [--config F | --snapshot F] [--policy P] [--json]`
enum TryCommand {
    /// Compiles the list alone, asks it and the policy together, and prints what would change.
    /// Nothing of the policy is touched.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        let settings =
            invocation.has(.snapshot)
            ? nil : try SettingsSource.load(invocation, console: console)
        let (policy, current) = try currentSnapshot(invocation, settings)
        let line = ProgressDisplay(console: console)
        defer { line.end() }
        let candidate = try candidate(invocation, settings, line)
        var decision = JointDecision(current: current, candidate: candidate.snapshot)
        var sites: (file: String, sample: SiteSample)?
        if let file = invocation.text(.sites) ?? SitesFile.installed() {
            var sample = SiteSample()
            try read(file, "asking for sites", line) { sample.read($0, &decision) }
            sites = (file, sample)
        }
        var history: (file: String, queries: QueryHistory)?
        if let file = invocation.text(.history) {
            var queries = QueryHistory()
            try read(file, "asking for queries", line) { queries.read($0, &decision) }
            history = (file, queries)
        }
        let names =
            (sites?.sample.newlyBlocked.map(\.name) ?? [])
            + (history?.queries.top.map(\.name) ?? [])
        let walk = try walk(candidate, decision, names: names, line)
        line.end()
        let report = TryReport(
            candidate: candidate, policy: policy, current: current, sites: sites,
            history: history, tally: walk.tally, lines: walk.lines,
            cost: try TryCost(candidate, walk.tally, settings))
        for message in report.warnings { console.message(message) }
        console.output(invocation.has(.json) ? report.json + "\n" : report.text)
        return (sites?.sample.newlyBlockedCount ?? 0) > 0 ? .found : .good
    }

    /// The policy that the list may join, and its snapshot; `nil` when it was never compiled.
    private static func currentSnapshot(
        _ invocation: Invocation, _ settings: Settings?
    ) throws(CommandError) -> (policy: String?, snapshot: Snapshot?) {
        guard let settings else {
            return (nil, try open(invocation.text(.snapshot) ?? ""))
        }
        let policy = invocation.text(.policy) ?? Settings.defaultPolicy
        guard settings.policies.contains(where: { $0.name == policy }) else {
            throw .update(.unknownPolicy(policy, known: settings.policies.map(\.name)))
        }
        let store = PolicyStore(policy: policy, stateDirectory: settings.stateDirectory)
        guard FileIO.kind(path: store.current) != nil else { return (policy, nil) }
        return (policy, try open(store.current))
    }

    /// Gets the text of the list and compiles it by itself.
    private static func candidate(
        _ invocation: Invocation, _ settings: Settings?, _ line: ProgressDisplay
    ) throws(CommandError) -> CandidateList {
        let place = invocation.argumentText ?? ""
        let directory = Process.environment("TMPDIR") ?? "/var/tmp"
        let upstreams: [NetworkAddress]
        do { upstreams = try UpstreamAddresses.of(settings ?? Settings()) } catch {
            throw .update(error)
        }
        let text: CandidateText
        do throws(ListFault) {
            text = try CandidateText.get(
                place, settings?.update ?? UpdateSettings(), upstreams: upstreams,
                directory: directory, version: ProgramVersion.text
            ) { line.show("fetching", done: $0, of: $1) }
        } catch {
            throw .unfetched(place, error)
        }
        let rate = settings?.prefilterFalsePositiveRate ?? PrefilterOptions().falsePositiveRate
        return try CandidateList.compile(
            text, from: place,
            format: invocation.text(.format).flatMap { ListFormat(rawValue: $0) },
            scope: invocation.text(.scope).flatMap { NameScope(word: $0) },
            prefilter: PrefilterOptions(falsePositiveRate: rate), directory: directory
        ) { line.show($0) }
    }

    /// Maps a snapshot.
    static func open(_ path: String) throws(CommandError) -> Snapshot {
        do { return try Snapshot(path: path) } catch { throw .snapshot(error) }
    }

    /// Hands on the lines of a file, unpacked, one by one.
    private static func read(
        _ file: String, _ what: String, _ line: ProgressDisplay,
        _ body: (Span<UInt8>) -> Void
    ) throws(CommandError) {
        var splitter = LineSplitter()
        var size = 0
        do throws(SystemError) {
            try ListLibrary.read(file) { chunk throws(SystemError) in
                splitter.split(chunk) { text, _ in body(text) }
                size += chunk.count
                line.show(what, done: ByteCount(size), of: nil)
            }
        } catch {
            throw .system(error)
        }
        splitter.finish { text, _ in body(text) }
    }

    /// Reads the candidate's text once more, name by name.
    private static func walk(
        _ candidate: CandidateList, _ decision: JointDecision, names: [DomainName],
        _ line: ProgressDisplay
    ) throws(CommandError) -> CandidateWalk {
        var walk = CandidateWalk(decision, options: candidate.options, names: names)
        var hash = SHA256()
        var size = 0
        let list = candidate.snapshot.manifest.lists[0]
        do throws(SystemError) {
            try ListLibrary.read(candidate.input.path) { chunk throws(SystemError) in
                hash.update(chunk)
                walk.read(chunk)
                size += chunk.count
                line.show("comparing", done: ByteCount(size), of: ByteCount(list.textSize))
            }
        } catch {
            throw .system(error)
        }
        walk.finish()
        guard hash.finish() == list.digest else {
            throw .update(.listChanged(name: candidate.input.name, path: candidate.place))
        }
        return walk
    }
}
