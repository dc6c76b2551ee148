import CLinux

/// An open file, socket or queue; closed when the value ends.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by.
    package let number: Int32

    /// Takes over an open descriptor.
    package init(taking number: Int32) { self.number = number }

    deinit {
        // Nothing sensible is left to do when close fails: the number is gone either way.
        _ = linux_close(number)
    }

    /// Gives the number away; the caller closes it.
    consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    /// Reads up to `buffer.count` octets.
    /// - Returns: octets read; 0 at the end of the file.
    @_lifetime(buffer: copy buffer)
    package borrowing func read(into buffer: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
        let number = self.number
        let got = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            unsafe linux_read(number, bytes.baseAddress, bytes.count)
        }
        return Int(try checked(got, "read"))
    }

    /// Writes all octets; waits on a blocking descriptor.
    package borrowing func writeAll(_ octets: Span<UInt8>) throws(SystemError) {
        var done = 0
        while done < octets.count {
            let rest = octets.extracting(done..<octets.count)
            let number = self.number
            FaultPoint.pass()
            let wrote = unsafe rest.withUnsafeBufferPointer { bytes in
                unsafe linux_write(number, bytes.baseAddress, bytes.count)
            }
            done += Int(try checked(wrote, "write"))
        }
    }

    /// Reads up to `range.count` octets from `offset` of the file on, into `range` of the buffer;
    /// the descriptor's own place stays.
    /// - Returns: octets read; 0 at the end of the file.
    @_lifetime(buffer: copy buffer)
    package borrowing func read(
        into buffer: inout MutableSpan<UInt8>, _ range: Range<Int>, at offset: Int
    ) throws(SystemError) -> Int {
        let number = self.number
        let got = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            // The slice checks that the range lies in the buffer.
            let part = unsafe UnsafeMutableBufferPointer(rebasing: bytes[range])
            return unsafe linux_read_at(number, part.baseAddress, part.count, Int64(offset))
        }
        return Int(try checked(got, "read"))
    }

    /// Writes all octets from `offset` on; the descriptor's own place stays.
    package borrowing func writeAll(_ octets: Span<UInt8>, at offset: Int) throws(SystemError) {
        var done = 0
        while done < octets.count {
            let rest = octets.extracting(done..<octets.count)
            let number = self.number
            let place = Int64(offset + done)
            FaultPoint.pass()
            let wrote = unsafe rest.withUnsafeBufferPointer { bytes in
                unsafe linux_write_at(number, bytes.baseAddress, bytes.count, place)
            }
            done += Int(try checked(wrote, "write"))
        }
    }

    /// Octets of the file.
    package borrowing func size() throws(SystemError) -> Int {
        Int(try checked(linux_file_size(number), "fstat"))
    }

    /// Forces what was written to the disk.
    package borrowing func synchronize() throws(SystemError) {
        FaultPoint.pass()
        _ = try checked(linux_fsync(number), "fsync")
    }
}

/// A descriptor that several places may hold; closed when the last lets go.
///
/// For tables of sockets: an array cannot hold what cannot be copied.
package final class SharedDescriptor: Sendable {
    /// The descriptor.
    package let descriptor: FileDescriptor

    /// Takes over a descriptor.
    package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    /// The number the kernel knows it by.
    package var number: Int32 { descriptor.number }
}
