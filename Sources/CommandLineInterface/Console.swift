import LinuxSystem

/// Where a command writes. Tests put their own in its place.
package struct Console {
    private let write: (String, StandardStream) -> Void
    /// Columns for a line of progress; `nil` when no person looks at the messages.
    package let progressColumns: Int?

    /// A console whose texts go to `write`.
    package init(
        progressColumns: Int? = nil, write: @escaping (String, StandardStream) -> Void
    ) {
        self.progressColumns = progressColumns
        self.write = write
    }

    /// Standard output and standard error.
    package static var standard: Console {
        let stream = StandardStream.error
        return Console(progressColumns: stream.isTerminal ? stream.columns : nil) { text, stream in
            StandardStream.write(text, to: stream)
        }
    }

    /// Writes a result, as it is.
    package func output(_ text: String) { write(text, .output) }

    /// Writes octets of a result, which are UTF-8.
    func output(_ octets: Span<UInt8>) {
        var copy: [UInt8] = []
        copy.reserveCapacity(octets.count)
        for index in octets.indices { copy.append(octets[index]) }
        write(String(decoding: copy, as: UTF8.self), .output)
    }

    /// Writes a message, under the program's name.
    package func message(_ text: String) { write("sluice: \(text)\n", .error) }

    /// Writes a line of progress over the one before; an empty one takes it away.
    func progress(_ line: String) { write("\r\u{1B}[K\(line)", .error) }

    /// `text` with control characters written out, so that it cannot play tricks on a terminal.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
