import CLinux

/// A file that is written through the system's gzip, at its fastest level.
///
/// Packing runs in a process beside this one, on another core while there is one.
package struct GzipFile: ~Copyable {
    private let input: FileDescriptor
    private let child: Int32

    private init(input: consuming FileDescriptor, child: Int32) {
        self.input = input
        self.child = child
    }

    /// Replaces `path` whole by the packed form of what `write` writes.
    ///
    /// A tool that ends early must be an error here and not the end of this process: the caller
    /// has to have called `Process.ignoreBrokenPipes`.
    /// - Throws: `SystemError` of the file, of starting gzip or of gzip itself; what `write`
    ///   throws. The file is then as it was.
    package static func replace(
        path: String, mode: UInt32 = 0o644,
        write: (borrowing GzipFile) throws(SystemError) -> Void
    ) throws(SystemError) {
        try FileIO.replace(path: path, mode: mode) { file throws(SystemError) in
            var child: Int32 = 0
            let number = file.number
            // -n: neither name nor time, so that equal text gives equal octets.
            let input = unsafe Process.withCStrings(["gzip", "-1", "-n", "-c"]) { arguments in
                unsafe linux_spawn_piped(arguments, 0, number, &child)
            }
            let packed = GzipFile(
                input: FileDescriptor(taking: try checked(input, "start the tool", "gzip")),
                child: child)
            do throws(SystemError) {
                try write(packed)
            } catch {
                _ = packed.finish()
                throw error
            }
            let status = packed.finish()
            guard status == 0 else { throw SystemError("pack by gzip", code: 5, subject: path) }
        }
    }

    /// Packs more octets.
    package borrowing func write(_ octets: Span<UInt8>) throws(SystemError) {
        try input.writeAll(octets)
    }

    /// Closes gzip's input and waits for its end; returns its exit status.
    private consuming func finish() -> Int32 {
        let child = self.child
        GzipFile.close(input)
        return linux_wait(child)
    }

    private static func close(_ descriptor: consuming FileDescriptor) {}
}
