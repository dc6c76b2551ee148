import CLinux

/// A whole file mapped read-only and shared: its pages are the page cache's.
///
/// Invariant: the octets stay readable as long as the object lives. Files that are mapped are
/// replaced by rename, never written in place or cut: cutting one would end its readers by SIGBUS.
public final class MappedFile: Sendable {
    private let address: UInt
    /// Octets of the file.
    public let count: Int

    /// Maps the file at `path`.
    /// - Throws: `SystemError` of `open`, `fstat` or `mmap`.
    package init(path: String) throws(SystemError) {
        let file = try FileIO.open(path: path)
        let size = Int(try checked(linux_file_size(file.number), "fstat", path))
        count = size
        guard size > 0 else {
            address = 0
            return
        }
        var error: Int32 = 0
        guard let mapped = unsafe linux_map(file.number, size, &error) else {
            throw SystemError("mmap", code: error, subject: path)
        }
        address = UInt(bitPattern: mapped)
    }

    deinit {
        if count > 0, let pointer = unsafe UnsafeRawPointer(bitPattern: address) {
            unsafe linux_unmap(pointer, count)
        }
    }

    /// The octets of the file, readable as long as this object lives.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            // The mapping holds `count` octets until deinit, and the span cannot outlive `self`.
            let pointer = unsafe UnsafeRawPointer(bitPattern: address)
            let buffer = unsafe UnsafeBufferPointer(
                start: pointer?.assumingMemoryBound(to: UInt8.self), count: count)
            let span = unsafe Span(_unsafeElements: buffer)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }
}
