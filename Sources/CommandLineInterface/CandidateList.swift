import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import ListUpdates
import Quantities

/// A list that may join a policy: its text, and the snapshot of it alone.
struct CandidateList {
    /// Where it came from, for people: a path or an address.
    let place: String
    /// Its text and how it is read.
    let input: ListInput
    /// How it is read, the format guessed when nobody told it.
    let options: ListOptions
    /// The snapshot of it alone.
    let snapshot: Snapshot
    /// What the compiler says of it.
    let result: CompilationResult

    /// The text of it; gone with this value when it was fetched.
    private let text: CandidateText

    /// Compiles a list.
    ///
    /// The snapshot goes into a file without a name, so nothing stays on the disk, however this
    /// process ends.
    /// As in a configuration the rewrites of a list that was fetched do not count.
    /// - Parameters:
    ///   - place: where the text came from, for people.
    ///   - directory: whose file system holds the snapshot.
    static func compile(
        _ text: CandidateText, from place: String, format: ListFormat?, scope: NameScope?,
        prefilter: PrefilterOptions, directory: String, progress: (CompilationProgress) -> Void
    ) throws(CommandError) -> CandidateList {
        let file = place.split(separator: "/").last.map(String.init) ?? "list"
        let input = ListInput(
            name: file.split(separator: ".").first.map(String.init) ?? file, path: text.path,
            format: format, scope: scope, action: .block,
            rewrites: !text.isFetched)
        let options: ListOptions
        do { options = input.options(try input.guessedFormat()) } catch { throw .system(error) }
        let source = ListSource(
            name: input.name, text: .file(path: input.path), origin: place, options: options)
        let trial: PendingFile
        do throws(SystemError) {
            trial = try PendingFile(directory: directory, mode: Compilation.fileMode)
        } catch {
            throw .system(error)
        }
        let result: CompilationResult
        do throws(CompilationError) {
            let compilation = Compilation(
                lists: [source], prefilter: prefilter,
                memory: BuildMemory(bound: BuildMemory.standard), scratchDirectory: directory)
            result = try compilation.prepare(progress: progress).write(
                to: trial, progress: progress)
        } catch {
            if case .unreadableList(_, let cause) = error { throw .system(cause) }
            throw .compilation(error)
        }
        // Once mapped, the octets stay without the file.
        defer { extendLifetime(trial) }
        return CandidateList(
            place: place, input: input, options: options,
            snapshot: try TryCommand.open(trial.path), result: result, text: text)
    }
}
