import CLinux

/// Standard output and standard error.
package enum StandardStream: Int32, Sendable {
    /// Results.
    case output = 1
    /// Messages.
    case error = 2

    /// Writes text; a closed pipe is not an error of ours.
    package static func write(_ text: String, to stream: StandardStream) {
        let octets = Array(text.utf8)
        write(octets.span, to: stream)
    }

    /// Writes octets; a closed pipe is not an error of ours.
    package static func write(_ octets: Span<UInt8>, to stream: StandardStream) {
        var done = 0
        while done < octets.count {
            let rest = octets.extracting(done..<octets.count)
            let wrote = unsafe rest.withUnsafeBufferPointer { bytes in
                unsafe linux_write(stream.rawValue, bytes.baseAddress, bytes.count)
            }
            guard wrote > 0 else { return }
            done += Int(wrote)
        }
    }

    /// Whether a person looks at it.
    package var isTerminal: Bool { linux_is_terminal(rawValue) == 1 }

    /// Columns of the terminal; 80 when it does not say.
    package var columns: Int {
        let columns = linux_terminal_columns(rawValue)
        return columns > 0 ? Int(columns) : 80
    }
}
