import Configuration
import Cryptography
import DomainNames
import Explanation
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import ListUpdates
import Quantities

/// `sluice explain NAME [--snapshot F] [--config F] [--type T] [--client ADDR] [--no-resolve]
/// [--json]`
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
        let decision = Decision(question, snapshot)
        var aliases = AliasFollower.Outcome.notAsked
        if let settings, decision.isForwarded, !invocation.has(.noResolve) {
            aliases = AliasFollower.follow(question, settings, snapshot: snapshot)
        }
        let alias = aliases.chain?.blockedTarget.map {
            Decision(
                target: Question(name: $0.name, type: question.type, occasion: question.occasion),
                $0.verdict)
        }
        let libraries = libraries(settings, snapshot: path)
        let sources = snapshot.manifest.lists.map { RuleSource($0, libraries: libraries) }
        // Of a name that an alias blocks neither its neighbours nor the names below it matter.
        let isBlockedByAlias = aliases.chain?.isBlocking ?? false
        var search = ListTextSearch(
            [decision.subject(snapshot, isAround: !isBlockedByAlias)]
                + (alias.map { [$0.subject(snapshot, isAround: isBlockedByAlias)] } ?? []))
        var line = ProgressLine(console: console)
        for source in sources {
            search.read(source) {
                line.show("reading \(source.name)", done: $0, of: source.size)
            }
        }
        line.end()
        let report = ExplainReport(
            explanation: decision.explanation(search.subjects[0]),
            alias: alias?.explanation(search.subjects[1]), aliases: aliases, snapshot: snapshot,
            policy: policy, sources: sources, absences: search.absences,
            ownRules: try ownRules(on: question, policy: policy, settings))
        console.output(invocation.has(.json) ? report.json + "\n" : report.text)
        return report.isBlocked ? .found : .good
    }

    /// The own rules that the daemon asks before the snapshot of a policy.
    private static func ownRules(
        on question: Question, policy: String?, _ settings: Settings?
    ) throws(CommandError) -> [(line: Int, rule: OwnRule)] {
        guard let settings, let policy else { return [] }
        return try OwnRulesStore(settings).read().matching(
            question.name, policy: policy, at: question.occasion.seconds)
    }

    private static func name(of text: String) throws(CommandError) -> DomainName {
        guard !text.contains("/") else { throw .urlNotTaken(text) }
        return try NameArgument.name(of: text)
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

extension ExplainCommand {
    /// What the snapshot says of a question.
    fileprivate struct Decision {
        let question: Question
        let verdict: Verdict
        let exemption: Exemption?

        /// The decision on the name that a client asks for.
        init(_ question: Question, _ snapshot: Snapshot) {
            self.question = question
            var scratch = MatchScratch()
            verdict = snapshot.match(
                CanonicalName(question.name), type: question.type, on: question.occasion,
                into: &scratch)
            switch verdict {
            case .blocked, .rewritten: exemption = Exemption(question, in: snapshot)
            case .none, .allowed: exemption = nil
            }
        }

        /// The decision on a name that an answer leads to: nothing exempts that by itself.
        init(target: Question, _ verdict: Verdict) {
            question = target
            self.verdict = verdict
            exemption = nil
        }

        var isBlocked: Bool {
            if case .blocked = verdict { return exemption == nil }
            return false
        }

        /// Whether an upstream is asked for the name.
        var isForwarded: Bool {
            switch verdict {
            case .none, .allowed: true
            case .blocked, .rewritten: exemption != nil
            }
        }

        /// What is looked for in the lists; `isAround` says whether around the name as well.
        func subject(_ snapshot: Snapshot, isAround: Bool) -> ListTextSearch.Subject {
            let around: Surroundings =
                isBlocked
                ? .below(
                    NamesBelow(
                        snapshot: snapshot, type: question.type, occasion: question.occasion))
                : .nearest
            // What is rewritten stays so, whatever blocks the names around it.
            let isRewritten = !isBlocked && !isForwarded
            return ListTextSearch.Subject(
                question, isAround && !isRewritten ? around : .ignored)
        }

        func explanation(_ found: ListTextSearch.Subject) -> NameExplanation {
            NameExplanation(
                question: question, verdict: verdict, exemption: exemption,
                findings: found.findings, below: found.below)
        }
    }
}
