import CLinux

/// A file without a name: room on disk that is given back when its last user lets go, or when the
/// process ends, however it ends.
///
/// Its directory does not change, so a text that turns out to be known already leaves no trace.
package final class ScratchFile: Sendable {
    private let descriptor: FileDescriptor
    /// The directory whose file system holds it.
    package let directory: String

    /// A new, empty file in a directory.
    /// - Throws: `SystemError` of `open`, with the directory.
    package init(directory: String) throws(SystemError) {
        self.directory = directory
        descriptor = try UnnamedFile.open(directory: directory, mode: 0o600) { path in
            // A file system without unnamed files: the name goes as soon as it is there.
            _ = unsafe linux_unlink(path)
        }
    }

    /// A path that leads to it in this process.
    package var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// Appends octets.
    package func append(_ octets: Span<UInt8>) throws(SystemError) {
        do { try descriptor.writeAll(octets) } catch {
            throw SystemError("write a temporary in", code: error.code, subject: directory)
        }
    }

    /// Writes octets from `offset` on.
    package func write(_ octets: Span<UInt8>, at offset: Int) throws(SystemError) {
        do { try descriptor.writeAll(octets, at: offset) } catch {
            throw SystemError("write a temporary in", code: error.code, subject: directory)
        }
    }

    /// Reads up to `range.count` octets from `offset` on, into `range` of the buffer.
    /// - Returns: octets read; 0 at the end.
    @_lifetime(buffer: copy buffer)
    package func read(
        into buffer: inout MutableSpan<UInt8>, _ range: Range<Int>, at offset: Int
    ) throws(SystemError) -> Int {
        do { return try descriptor.read(into: &buffer, range, at: offset) } catch {
            throw SystemError("read a temporary in", code: error.code, subject: directory)
        }
    }
}

/// A new file that is filled before it gets its name: nobody sees half of it.
///
/// Where the file system can, it has no name until it is published, so that a process that is
/// killed leaves nothing behind.
package final class PendingFile {
    private let descriptor: FileDescriptor
    /// The name that it has meanwhile; `nil` while it has none.
    private var temporary: String?
    /// The directory in which it will be published.
    package let directory: String

    /// A new, empty file in a directory.
    /// - Throws: `SystemError` of `open`, with the directory.
    package init(directory: String, mode: UInt32) throws(SystemError) {
        self.directory = directory
        var name: String?
        descriptor = try UnnamedFile.open(directory: directory, mode: mode) { name = $0 }
        temporary = name
    }

    /// A path that leads to it in this process.
    package var path: String { "/proc/self/fd/\(descriptor.number)" }

    deinit {
        if let temporary { _ = unsafe linux_unlink(temporary) }
    }

    /// Writes octets from `offset` on.
    package func write(_ octets: Span<UInt8>, at offset: Int) throws(SystemError) {
        do { try descriptor.writeAll(octets, at: offset) } catch {
            throw SystemError("write a new file in", code: error.code, subject: directory)
        }
    }

    /// Reads up to `range.count` octets from `offset` on, into `range` of the buffer.
    /// - Returns: octets read; 0 at the end.
    @_lifetime(buffer: copy buffer)
    package func read(
        into buffer: inout MutableSpan<UInt8>, _ range: Range<Int>, at offset: Int
    ) throws(SystemError) -> Int {
        do { return try descriptor.read(into: &buffer, range, at: offset) } catch {
            throw SystemError("read a new file in", code: error.code, subject: directory)
        }
    }

    /// Forces the file to the disk and gives it the name `path`, replacing what was there.
    ///
    /// A reader sees the old file or the new one, also after a crash.
    package func publish(as path: String) throws(SystemError) {
        do { try descriptor.synchronize() } catch {
            throw SystemError("fsync", code: error.code, subject: path)
        }
        if temporary == nil {
            let name = "\(path).new.\(linux_process_id())"
            FaultPoint.pass()
            _ = unsafe linux_unlink(name)
            _ = try checked(unsafe linux_name_unnamed(descriptor.number, name), "link", name)
            temporary = name
        }
        if let temporary { try FileIO.rename(temporary, to: path) }
        temporary = nil
        FileIO.synchronizeDirectory(of: path)
    }
}

/// Opens files that have no name.
private enum UnnamedFile {
    /// A file in `directory` without a name; where that cannot be, one with a name of its own,
    /// which `named` is told.
    static func open(
        directory: String, mode: UInt32, named: (String) -> Void
    ) throws(SystemError) -> FileDescriptor {
        let unnamed = unsafe linux_open_unnamed(directory, mode)
        // Not supported, or a kernel that takes the call for opening the directory to write.
        guard unnamed == -SystemError.Code.notSupported || unnamed == -SystemError.Code.isDirectory
        else {
            return FileDescriptor(
                taking: try checked(unnamed, "create a file in", directory))
        }
        var chance = RandomSource()
        let path = "\(directory)/.new.\(linux_process_id()).\(String(chance.next32(), radix: 16))"
        let number = try checked(
            unsafe linux_open(path, Int32(LINUX_READ_WRITE_NEW), mode), "create", path)
        named(path)
        return FileDescriptor(taking: number)
    }
}
