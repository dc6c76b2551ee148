import DomainNames
import FilterIndex
import LinuxSystem

/// Names in ascending order, packed, in memory or in a file without a name; read as often as
/// wanted.
///
/// ```
/// record   varint octets shared with the key before · varint (octets of its own × 16 + bits)
///          · varint list · the octets of its own
/// ```
/// Records of one key stand together, ascending by `NameRecord.order`.
struct NameRun: Sendable {
    /// Where the octets are.
    enum Storage: Sendable {
        /// Here.
        case memory([UInt8])
        /// In a file, from its start.
        case file(ScratchFile)
    }

    /// Where the octets are.
    let storage: Storage
    /// Octets.
    let size: Int
    /// Records.
    let count: Int

    /// No names.
    static let empty = NameRun(storage: .memory([]), size: 0, count: 0)

    /// Octets that it holds in memory.
    var retainedSize: Int {
        if case .memory(let octets) = storage { octets.count } else { 0 }
    }

    /// Most octets of a record: three numbers and a key.
    static let recordSize = 15 + NameTable.keySize
}

/// Writes a run: into memory up to a limit, beyond it into a file.
struct NameRunWriter {
    private let directory: String
    private let retainedSize: Int
    private var octets: [UInt8] = []
    private var file: ScratchFile?
    private var written = 0
    private var count = 0
    private var previous = [UInt8](repeating: 0, count: NameTable.keySize)
    private var previousSize = 0

    /// Octets gathered before they are written to the file.
    private static let bufferSize = 64 << 10

    /// A run at its start.
    /// - Parameters:
    ///   - directory: where a file goes.
    ///   - retainedSize: octets that stay in memory.
    init(directory: String, retainedSize: Int) {
        self.directory = directory
        self.retainedSize = retainedSize
    }

    /// Adds a record, whose key is not before the last one's.
    /// - Throws: `.scratch`.
    /// - Complexity: O(octets of the key).
    mutating func append(
        _ key: Span<UInt8>, _ record: NameRecord
    ) throws(CompilationError) {
        let shared = key.sharedPrefix(with: previous.span.extracting(0..<previousSize))
        octets.append(addingCapacity: NameRun.recordSize) { room in
            room.append(varint: shared)
            room.append(varint: (key.count - shared) << 4 | Int(record.bits))
            room.append(varint: Int(record.list))
            var index = shared
            while index < key.count {
                room.append(key[index])
                index += 1
            }
        }
        var copy = previous.mutableSpan
        var index = shared
        while index < key.count {
            copy[index] = key[index]
            index += 1
        }
        previousSize = key.count
        count += 1
        if octets.count >= (file == nil ? retainedSize : NameRunWriter.bufferSize) {
            try flush()
        }
    }

    /// Ends the run.
    mutating func finish() throws(CompilationError) -> NameRun {
        guard file != nil else {
            return NameRun(storage: .memory(octets), size: octets.count, count: count)
        }
        try flush()
        guard let file else { return .empty }
        return NameRun(storage: .file(file), size: written, count: count)
    }

    private mutating func flush() throws(CompilationError) {
        do throws(SystemError) {
            let target: ScratchFile
            if let file { target = file } else { target = try ScratchFile(directory: directory) }
            file = target
            try target.write(octets.span, at: written)
        } catch {
            throw .scratch(directory: directory, cause: error)
        }
        written += octets.count
        // The array may have grown to what could be retained; from here on it holds a buffer.
        octets = []
        octets.reserveCapacity(NameRunWriter.bufferSize + NameRun.recordSize)
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends a LEB128 number.
    @_lifetime(self: copy self)
    fileprivate mutating func append(varint value: Int) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads a run from its start to its end.
struct NameRunReader {
    private let run: NameRun
    private var buffer: [UInt8]
    private var position = 0
    private var end: Int
    /// Octets of the file that were read.
    private var fetched = 0
    private var left: Int
    private var keyOctets = [UInt8](repeating: 0, count: NameTable.keySize)
    private var size = 0
    /// First eight octets of the key, big-endian, zeros after its end.
    private(set) var head: UInt64 = 0
    /// What is said of the key.
    private(set) var record = NameRecord(scope: .exact, list: 0)
    /// Whether the key is that of the record before.
    private(set) var isSameKey = false

    /// A reader before the first record.
    init(_ run: NameRun, bufferSize: Int) {
        self.run = run
        left = run.count
        switch run.storage {
        case .memory(let octets):
            buffer = octets
            end = octets.count
            fetched = octets.count
        case .file:
            buffer = [UInt8](repeating: 0, count: max(bufferSize, 2 * NameRun.recordSize))
            end = 0
        }
    }

    /// The key of the record.
    var key: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { keyOctets.span.extracting(0..<size) }
    }

    /// Copies the key to the start of `octets`; returns its size.
    func copyKey(to octets: inout [UInt8]) -> Int {
        NameRunReader.copy(keyOctets, from: 0, to: &octets, 0..<size)
        return size
    }

    /// Steps to the next record; `false` at the end.
    /// - Throws: `.scratch`, also when the file does not hold what was written.
    mutating func advance() throws(CompilationError) -> Bool {
        guard left > 0 else { return false }
        left -= 1
        if end - position < NameRun.recordSize, fetched < run.size { try fetch() }
        let before = size
        guard
            let shared = NameRunReader.number(buffer, &position, end),
            let header = NameRunReader.number(buffer, &position, end),
            let list = NameRunReader.number(buffer, &position, end),
            shared <= before, shared + header >> 4 <= NameTable.keySize,
            header >> 4 <= end - position
        else { throw damaged }
        size = shared + header >> 4
        isSameKey = header >> 4 == 0 && shared == before
        NameRunReader.copy(buffer, from: position, to: &keyOctets, shared..<size)
        position += size - shared
        record = NameRecord(
            bits: UInt8(truncatingIfNeeded: header & 15), list: UInt16(truncatingIfNeeded: list))
        if shared < 8 { head = NameTable.head(of: key) }
        return true
    }

    private mutating func fetch() throws(CompilationError) {
        guard case .file(let file) = run.storage else { return }
        let rest = end - position
        for index in 0..<rest { buffer[index] = buffer[position + index] }
        position = 0
        end = rest
        while end < buffer.count, fetched < run.size {
            let room = end..<min(buffer.count, end + run.size - fetched)
            let place = fetched
            let count: Int
            do {
                var span = buffer.mutableSpan
                count = try file.read(into: &span, room, at: place)
            } catch {
                throw .scratch(directory: file.directory, cause: error)
            }
            guard count > 0 else { throw damaged }
            end += count
            fetched += count
        }
    }

    /// The file ended early, or held other octets than were written.
    private var damaged: CompilationError {
        var directory = ""
        if case .file(let file) = run.storage { directory = file.directory }
        return .scratch(
            directory: directory,
            cause: SystemError(
                "read a temporary in", code: SystemError.Code.inputOutput, subject: directory))
    }

    /// A varint of at most five octets.
    private static func number(_ buffer: [UInt8], _ position: inout Int, _ end: Int) -> Int? {
        var value = 0
        var shift = 0
        while position < end, shift < 35 {
            let octet = buffer[position]
            position += 1
            value |= Int(octet & 0x7F) << shift
            if octet < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    private static func copy(
        _ buffer: [UInt8], from start: Int, to key: inout [UInt8], _ range: Range<Int>
    ) {
        var key = key.mutableSpan
        var index = range.lowerBound
        var source = start
        while index < range.upperBound {
            key[index] = buffer[source]
            index += 1
            source += 1
        }
    }
}
