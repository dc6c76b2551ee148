import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// A list that may join a policy: its text, and the snapshot of it alone.
struct CandidateList {
    /// Its text and how it is read.
    let input: ListInput
    /// How it is read, the format guessed when nobody told it.
    let options: ListOptions
    /// The snapshot of it alone; its file is gone already.
    let snapshot: Snapshot
    /// What the compiler says of it.
    let result: CompilationResult

    /// Compiles the list in `place`, a path or an address.
    ///
    /// The snapshot's file is removed as soon as it is mapped: nothing stays on the disk.
    static func compile(
        _ place: String, format: ListFormat?, scope: NameScope?, prefilter: PrefilterOptions,
        progress: (ByteCount) -> Void
    ) throws(CommandError) -> CandidateList {
        let input = ListInput(
            candidate: try path(of: place), format: format, scope: scope)
        let source: ListSource
        do throws(SystemError) {
            let options = input.options(try input.guessedFormat())
            source = ListSource(
                name: input.name, text: .file(path: input.path), origin: place, options: options)
        } catch {
            throw .system(error)
        }
        let directory = Process.environment("TMPDIR") ?? "/var/tmp"
        let file = "\(directory)/sluice-try.\(Process.id).sluice"
        do throws(CompilationError) {
            let result = try Compilation(lists: [source], prefilter: prefilter).write(to: file) {
                progress($0.octetsRead)
            }
            let snapshot = try open(file)
            return CandidateList(
                input: input, options: source.options, snapshot: snapshot, result: result)
        } catch {
            switch error {
            case .unreadableList(_, let cause), .unwritable(_, let cause): throw .system(cause)
            default: throw .compilation(policy: input.name, error)
            }
        }
    }

    /// Maps a file and removes it, whether or not it could be mapped.
    private static func open(_ file: String) throws(CompilationError) -> Snapshot {
        let snapshot = Result { () throws(SnapshotError) in try Snapshot(path: file) }
        do throws(SystemError) { try FileIO.remove(path: file) } catch {
            throw .unwritable(path: file, cause: error)
        }
        switch snapshot {
        case .success(let snapshot): return snapshot
        case .failure(let fault):
            preconditionFailure("the compiler writes what the reader takes: \(fault)")
        }
    }

    /// The file to read. Here, and only here, a list comes from elsewhere.
    private static func path(of place: String) throws(CommandError) -> String {
        guard let (scheme, rest) = parts(of: place) else { return place }
        let local = rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
        guard scheme == "file", local.hasPrefix("/"), let path = unescaped(local) else {
            throw .remoteListNotTaken(place)
        }
        return path
    }

    /// The scheme of a URL in lower case and what follows `://`; `nil` for a path.
    private static func parts(of place: String) -> (scheme: String, rest: Substring)? {
        guard let colon = place.firstIndex(of: ":"), place[colon...].hasPrefix("://"),
            !place[..<colon].contains("/")
        else { return nil }
        return (place[..<colon].lowercased(), place[colon...].dropFirst(3))
    }

    /// A path without the escapes of a URL (RFC 3986 §2.1); `nil` when one is broken.
    private static func unescaped(_ path: Substring) -> String? {
        var octets: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value > 0 else {
                return nil
            }
            octets.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
