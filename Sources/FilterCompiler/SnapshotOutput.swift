import FilterIndex
import LinuxSystem

/// The octets of a snapshot as it is written: in memory, or in a file that has no name yet.
///
/// ```
/// |<------- in the file, flushed ------->|<-- octets -->|
/// ```
/// Without a file nothing is ever flushed. What is appended goes to the end of `octets`; what was
/// left open is written over later, and all of it can be read again.
struct SnapshotOutput: ~Copyable {
    /// The end of what was appended; only to be appended to.
    var octets: [UInt8] = []
    private var flushed = 0
    private let file: PendingFile?

    /// Octets gathered before they are written.
    private static let bufferSize = 64 << 10

    /// A snapshot without octets.
    /// - Parameter file: where they go; `nil` keeps them in memory.
    init(file: PendingFile?) { self.file = file }

    /// Octets appended so far.
    var size: Int { flushed + octets.count }

    /// Writes what was appended to the file when it is worth a call.
    mutating func flushWhenFull() throws(CompilationError) {
        if file != nil, octets.count >= SnapshotOutput.bufferSize { try flush() }
    }

    /// Appends zeros until the size is a multiple of 8.
    mutating func padToEight() {
        while size & 7 != 0 { octets.append(0) }
    }

    /// Appends `count` octets that are written over later.
    mutating func appendHole(_ count: Int) throws(CompilationError) {
        guard file != nil else {
            octets.append(contentsOf: repeatElement(0, count: count))
            return
        }
        try flush()
        flushed += count
    }

    /// Writes over octets that were appended.
    mutating func overwrite(_ span: Span<UInt8>, at offset: Int) throws(CompilationError) {
        precondition(offset + span.count <= size, "only what was appended is written over")
        try flush()
        if let file {
            do throws(SystemError) { try file.write(span, at: offset) } catch {
                throw .unwritable(path: file.directory, cause: error)
            }
        } else {
            for index in span.indices { octets[offset + index] = span[index] }
        }
    }

    /// Reads a range again, in chunks.
    mutating func read(
        _ range: Range<Int>, _ body: (Span<UInt8>) -> Void
    ) throws(CompilationError) {
        guard let file else {
            body(octets.span.extracting(range))
            return
        }
        try flush()
        var chunk = [UInt8](repeating: 0, count: min(SnapshotOutput.bufferSize, range.count))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let room = 0..<min(chunk.count, range.upperBound - offset)
            let count: Int
            do throws(SystemError) {
                var span = chunk.mutableSpan
                count = try file.read(into: &span, room, at: offset)
                guard count > 0 else {
                    throw SystemError(
                        "read a new file in", code: SystemError.Code.inputOutput,
                        subject: file.directory)
                }
            } catch {
                throw .unwritable(path: file.directory, cause: error)
            }
            body(chunk.span.extracting(0..<count))
            offset += count
        }
    }

    private mutating func flush() throws(CompilationError) {
        guard let file, !octets.isEmpty else { return }
        do throws(SystemError) { try file.write(octets.span, at: flushed) } catch {
            throw .unwritable(path: file.directory, cause: error)
        }
        flushed += octets.count
        octets.removeAll(keepingCapacity: true)
    }
}

/// Octets that are written over a part of a snapshot that was left open, front to back.
struct OutputPatch {
    /// The octets that are not written yet; only to be appended to.
    var octets: [UInt8] = []
    private var offset: Int

    private static let bufferSize = 32 << 10

    /// A patch whose first octet goes to `offset`.
    init(at offset: Int) { self.offset = offset }

    /// Writes the octets when they are worth a call.
    mutating func writeWhenFull(to output: inout SnapshotOutput) throws(CompilationError) {
        if octets.count >= OutputPatch.bufferSize { try write(to: &output) }
    }

    /// Writes the octets.
    mutating func write(to output: inout SnapshotOutput) throws(CompilationError) {
        try output.overwrite(octets.span, at: offset)
        offset += octets.count
        octets.removeAll(keepingCapacity: true)
    }
}
