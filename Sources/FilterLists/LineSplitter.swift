/// Cuts a list that arrives in chunks into lines, in bounded memory.
///
/// A line ends with LF or CR LF, the last one also with the text. A UTF-8 byte order mark at the
/// start is skipped. Of a line longer than `maximumLineSize` the first octets are handed on, one
/// more than the maximum, by which `ListReader` knows it; the rest is dropped.
package struct LineSplitter: Sendable {
    /// Octets of the longest line that is read, its ending not counted.
    package static let maximumLineSize = 64 << 10

    /// The start of a line whose end is in a later chunk.
    private var carry: [UInt8] = []
    private var isAtStart = true
    /// The number of the last line handed on.
    package private(set) var lineCount = 0

    /// A splitter at the start of a list.
    package init() {}

    /// Hands on the lines that end in this chunk, with their numbers from 1.
    /// - Complexity: O(octets); copies only lines that lie across chunks.
    package mutating func split(
        _ chunk: Span<UInt8>, _ body: (_ line: Span<UInt8>, _ number: Int) -> Void
    ) {
        var start = 0
        while start < chunk.count {
            guard let end = chunk.index(of: .newline, in: start..<chunk.count) else {
                keep(chunk.extracting(start..<chunk.count))
                return
            }
            if carry.isEmpty {
                emit(chunk.extracting(start..<end), body)
            } else {
                keep(chunk.extracting(start..<end))
                emitCarry(body)
            }
            start = end + 1
        }
    }

    /// Hands on the last line when no newline ended it. Nothing may be split afterwards.
    package mutating func finish(_ body: (_ line: Span<UInt8>, _ number: Int) -> Void) {
        if !carry.isEmpty { emitCarry(body) }
    }

    private mutating func keep(_ part: Span<UInt8>) {
        // Room for a byte order mark, a CR and the octet that tells of too long a line.
        let room = Self.maximumLineSize + 5 - carry.count
        for index in 0..<min(part.count, max(0, room)) { carry.append(part[index]) }
    }

    private mutating func emitCarry(_ body: (Span<UInt8>, Int) -> Void) {
        var line: [UInt8] = []
        swap(&line, &carry)
        emit(line.span, body)
        line.removeAll(keepingCapacity: line.capacity <= Self.maximumLineSize)
        carry = line
    }

    private mutating func emit(_ line: Span<UInt8>, _ body: (Span<UInt8>, Int) -> Void) {
        lineCount += 1
        var start = 0
        var end = line.count
        if isAtStart {
            isAtStart = false
            if end >= 3, line[0] == 0xEF, line[1] == 0xBB, line[2] == 0xBF { start = 3 }
        }
        if end > start, line[end - 1] == 0x0D { end -= 1 }
        body(line.extracting(start..<min(end, start + Self.maximumLineSize + 1)), lineCount)
    }
}
