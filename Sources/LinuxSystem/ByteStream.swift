import CLinux

/// The octets of a file from start to end, unpacked on the way when it is compressed.
///
/// xz, gzip and zstd are told by their first octets and unpacked by the system's own tool in a
/// process beside this one, so that a hostile archive meets well-kept code in another address
/// space.
public struct ByteStream: ~Copyable {
    private let source: Int32
    private var child: Int32
    private let path: String
    private let tool: String
    /// The packed file; the tool reads by the same open file, so its place is the tool's.
    private let packed: SharedDescriptor?
    private var plainOctets = 0
    /// Octets of the file on disk.
    public let fileSize: Int

    private init(
        source: Int32, child: Int32, path: String, tool: String, fileSize: Int,
        packed: SharedDescriptor? = nil
    ) {
        self.packed = packed
        self.source = source
        self.child = child
        self.path = path
        self.tool = tool
        self.fileSize = fileSize
    }

    deinit {
        // Closed before the wait: a tool whose reader stopped early ends by the broken pipe.
        _ = linux_close(source)
        if child > 0 { _ = linux_wait(child) }
    }

    /// Opens `path`.
    /// - Throws: `SystemError` of `open`, or of starting the tool that unpacks.
    package static func open(path: String) throws(SystemError) -> ByteStream {
        let file = try FileIO.open(path: path)
        let size = Int(try checked(linux_file_size(file.number), "fstat", path))
        guard let tool = try tool(for: file) else {
            return ByteStream(
                source: file.release(), child: 0, path: path, tool: "", fileSize: size)
        }
        var child: Int32 = 0
        let number = file.number
        let output = unsafe Process.withCStrings([tool, "-dc"]) { arguments in
            unsafe linux_spawn_piped(arguments, 1, number, &child)
        }
        let source = try checked(output, "start the tool that unpacks", tool)
        return ByteStream(
            source: source, child: child, path: path, tool: tool, fileSize: size,
            packed: SharedDescriptor(file))
    }

    /// Standard input, as it is: what comes through a pipe is not unpacked.
    ///
    /// Descriptor 0 is closed at the end, so this can be asked for once.
    package static func standardInput() -> ByteStream {
        ByteStream(source: 0, child: 0, path: "standard input", tool: "", fileSize: 0)
    }

    /// Reads the next octets.
    /// - Returns: octets read; 0 at the end.
    /// - Throws: `SystemError`, also when the tool ended with a failure (a damaged archive).
    @_lifetime(buffer: copy buffer)
    public mutating func read(into buffer: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
        let number = source
        let got = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            unsafe linux_read(number, bytes.baseAddress, bytes.count)
        }
        let count = Int(try checked(got, "read", path))
        plainOctets += count
        if count == 0, child > 0 {
            let status = linux_wait(child)
            child = 0
            guard status == 0 else {
                throw SystemError("unpack by \"-dc\"", code: 74, subject: "\(tool) \(path)")
            }
        }
        return count
    }

    /// Octets of the file read so far: of a packed file, how far the tool has come.
    package var fileOctetsRead: Int {
        guard let packed else { return plainOctets }
        return max(0, Int(linux_position(packed.number)))
    }

    /// The tool for the packing that the first octets tell; `nil` for a plain file.
    private static func tool(for file: borrowing FileDescriptor) throws(SystemError) -> String? {
        var head = [UInt8](repeating: 0, count: 6)
        var span = head.mutableSpan
        let count = try file.read(into: &span)
        _ = try checked(linux_seek_start(file.number, 0), "lseek")
        let found = head[..<count]
        if found.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return "xz" }
        if found.starts(with: [0x1F, 0x8B]) { return "gzip" }
        if found.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "zstd" }
        return nil
    }
}
