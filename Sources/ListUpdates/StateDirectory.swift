import LinuxSystem

/// The state directory, held by this process: nobody else changes it meanwhile.
///
/// ```
/// STATE-DIRECTORY/lock                    held while it is changed; always empty
///                 fetched/LIST.json       what is known of a list with an address
///                 lists/SHA-256.gz        texts of lists
///                 policies/POLICY/…       snapshots, see PolicyStore
/// ```
struct StateDirectory: ~Copyable {
    private let lock: FileLock

    /// Takes the directory, which is made when there is none, and removes what a process that was
    /// ended on its way has left.
    /// - Throws: `.busy`, `.stateDirectory`.
    init(path: String) throws(UpdateError) {
        var holder = FileLock.Holder.us
        let taken = try Self.take(path, &holder)
        if case .other(let process) = holder {
            throw .busy(process: process, stateDirectory: path)
        }
        try Self.sweep(path)
        lock = taken
    }

    private static func take(
        _ path: String, _ holder: inout FileLock.Holder
    ) throws(UpdateError) -> FileLock {
        do throws(SystemError) {
            try FileIO.makeDirectories(path: path)
            return try FileLock.take(path: "\(path)/lock", holder: &holder)
        } catch {
            throw .stateDirectory(error)
        }
    }

    private static func sweep(_ path: String) throws(UpdateError) {
        var directories = ["\(path)/fetched", "\(path)/lists"]
        for policy in (try? FileIO.list(directory: "\(path)/policies")) ?? [] {
            directories.append("\(path)/policies/\(policy)")
        }
        for directory in directories {
            for name in (try? FileIO.list(directory: directory)) ?? []
            where FileIO.isTemporary(name: name) {
                do { try FileIO.remove(path: "\(directory)/\(name)") } catch {
                    throw .stateDirectory(error)
                }
            }
        }
    }
}
