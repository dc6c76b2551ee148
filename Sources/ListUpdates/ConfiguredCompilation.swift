import Configuration
import Cryptography
import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// Compiles every policy of a configuration into the state directory.
///
/// First all texts are kept, then the names of all policies sorted and counted; now the daemon's
/// memory is known and held against the limit. Then all snapshots are written, and only then named
/// and the links turned: a fault on the way leaves what is in force, and nothing else.
package struct ConfiguredCompilation {
    /// What the caller decides.
    package struct Options: Sendable {
        /// The configuration's file, for messages.
        package var configuration: String
        /// The prefilter's rate of false positives, when the settings' is not wanted.
        package var falsePositiveRate: Double?
        /// Whether a policy is not compiled when its inputs are those of the last time.
        package var skipsUnchanged: Bool
        /// The version of this program: another one may read lists in another way.
        package var version: String
        /// The memory that compiling may take.
        package var buildMemory: ByteCount

        /// Options as said.
        package init(
            configuration: String, falsePositiveRate: Double? = nil, skipsUnchanged: Bool,
            version: String, buildMemory: ByteCount = BuildMemory.standard
        ) {
            self.configuration = configuration
            self.falsePositiveRate = falsePositiveRate
            self.skipsUnchanged = skipsUnchanged
            self.version = version
            self.buildMemory = buildMemory
        }
    }

    private let settings: Settings
    private let options: Options
    private let library: ListLibrary
    private let records: FetchRecords
    private let prefilter: PrefilterOptions
    private let progress: ProgressHandler
    private var inputs: [String: ListInput] = [:]
    private var kept: [String: ListLibrary.Kept] = [:]
    private let forecast: ForecastHandler

    /// One policy on its way.
    private enum Work {
        /// Nothing is to be compiled.
        case settled(PolicyOutcome, prefilter: ByteCount, directories: ByteCount)
        /// Its names are sorted and counted; the snapshot is to be written.
        case prepared(PreparedCompilation, Plan)
    }

    /// What is known of a policy before its snapshot is written.
    private struct Plan {
        let policy: String
        let store: PolicyStore
        let inputs: SHA256Digest
        let lists: [ListInput]
        let missing: [String]
        let current: SHA256Digest?
    }

    /// Compiles what the settings say; nobody else changes the state directory meanwhile.
    /// - Parameter forecast: told what the daemon will need before anything is written.
    package static func run(
        _ settings: Settings, _ options: Options, progress: @escaping ProgressHandler,
        forecast: @escaping ForecastHandler
    ) throws(UpdateError) -> ConfiguredOutcome {
        let directory = try StateDirectory(path: settings.stateDirectory)
        defer { extendLifetime(directory) }
        return try run(settings, options, in: directory, progress: progress, forecast: forecast)
    }

    /// Compiles what the settings say in a state directory that is held already.
    static func run(
        _ settings: Settings, _ options: Options, in directory: borrowing StateDirectory,
        progress: @escaping ProgressHandler, forecast: @escaping ForecastHandler
    ) throws(UpdateError) -> ConfiguredOutcome {
        var compilation = ConfiguredCompilation(settings, options, progress, forecast)
        return try compilation.run()
    }

    private init(
        _ settings: Settings, _ options: Options, _ progress: @escaping ProgressHandler,
        _ forecast: @escaping ForecastHandler
    ) {
        self.settings = settings
        self.options = options
        self.progress = progress
        self.forecast = forecast
        library = ListLibrary(stateDirectory: settings.stateDirectory)
        records = FetchRecords(stateDirectory: settings.stateDirectory)
        prefilter = PrefilterOptions(
            falsePositiveRate: options.falsePositiveRate ?? settings.prefilterFalsePositiveRate)
    }

    private mutating func run() throws(UpdateError) -> ConfiguredOutcome {
        let used = Set(settings.policies.flatMap(\.lists))
        for list in settings.lists where used.contains(list.name) { try keep(list) }
        var works: [Work] = []
        var unfetched: [String] = []
        for policy in settings.policies {
            if let work = try work(policy) {
                works.append(work)
            } else {
                unfetched.append(policy.name)
            }
        }
        let memory = memory(of: works)
        guard memory.isWithinLimit else { throw .aboveMemoryLimit(memory) }
        let isWriting = works.contains { if case .prepared = $0 { true } else { false } }
        if isWriting { forecast(memory) }
        let policies = try write(works)
        try sweep()
        return ConfiguredOutcome(
            policies: policies, unfetched: unfetched, memory: memory,
            configuration: options.configuration)
    }

    /// What the daemon will need.
    private func memory(of works: [Work]) -> MemoryPlan {
        var prefilters = 0
        var directories = 0
        for work in works {
            switch work {
            case .settled(_, let prefilter, let directory):
                prefilters += prefilter.octets
                directories += directory.octets
            case .prepared(let prepared, _):
                prefilters += prepared.snapshot.prefilterSize.octets
                directories += prepared.snapshot.directorySize.octets
            }
        }
        return MemoryPlan(
            settings, prefilters: ByteCount(prefilters), directories: ByteCount(directories),
            workerCount: settings.workers ?? Process.processorCount)
    }

    /// Writes all snapshots; then names those that are new, and turns the links.
    private func write(_ works: [Work]) throws(UpdateError) -> [PolicyOutcome] {
        var files: [(file: PendingFile, result: CompilationResult)?] = []
        for work in works {
            guard case .prepared(let prepared, let plan) = work else {
                files.append(nil)
                continue
            }
            let file = try plan.store.newFile()
            do throws(CompilationError) {
                let result = try prepared.write(to: file) { show($0, plan.policy) }
                files.append((file, result))
            } catch {
                throw .compilation(policy: plan.policy, error)
            }
        }
        var outcomes: [PolicyOutcome] = []
        var isNew: [Bool] = []
        for (work, file) in zip(works, files) {
            switch work {
            case .settled(let outcome, _, _):
                outcomes.append(outcome)
                isNew.append(false)
            case .prepared(_, let plan):
                guard let file else { preconditionFailure("what was prepared was written") }
                outcomes.append(outcome(of: plan, file.result))
                let isThere = plan.store.holds(file.result.snapshotID, size: file.result.size)
                isNew.append(!isThere)
                if !isThere, !outcomes[outcomes.count - 1].isRolledBack {
                    try plan.store.keep(file.file, identity: file.result.snapshotID)
                }
            }
        }
        for (index, work) in works.enumerated() {
            guard case .prepared(_, let plan) = work else { continue }
            let identity = outcomes[index].identity
            if case .published = outcomes[index].state {
                try plan.store.publish(identity, isNew: isNew[index])
            }
            if options.skipsUnchanged {
                try plan.store.note(identity, compiledFrom: plan.inputs)
            }
        }
        return outcomes
    }

    private func outcome(of plan: Plan, _ result: CompilationResult) -> PolicyOutcome {
        let identity = result.snapshotID
        let state: PolicyOutcome.State =
            if let current = plan.current, current == identity {
                .unchanged
            } else if let current = plan.current, plan.store.rolledBack.contains(identity) {
                .rolledBack(inForce: current)
            } else {
                .published(before: plan.current)
            }
        return PolicyOutcome(
            name: plan.policy, state: state, identity: identity,
            file: plan.store.path(of: identity), result: result, inputs: plan.lists,
            missing: plan.missing)
    }

    private func show(_ step: CompilationProgress, _ policy: String) {
        progress(
            UpdateProgress(
                work: "\(step.work) for policy \(policy)", done: ByteCount(step.done),
                total: ByteCount(step.total)))
    }

    private func sweep() throws(UpdateError) {
        let inForce = Set(kept.values.map(\.digest)).union(records.digests)
        if library.hasMore(than: inForce) {
            let older = PolicyStore.listDigests(stateDirectory: settings.stateDirectory)
            try library.sweep(keeping: inForce.union(older))
        }
    }

    // MARK: Texts

    private mutating func keep(_ list: ListSettings) throws(UpdateError) {
        let input = ListInput(list)
        inputs[list.name] = input
        if let url = list.url {
            guard let text = records.record(of: list.name, url: url)?.text,
                library.has(text.digest)
            else { return }
            kept[list.name] = ListLibrary.Kept(
                digest: text.digest, size: text.size, format: input.format ?? text.format,
                path: library.path(of: text.digest))
            return
        }
        let progress = progress
        kept[list.name] = try library.keep(input, configuration: options.configuration) { size in
            progress(UpdateProgress(work: "looking at \(list.name)", done: size, total: nil))
        }
    }

    /// Removes a text that the library cannot give back.
    private func damaged(_ list: String) throws(UpdateError) {
        guard let path = kept[list]?.path else { return }
        try library.remove(path)
        throw .damagedText(path: path)
    }

    // MARK: Policies

    /// What becomes of a policy; `nil` when there is no text at all to compile.
    private func work(_ policy: PolicySettings) throws(UpdateError) -> Work? {
        let store = PolicyStore(policy: policy.name, stateDirectory: settings.stateDirectory)
        let present = policy.lists.filter { kept[$0] != nil }
        let missing = policy.lists.filter { kept[$0] == nil }
        let current = try? Snapshot(path: store.current)
        if let current, isLosing(missing, current) {
            return settled(
                current,
                PolicyOutcome(
                    name: policy.name, state: .kept(missing: missing),
                    identity: current.snapshotID, file: store.path(of: current.snapshotID),
                    result: nil, inputs: [], missing: missing))
        }
        guard !present.isEmpty || missing.isEmpty else { return nil }
        let sources = present.compactMap(source)
        let inputs = digest(of: sources)
        if options.skipsUnchanged, let current,
            let known = store.snapshot(compiledFrom: inputs),
            known == current.snapshotID || store.rolledBack.contains(known)
        {
            return settled(
                current,
                PolicyOutcome(
                    name: policy.name,
                    state: known == current.snapshotID
                        ? .unchanged : .rolledBack(inForce: current.snapshotID),
                    identity: known, file: store.path(of: known), result: nil,
                    inputs: present.compactMap { self.inputs[$0] }, missing: missing))
        }
        let plan = Plan(
            policy: policy.name, store: store, inputs: inputs,
            lists: sources.compactMap { self.inputs[$0.name] }, missing: missing,
            current: current?.snapshotID)
        return .prepared(try prepare(sources, policy: policy.name), plan)
    }

    private func settled(_ current: Snapshot, _ outcome: PolicyOutcome) -> Work {
        .settled(
            outcome, prefilter: current.size(of: .prefilter),
            directories: current.directorySize)
    }

    /// Whether compiling without these lists would take away what is in force of them.
    private func isLosing(_ missing: [String], _ current: Snapshot) -> Bool {
        current.manifest.lists.contains { list in
            missing.contains(list.name) && inputs[list.name]?.path == list.source
        }
    }

    private func source(_ list: String) -> ListSource? {
        guard let input = inputs[list], let text = kept[list] else { return nil }
        // An address is its own origin.
        let isFile = settings.lists.contains { $0.name == list && $0.file != nil }
        return ListSource(
            name: list, text: .file(path: text.path),
            origin: isFile ? FileIO.absolute(path: input.path) : input.path,
            options: input.options(text.format))
    }

    /// The digest of all that a snapshot follows from: the texts, how they are read, the
    /// prefilter, and the program.
    private func digest(of sources: [ListSource]) -> SHA256Digest {
        var hash = SHA256()
        var words = [
            options.version, "\(SnapshotLayout.version)", "\(prefilter.falsePositiveRate)",
        ]
        for source in sources {
            let options = source.options
            words += [
                source.name, source.origin, "\(kept[source.name].map { "\($0.digest)" } ?? "")",
                options.format.rawValue, "\(options.scope.map { "\($0)" } ?? "")",
                options.action.rawValue, "\(options.allowPublicSuffixes)", "\(options.rewrites)",
            ]
        }
        for word in words {
            // No word has a zero in it, so the words cannot run into each other.
            let octets = Array(word.utf8) + [0]
            hash.update(octets.span)
        }
        return hash.finish()
    }

    /// Reads, sorts and counts the names of a policy.
    private func prepare(
        _ sources: [ListSource], policy: String
    ) throws(UpdateError) -> PreparedCompilation {
        let compilation = Compilation(
            lists: sources, prefilter: prefilter,
            memory: BuildMemory(
                bound: options.buildMemory, policyCount: settings.policies.count),
            scratchDirectory: settings.stateDirectory)
        let prepared: PreparedCompilation
        do throws(CompilationError) {
            prepared = try compilation.prepare { show($0, policy) }
        } catch {
            if case .unreadableList(let name, _) = error { try damaged(name) }
            throw .compilation(policy: policy, error)
        }
        for list in prepared.lists where list.digest != kept[list.name]?.digest {
            try damaged(list.name)
        }
        return prepared
    }
}
