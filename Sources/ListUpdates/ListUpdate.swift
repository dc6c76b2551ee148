import Configuration
import Cryptography
import FilterCompiler
import FilterLists
import LinuxSystem
import Quantities

/// Fetches the lists of a configuration, compiles what changed, puts it in force, tells the daemon.
///
/// Each step leaves a state directory from which the daemon can start, whenever the process ends:
/// a text comes under its digest before its record names it, the record before snapshots are made
/// of it, and the links turn last. The next update goes on from wherever this one came to.
package struct ListUpdate: ~Copyable {
    /// What the caller decides.
    package struct Options: Sendable {
        /// How policies are compiled.
        package var compilation: ConfiguredCompilation.Options
        /// Whether texts that only look doubtful are taken.
        package var takesDoubtful: Bool
        /// The wait before a list is tried again.
        package var backOff: Duration

        /// Options as said.
        package init(
            compilation: ConfiguredCompilation.Options, takesDoubtful: Bool,
            backOff: Duration = .seconds(1)
        ) {
            self.compilation = compilation
            self.takesDoubtful = takesDoubtful
            self.backOff = backOff
        }
    }

    private let settings: Settings
    private let options: Options
    private let library: ListLibrary
    private let records: FetchRecords
    private let listGuard: ListGuard
    private let progress: ProgressHandler
    private var fetcher: ListFetcher
    private var outcomes: [ListOutcome] = []

    /// Updates the lists of `settings`.
    /// - Throws: `UpdateError` when nothing new could be put in force; what is wrong with a list
    ///   alone is in the outcome.
    package static func run(
        _ settings: Settings, _ options: Options, progress: @escaping ProgressHandler,
        forecast: @escaping ForecastHandler
    ) throws(UpdateError) -> UpdateOutcome {
        let directory = try StateDirectory(path: settings.stateDirectory)
        defer { extendLifetime(directory) }
        var update = try ListUpdate(settings, options, progress)
        try update.fetchLists()
        let compiled = try ConfiguredCompilation.run(
            settings, options.compilation, in: directory, progress: progress,
            forecast: forecast)
        return UpdateOutcome(
            lists: update.outcomes, compilation: compiled, daemon: DaemonNotice.give(settings))
    }

    private init(
        _ settings: Settings, _ options: Options, _ progress: @escaping ProgressHandler
    ) throws(UpdateError) {
        self.settings = settings
        self.options = options
        self.progress = progress
        library = ListLibrary(stateDirectory: settings.stateDirectory)
        records = FetchRecords(stateDirectory: settings.stateDirectory)
        listGuard = ListGuard(
            settings, takesDoubtful: options.takesDoubtful,
            memory: BuildMemory(bound: options.compilation.buildMemory))
        fetcher = ListFetcher(
            settings.update, upstreams: try UpstreamAddresses.of(settings),
            directory: settings.stateDirectory,
            userAgent: "sluice/\(options.compilation.version)", backOff: options.backOff)
    }

    /// Fetches every list that a policy uses, one after the other; a fault of one stops no other.
    private mutating func fetchLists() throws(UpdateError) {
        let used = Set(settings.policies.flatMap(\.lists))
        for list in settings.lists where used.contains(list.name) {
            guard let url = list.url else { continue }
            let before = records.record(of: list.name, url: url) ?? FetchRecord(url: url)
            var record = before
            // A text that was lost is fetched anew, whatever the server would say of its age.
            if let text = record.text, !library.has(text.digest) {
                record.text = nil
                record.validators = HTTPTransfer.Validators()
            }
            let state = try update(list, url, &record)
            if record != before { try records.keep(record, of: list.name) }
            outcomes.append(
                ListOutcome(
                    name: list.name, url: url, state: state,
                    text: record.text.map { ($0.rules, $0.size) },
                    rulesBefore: state == .new ? before.text?.rules : nil))
        }
        try records.sweep(keeping: Set(settings.lists.filter { $0.url != nil }.map(\.name)))
    }

    /// Updates one list; the record says afterwards what is known of it.
    private mutating func update(
        _ list: ListSettings, _ url: String, _ record: inout FetchRecord
    ) throws(UpdateError) -> ListOutcome.State {
        let find: Find
        var judgement: SHA256Digest?
        do throws(ListFault) {
            find = try look(list, url, record, &judgement)
        } catch {
            // Words may differ from time to time; a new kind of fault is worth a write.
            if record.fault?.key != error.key || record.fault?.judgement != judgement {
                record.fault = FetchRecord.Fault(
                    key: error.key, text: "\(error)", isHeldBack: error.isHeldBack,
                    time: Clock.wallSeconds(), judgement: judgement)
            }
            return .fault(error)
        }
        record.fault = nil
        switch find {
        case .sameText(let validators):
            if let validators { record.validators = validators }
            return .unchanged
        case .newText(let file, let validators, let text):
            try library.take(file.path, digest: text.digest, list: list.name)
            record.text = text
            record.validators = validators
            return .new
        }
    }

    /// What a look at a list's address found.
    private enum Find {
        /// The text in force; what the server says of it now, when it sent it again.
        case sameText(HTTPTransfer.Validators?)
        /// Another text, which may take its place.
        case newText(ScratchFile, HTTPTransfer.Validators, FetchRecord.Text)
    }

    /// Fetches and judges a text.
    /// - Parameter judgement: set when a text came to be judged.
    private mutating func look(
        _ list: ListSettings, _ url: String, _ record: FetchRecord,
        _ judgement: inout SHA256Digest?
    ) throws(ListFault) -> Find {
        let progress = progress
        // While a text is held back it is fetched anew: the tag is that of the one in force.
        let fetched = try fetcher.fetch(
            list, url: url, validators: record.text == nil ? nil : record.validators
        ) { done, total in
            progress(UpdateProgress(work: "fetching \(list.name)", done: done, total: total))
        }
        guard case .text(let file, let validators, let contentType) = fetched else {
            return .sameText(nil)
        }
        let inspection = try ListInspection(path: file.path, limit: list.sizeLimit)
        guard inspection.digest != record.text?.digest else { return .sameText(validators) }
        let rulesBefore = record.text?.rules
        judgement = listGuard.judgement(
            inspection, of: list, contentType: contentType, rulesBefore: rulesBefore,
            version: options.compilation.version)
        if let fault = record.fault, fault.judgement == judgement, !options.takesDoubtful {
            throw .again(key: fault.key, fault.text)
        }
        do { try FileIO.makeDirectories(path: records.directory) } catch {
            throw .unreadable(error)
        }
        let passed = try listGuard.judge(
            inspection, at: file.path, of: list, contentType: contentType,
            directory: records.directory, rulesBefore: rulesBefore)
        let text = FetchRecord.Text(
            digest: inspection.digest, size: inspection.size, rules: passed.rules,
            format: passed.format, time: Clock.wallSeconds())
        return .newText(file, validators, text)
    }
}
