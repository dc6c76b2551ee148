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
/// First all texts are kept, then all snapshots written, then their memory is held against the
/// limit, and only then the links are turned: a fault on the way leaves what is in force.
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

        /// Options as said.
        package init(
            configuration: String, falsePositiveRate: Double? = nil, skipsUnchanged: Bool,
            version: String
        ) {
            self.configuration = configuration
            self.falsePositiveRate = falsePositiveRate
            self.skipsUnchanged = skipsUnchanged
            self.version = version
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
    private var policies: [Work] = []

    /// One policy on its way.
    private struct Work {
        var outcome: PolicyOutcome
        let store: PolicyStore
        let inputs: SHA256Digest
        let isWritten: Bool
        let prefilterSize: ByteCount
    }

    /// Compiles what the settings say; nobody else changes the state directory meanwhile.
    package static func run(
        _ settings: Settings, _ options: Options, progress: @escaping ProgressHandler
    ) throws(UpdateError) -> ConfiguredOutcome {
        let directory = try StateDirectory(path: settings.stateDirectory)
        defer { extendLifetime(directory) }
        return try run(settings, options, in: directory, progress: progress)
    }

    /// Compiles what the settings say in a state directory that is held already.
    static func run(
        _ settings: Settings, _ options: Options, in directory: borrowing StateDirectory,
        progress: @escaping ProgressHandler
    ) throws(UpdateError) -> ConfiguredOutcome {
        var compilation = ConfiguredCompilation(settings, options, progress)
        return try compilation.run()
    }

    private init(
        _ settings: Settings, _ options: Options, _ progress: @escaping ProgressHandler
    ) {
        self.settings = settings
        self.options = options
        self.progress = progress
        library = ListLibrary(stateDirectory: settings.stateDirectory)
        records = FetchRecords(stateDirectory: settings.stateDirectory)
        prefilter = PrefilterOptions(
            falsePositiveRate: options.falsePositiveRate ?? settings.prefilterFalsePositiveRate)
    }

    private mutating func run() throws(UpdateError) -> ConfiguredOutcome {
        let used = Set(settings.policies.flatMap(\.lists))
        for list in settings.lists where used.contains(list.name) { try keep(list) }
        var unfetched: [String] = []
        for policy in settings.policies {
            if let work = try work(policy) {
                policies.append(work)
            } else {
                unfetched.append(policy.name)
            }
        }
        let memory = MemoryPlan(
            settings, prefilters: ByteCount(policies.reduce(0) { $0 + $1.prefilterSize.octets }),
            workerCount: settings.workers ?? Process.processorCount)
        guard memory.isWithinLimit else {
            for work in policies where work.isWritten {
                try work.store.discard(work.outcome.identity)
            }
            throw .aboveMemoryLimit(memory)
        }
        for work in policies { try finish(work) }
        try sweep()
        return ConfiguredOutcome(
            policies: policies.map(\.outcome), unfetched: unfetched, memory: memory,
            configuration: options.configuration)
    }

    private func finish(_ work: Work) throws(UpdateError) {
        switch work.outcome.state {
        case .published: try work.store.publish(work.outcome.identity, isNew: work.isWritten)
        case .rolledBack where work.isWritten: try work.store.discard(work.outcome.identity)
        case .kept: return
        default: break
        }
        guard options.skipsUnchanged else { return }
        try work.store.note(work.outcome.identity, compiledFrom: work.inputs)
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
            return Work(
                outcome: PolicyOutcome(
                    name: policy.name, state: .kept(missing: missing),
                    identity: current.snapshotID, file: store.path(of: current.snapshotID),
                    result: nil, inputs: [], missing: missing),
                store: store, inputs: current.snapshotID, isWritten: false,
                prefilterSize: current.size(of: .prefilter))
        }
        guard !present.isEmpty || missing.isEmpty else { return nil }
        let sources = present.compactMap(source)
        let inputs = digest(of: sources)
        if options.skipsUnchanged, let current,
            let known = store.snapshot(compiledFrom: inputs),
            known == current.snapshotID || store.rolledBack.contains(known)
        {
            return Work(
                outcome: PolicyOutcome(
                    name: policy.name,
                    state: known == current.snapshotID
                        ? .unchanged : .rolledBack(inForce: current.snapshotID),
                    identity: known, file: store.path(of: known), result: nil,
                    inputs: present.compactMap { self.inputs[$0] }, missing: missing),
                store: store, inputs: inputs, isWritten: false,
                prefilterSize: current.size(of: .prefilter))
        }
        return try compile(
            policy.name, sources, missing: missing, inputs: inputs, store: store, current: current)
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
                options.action.rawValue, "\(options.allowPublicSuffixes)",
            ]
        }
        for word in words {
            // No word has a zero in it, so the words cannot run into each other.
            let octets = Array(word.utf8) + [0]
            hash.update(octets.span)
        }
        return hash.finish()
    }

    private func compile(
        _ policy: String, _ sources: [ListSource], missing: [String], inputs: SHA256Digest,
        store: PolicyStore, current: Snapshot?
    ) throws(UpdateError) -> Work {
        let (image, result) = try build(policy, sources)
        for (list, source) in zip(result.lists, sources)
        where list.digest != kept[source.name]?.digest {
            try damaged(source.name)
        }
        let identity = result.snapshotID
        let isWritten = try store.write(image, identity: identity)
        let state: PolicyOutcome.State =
            if let current, current.snapshotID == identity {
                .unchanged
            } else if let current, store.rolledBack.contains(identity) {
                .rolledBack(inForce: current.snapshotID)
            } else {
                .published(before: current?.snapshotID)
            }
        return Work(
            outcome: PolicyOutcome(
                name: policy, state: state, identity: identity, file: store.path(of: identity),
                result: result, inputs: sources.compactMap { self.inputs[$0.name] },
                missing: missing),
            store: store, inputs: inputs, isWritten: isWritten,
            prefilterSize: result.prefilterSize)
    }

    private func build(
        _ policy: String, _ sources: [ListSource]
    ) throws(UpdateError) -> (image: [UInt8], result: CompilationResult) {
        let sizes = sources.map { kept[$0.name]?.size.octets ?? 0 }
        let total = ByteCount(sizes.reduce(0, +))
        do throws(CompilationError) {
            return try Compilation(lists: sources, prefilter: prefilter).build { state in
                let before = sizes[..<state.list].reduce(0, +)
                progress(
                    UpdateProgress(
                        work: "compiling \(policy)",
                        done: ByteCount(before + state.octetsRead.octets), total: total))
            }
        } catch {
            if case .unreadableList(let name, _) = error { try damaged(name) }
            throw .compilation(policy: policy, error)
        }
    }
}
