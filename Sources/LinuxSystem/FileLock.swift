import CLinux

/// A file that one process at a time may hold (fcntl(2), record locks).
///
/// The kernel knows who holds it and lets go when that process ends, however it ends; the file
/// itself stays empty and is never written, so holding it costs the disk nothing.
package struct FileLock: ~Copyable {
    private let file: FileDescriptor

    private init(_ file: consuming FileDescriptor) { self.file = file }

    /// Who holds a lock that one asked for.
    package enum Holder: Equatable, Sendable {
        /// This process, now.
        case us
        /// The process of this number.
        case other(Int32)
    }

    /// Takes the lock of the file at `path`, which is made when there is none.
    /// - Parameter holder: set to who holds it now; without `us` the value returned locks nothing.
    /// - Throws: `SystemError` when the file cannot be opened or locked at all.
    package static func take(
        path: String, holder: inout Holder
    ) throws(SystemError) -> FileLock {
        let file = FileDescriptor(
            taking: try checked(
                unsafe linux_open(path, Int32(LINUX_READ_WRITE), 0o644), "open", path))
        let process = try checked(linux_lock(file.number), "lock", path)
        holder = process == 0 ? .us : .other(process)
        return FileLock(file)
    }
}
