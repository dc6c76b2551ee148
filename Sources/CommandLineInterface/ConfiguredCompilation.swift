import Configuration
import Cryptography
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// Compiles every policy of a configuration into the state directory.
///
/// First all texts are kept, then all snapshots written, then their memory is held against the
/// limit, and only then the links are turned: a fault on the way leaves what is in force.
struct ConfiguredCompilation {
    private let settings: Settings
    private let configuration: String
    private let library: ListLibrary
    private let prefilter: PrefilterOptions
    private var progress: ProgressLine
    private var inputs: [String: ListInput] = [:]
    private var kept: [String: ListLibrary.Kept] = [:]
    private var policies: [CompileReport.Policy] = []
    private var written: [(store: PolicyStore, identity: SHA256Digest)] = []

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
        progress = ProgressLine(console: console)
    }

    private mutating func run() throws(CommandError) -> CompileReport {
        let used = Set(settings.policies.flatMap(\.lists))
        for list in settings.lists where used.contains(list.name) { try keep(ListInput(list)) }
        for policy in settings.policies { try compile(policy) }
        let sizes = policies.map(\.result.prefilterSize.octets)
        let memory = MemoryPlan(
            settings, prefilters: ByteCount(sizes.reduce(0, +)),
            directories: ByteCount(policies.reduce(0) { $0 + $1.result.directorySize.octets }),
            workerCount: settings.workers ?? Process.processorCount)
        guard memory.isWithinLimit else {
            for snapshot in written { try snapshot.store.discard(snapshot.identity) }
            throw .aboveMemoryLimit(memory)
        }
        for policy in policies where policy.isChanged {
            try store(policy.name).publish(policy.result.snapshotID)
        }
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

    private mutating func compile(_ policy: PolicySettings) throws(CommandError) {
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
        let (image, result) = try build(policy, sources)
        for (list, name) in zip(result.lists, policy.lists) where list.digest != kept[name]?.digest
        {
            try damaged(name)
        }
        let store = store(policy.name)
        let isCurrent = store.isCurrent(result.snapshotID)
        let isWritten = try store.write(image, identity: result.snapshotID)
        if isWritten { written.append((store, result.snapshotID)) }
        policies.append(
            CompileReport.Policy(
                name: policy.name, file: store.path(of: result.snapshotID),
                isChanged: isWritten || !isCurrent, result: result,
                inputs: policy.lists.compactMap { inputs[$0] }))
    }

    private mutating func build(
        _ policy: PolicySettings, _ sources: [ListSource]
    ) throws(CommandError) -> (image: [UInt8], result: CompilationResult) {
        let sizes = policy.lists.map { kept[$0]?.size.octets ?? 0 }
        let total = ByteCount(sizes.reduce(0, +))
        var line = progress
        defer { progress = line }
        do throws(CompilationError) {
            return try Compilation(lists: sources, prefilter: prefilter).build { state in
                let before = sizes[..<state.list].reduce(0, +)
                line.show(
                    "compiling \(policy.name)", done: ByteCount(before + state.octetsRead.octets),
                    of: total)
            }
        } catch {
            if case .unreadableList(let name, _) = error { try damaged(name) }
            throw .compilation(policy: policy.name, error)
        }
    }

    /// Removes a text that the library cannot give back.
    private func damaged(_ list: String) throws(CommandError) {
        guard let path = kept[list]?.path else { return }
        try library.remove(path)
        throw .damagedText(path: path)
    }
}
