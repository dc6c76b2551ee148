import CLinux

/// This process and those it starts.
package enum Process {
    /// Its number.
    package static var id: Int32 { linux_process_id() }

    /// Processors that it may run on.
    package static var processorCount: Int { max(1, Int(linux_processor_count())) }

    /// The most memory it held so far, in octets.
    package static var peakResidentOctets: Int { Int(linux_peak_resident_octets()) }

    /// Processor time used so far by all threads, in microseconds.
    package static var cpuMicroseconds: Int { Int(linux_cpu_microseconds()) }

    /// Memory held now, in octets, from /proc/self/statm.
    package static var residentOctets: Int {
        guard let text = try? FileIO.readWhole(path: "/proc/self/statm", limit: 4096) else {
            return 0
        }
        let fields = text.split(separator: UInt8(ascii: " "))
        guard fields.count > 1 else { return 0 }
        return (Int(String(decoding: fields[1], as: UTF8.self)) ?? 0) * Int(linux_page_size())
    }

    /// Lets this process open as many files as the hard limit says; returns the limit.
    package static func raiseDescriptorLimit() -> Int {
        var limit: UInt64 = 1024
        _ = unsafe linux_raise_descriptor_limit(&limit)
        return Int(limit)
    }

    /// A variable of the environment.
    package static func environment(_ name: String) -> String? {
        guard let value = unsafe linux_environment(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Large blocks that are freed go back to the system at once, so that what one step of work
    /// held does not add to what the next one holds.
    package static func returnLargeBlocks() { linux_return_large_blocks() }

    /// Writing to a closed pipe becomes an error instead of the end.
    package static func ignoreBrokenPipes() { linux_ignore_broken_pipes() }

    /// Ends the process.
    package static func exit(_ status: Int32) -> Never { linux_exit(status) }

    /// Becomes the program at `path`.
    /// - Returns: only when that failed.
    package static func become(path: String, arguments: [String]) -> SystemError {
        let result = unsafe withCStrings([path] + arguments) { pointers in
            unsafe linux_execute(path, pointers)
        }
        return SystemError("execv", code: -result, subject: path)
    }

    /// Runs `body` with a C array of C strings, ended by a null pointer.
    static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var octets: [CChar] = []
        var offsets: [Int] = []
        for string in strings {
            offsets.append(octets.count)
            octets.append(contentsOf: string.utf8.map { CChar(bitPattern: $0) })
            octets.append(0)
        }
        return unsafe octets.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            if let base = buffer.baseAddress {
                for offset in offsets { unsafe pointers.append(base + offset) }
            }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { list in
                guard let base = list.baseAddress else {
                    preconditionFailure("the list holds its null pointer at least")
                }
                return unsafe body(base)
            }
        }
    }
}
