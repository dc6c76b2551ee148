import CLinux

/// Whole files: read, replaced, listed.
public enum FileIO {
    /// What a path names.
    package enum Kind: Sendable {
        /// A plain file.
        case file
        /// A directory.
        case directory
        /// A Unix socket.
        case socket
        /// Something else.
        case other
    }

    /// Opens a file for reading.
    package static func open(path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(
            taking: try checked(
                unsafe linux_open(path, Int32(LINUX_READ), 0), "open", path))
    }

    /// The octets of a file.
    /// - Throws: `SystemError`; code "file too large" when there are more than `limit`.
    package static func readWhole(
        path: String, limit: Int = 64 << 20
    ) throws(SystemError) -> [UInt8] {
        let file = try open(path: path)
        var octets = [UInt8]()
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var span = chunk.mutableSpan
            let count: Int
            do { count = try file.read(into: &span) } catch {
                throw SystemError("read", code: error.code, subject: path)
            }
            if count == 0 { return octets }
            guard octets.count + count <= limit else {
                throw SystemError("read", code: SystemError.Code.tooLarge, subject: path)
            }
            octets.append(contentsOf: chunk[..<count])
        }
    }

    /// What `path` names, links followed; `nil` when there is nothing.
    package static func kind(path: String) -> Kind? {
        switch unsafe linux_file_kind(path) {
        case 0: .other
        case 1: .file
        case 2: .directory
        case 3: .socket
        default: nil
        }
    }

    /// When the file that `path` names was last written, in nanoseconds since 1970; 0 when there
    /// is none. For telling older files from newer ones.
    package static func modified(path: String) -> Int64 { max(0, unsafe linux_file_modified(path)) }

    /// Makes now the time when the file was last written.
    package static func touch(path: String) throws(SystemError) {
        FaultPoint.pass()
        _ = try checked(unsafe linux_touch(path), "utimensat", path)
    }

    /// `path` from the root; a relative one starts at the directory of this process.
    package static func absolute(path: String) -> String {
        guard !path.hasPrefix("/"), let directory = linkTarget(path: "/proc/self/cwd") else {
            return path
        }
        return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
    }

    /// Makes a directory and those above it that are missing.
    package static func makeDirectories(path: String, mode: UInt32 = 0o755) throws(SystemError) {
        guard kind(path: path) != .directory else { return }
        if let parent = parent(of: path), kind(path: parent) == nil {
            try makeDirectories(path: parent, mode: mode)
        }
        FaultPoint.pass()
        do { _ = try checked(unsafe linux_make_directory(path, mode), "mkdir", path) } catch {
            guard error.code == SystemError.Code.exists, kind(path: path) == .directory else {
                throw error
            }
        }
    }

    /// The directory part of a path; `nil` when it has none.
    package static func parent(of path: String) -> String? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == path.startIndex ? (path.utf8.count > 1 ? "/" : nil) : String(path[..<slash])
    }

    /// Replaces `path` whole: writes a temporary beside it, forces it to the disk, renames it.
    ///
    /// A reader sees the old file or the new one, also after a crash.
    package static func replace(
        path: String, with octets: Span<UInt8>, mode: UInt32 = 0o644
    ) throws(SystemError) {
        try replace(path: path, mode: mode) { file throws(SystemError) in
            try file.writeAll(octets)
        }
    }

    /// Replaces `path` whole like the other form; `write` fills the temporary piece by piece.
    package static func replace(
        path: String, mode: UInt32,
        write: (borrowing FileDescriptor) throws(SystemError) -> Void
    ) throws(SystemError) {
        let temporary = "\(path)\(temporaryMark)\(linux_process_id())"
        _ = unsafe linux_unlink(temporary)
        FaultPoint.pass()
        do throws(SystemError) {
            let file = FileDescriptor(
                taking: try checked(
                    unsafe linux_open(temporary, Int32(LINUX_WRITE_NEW), mode), "create", temporary)
            )
            try write(file)
            try file.synchronize()
            try rename(temporary, to: path)
        } catch {
            _ = unsafe linux_unlink(temporary)
            throw error
        }
        synchronizeDirectory(of: path)
    }

    /// What comes after the name of a file in that of its temporary, before this process's number.
    private static let temporaryMark = ".new."

    /// Whether a file of this name is a temporary of `replace` or `replaceLink`: one that is left
    /// over when no other process writes there.
    package static func isTemporary(name: String) -> Bool {
        guard let mark = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let digits = name[name.utf8.index(after: mark)...]
        return !digits.isEmpty && digits.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
            && name[...mark].hasSuffix(temporaryMark)
    }

    /// Renames a file within a file system, replacing what was there.
    package static func rename(_ from: String, to path: String) throws(SystemError) {
        FaultPoint.pass()
        _ = try checked(unsafe linux_rename(from, path), "rename", path)
    }

    /// Points the symbolic link `path` at `target`, replacing it whole.
    package static func replaceLink(path: String, target: String) throws(SystemError) {
        let temporary = "\(path)\(temporaryMark)\(linux_process_id())"
        _ = unsafe linux_unlink(temporary)
        FaultPoint.pass()
        _ = try checked(unsafe linux_symlink(target, temporary), "symlink", temporary)
        try rename(temporary, to: path)
        synchronizeDirectory(of: path)
    }

    /// Where the symbolic link `path` points; `nil` when it is none.
    package static func linkTarget(path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe linux_readlink(path, bytes.baseAddress, bytes.count)
        }
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<Int(count)], as: UTF8.self)
    }

    /// Removes a file; no error when there is none.
    package static func remove(path: String) throws(SystemError) {
        FaultPoint.pass()
        let result = unsafe linux_unlink(path)
        guard result != -SystemError.Code.noEntry else { return }
        _ = try checked(result, "unlink", path)
    }

    /// The names in a directory, sorted by octets.
    package static func list(directory: String) throws(SystemError) -> [String] {
        var names: [String] = []
        let result = unsafe withUnsafeMutablePointer(to: &names) { pointer in
            unsafe linux_list_directory(directory, pointer) { context, name in
                guard let context = unsafe context, let name = unsafe name else { return 0 }
                unsafe context.assumingMemoryBound(to: [String].self).pointee
                    .append(String(cString: name))
                return 1
            }
        }
        _ = try checked(result, "opendir", directory)
        return names.sorted()
    }

    /// Best effort: a rename is in force without it, it may only be lost in a power cut.
    static func synchronizeDirectory(of path: String) {
        let number = unsafe linux_open(
            parent(of: path) ?? ".", Int32(LINUX_DIRECTORY), 0)
        guard number >= 0 else { return }
        let directory = FileDescriptor(taking: number)
        _ = linux_fsync(directory.number)
    }
}
