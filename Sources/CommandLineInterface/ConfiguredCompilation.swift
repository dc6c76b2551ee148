import Configuration
import Cryptography
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// Compiles every policy of a configuration into the state directory.
///
/// First all texts are kept, then the names of all policies sorted and counted; now the daemon's
/// memory is known, is printed and held against the limit. Then all snapshots are written, and only
/// then named and the links turned: a fault on the way leaves what is in force, and nothing else.
struct ConfiguredCompilation {
    private let settings: Settings
    private let configuration: String
    private let library: ListLibrary
    private let prefilter: PrefilterOptions
    private var progress: ProgressLine
    private var inputs: [String: ListInput] = [:]
    private var kept: [String: ListLibrary.Kept] = [:]
    private let buildMemory: BuildMemory
    private let console: Console

    /// Compiles what the command's configuration says.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CompileReport {
        let settings = try SettingsSource.load(invocation, console: console, warns: true)
        var compilation = ConfiguredCompilation(settings, invocation, console)
        do throws(CommandError) {
            let report = try compilation.run()
            compilation.progress.end()
            return report
        } catch {
            compilation.progress.end()
            throw error
        }
    }

    private init(_ settings: Settings, _ invocation: Invocation, _ console: Console) {
        self.settings = settings
        configuration = invocation.configurationFile
        library = ListLibrary(stateDirectory: settings.stateDirectory)
        let rate = invocation.rate(.prefilterFalsePositiveRate)
        prefilter = PrefilterOptions(
            falsePositiveRate: rate ?? settings.prefilterFalsePositiveRate)
        buildMemory = BuildMemory(
            bound: invocation.buildMemory, policyCount: settings.policies.count)
        progress = ProgressLine(console: console)
        self.console = console
    }

    private mutating func run() throws(CommandError) -> CompileReport {
        let used = Set(settings.policies.flatMap(\.lists))
        for list in settings.lists where used.contains(list.name) { try keep(ListInput(list)) }
        var prepared: [PreparedCompilation] = []
        for policy in settings.policies { prepared.append(try prepare(policy)) }
        let memory = forecast(prepared)
        guard memory.isWithinLimit else { throw .aboveMemoryLimit(memory) }
        progress.end()
        console.message("serving memory: \(memory.total) of \(memory.limit) (\(memory.figures))")
        let policies = try write(prepared)
        let inForce = Set(policies.flatMap { $0.result.lists.map(\.digest) })
        if library.hasMore(than: inForce) {
            let older = PolicyStore.listDigests(stateDirectory: settings.stateDirectory)
            try library.sweep(keeping: inForce.union(older))
        }
        return CompileReport(policies: policies, memory: memory, configuration: configuration)
    }

    private func store(_ policy: String) -> PolicyStore {
        PolicyStore(policy: policy, stateDirectory: settings.stateDirectory)
    }

    private mutating func keep(_ input: ListInput) throws(CommandError) {
        inputs[input.name] = input
        var line = progress
        kept[input.name] = try library.keep(input, configuration: configuration) { size in
            line.show("looking at \(input.name)", done: size, of: nil)
        }
        progress = line
    }

    /// Reads, sorts and counts the names of a policy.
    private mutating func prepare(
        _ policy: PolicySettings
    ) throws(CommandError) -> PreparedCompilation {
        var sources: [ListSource] = []
        for name in policy.lists {
            guard let input = inputs[name], let text = kept[name] else {
                preconditionFailure("a checked configuration names lists that it has")
            }
            sources.append(
                ListSource(
                    name: name, text: .file(path: text.path),
                    origin: FileIO.absolute(path: input.path),
                    options: input.options(text.format)))
        }
        let compilation = Compilation(
            lists: sources, prefilter: prefilter, memory: buildMemory,
            scratchDirectory: settings.stateDirectory)
        var line = progress
        defer { progress = line }
        let prepared: PreparedCompilation
        do {
            try FileIO.makeDirectories(path: settings.stateDirectory)
        } catch {
            throw .stateDirectory(error)
        }
        do throws(CompilationError) {
            prepared = try compilation.prepare { line.show($0, policy: policy.name) }
        } catch {
            if case .unreadableList(let name, _) = error { try damaged(name) }
            throw .compilation(policy: policy.name, error)
        }
        for list in prepared.lists where list.digest != kept[list.name]?.digest {
            try damaged(list.name)
        }
        return prepared
    }

    /// What the daemon will hold in memory.
    private func forecast(_ prepared: [PreparedCompilation]) -> MemoryPlan {
        MemoryPlan(
            settings,
            prefilters: ByteCount(prepared.reduce(0) { $0 + $1.snapshot.prefilterSize.octets }),
            directories: ByteCount(prepared.reduce(0) { $0 + $1.snapshot.directorySize.octets }),
            workerCount: settings.workers ?? Process.processorCount)
    }

    /// Writes all snapshots, then names and publishes those that are new.
    private mutating func write(
        _ prepared: [PreparedCompilation]
    ) throws(CommandError) -> [CompileReport.Policy] {
        var line = progress
        defer { progress = line }
        var written: [(store: PolicyStore, file: PendingFile, result: CompilationResult)] = []
        for (policy, prepared) in zip(settings.policies, prepared) {
            let store = store(policy.name)
            let file = try store.newFile()
            do throws(CompilationError) {
                let result = try prepared.write(to: file) { line.show($0, policy: policy.name) }
                written.append((store, file, result))
            } catch {
                throw .compilation(policy: policy.name, error)
            }
        }
        var policies: [CompileReport.Policy] = []
        for (policy, (store, file, result)) in zip(settings.policies, written) {
            let isThere = store.holds(result.snapshotID, size: result.size)
            if !isThere { try store.keep(file, identity: result.snapshotID) }
            policies.append(
                CompileReport.Policy(
                    name: policy.name, file: store.path(of: result.snapshotID),
                    isChanged: !isThere || !store.isCurrent(result.snapshotID), result: result,
                    inputs: result.lists.compactMap { inputs[$0.name] }))
        }
        for policy in policies where policy.isChanged {
            try store(policy.name).publish(policy.result.snapshotID)
        }
        return policies
    }

    /// Removes a text that the library cannot give back.
    private func damaged(_ list: String) throws(CommandError) {
        guard let path = kept[list]?.path else { return }
        try library.remove(path)
        throw .damagedText(path: path)
    }
}
