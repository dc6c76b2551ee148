import CLinux

/// A file without a name: room on disk that is given back when its last user lets go, or when the
/// process ends.
///
/// Its directory does not change, so a text that turns out to be known already leaves no trace.
package final class UnnamedFile: Sendable {
    private let file: FileDescriptor

    /// An empty file on the file system of `directory`.
    package init(in directory: String) throws(SystemError) {
        file = FileDescriptor(
            taking: try checked(unsafe linux_open_unnamed(directory), "open", directory))
    }

    /// A path that leads to it in this process.
    package var path: String { "/proc/self/fd/\(file.number)" }

    /// Appends octets.
    package func write(_ octets: Span<UInt8>) throws(SystemError) {
        try file.writeAll(octets)
    }
}
