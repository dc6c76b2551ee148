import DomainNames
import LinuxSystem

/// The names of a file, one a line, in wire form one after the other.
struct NameFile {
    private var octets: [UInt8] = []
    private var ends: [Int] = [0]

    /// Reads the file.
    init(path: String) throws(BenchmarkError) {
        let text: [UInt8]
        do { text = try FileIO.readWhole(path: path, limit: 256 << 20) } catch {
            throw .system(error)
        }
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
            guard let wire = try? NameText.wire(of: text.span.extracting(start..<end)) else {
                throw .badName(path: path, line: ends.count)
            }
            octets += wire
            ends.append(octets.count)
            start = end + 1
        }
        guard !isEmpty else { throw .noNames }
    }

    /// Names.
    var count: Int { ends.count - 1 }

    /// Whether there is none.
    var isEmpty: Bool { count == 0 }

    /// The wire form of a name.
    @_lifetime(borrow self)
    func wire(_ index: Int) -> Span<UInt8> {
        octets.span.extracting(ends[index]..<ends[index + 1])
    }
}
