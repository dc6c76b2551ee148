import DomainNames
import FilterIndex

/// Names of one tier as they are read, then sorted.
///
/// ```
/// keys      c o m 0 e x a m p l e 0 c o m 0 …              all keys, one after the other
/// entries   head 64 bits · offset 32 · size and bits 16 · list 16        16 octets a name
/// ```
/// `head` is eight octets of the key as a big-endian number, zeros after its end: the first eight
/// until the sort, which moves on to later ones where these are equal.
struct NameTable: Sendable {
    /// One name and what is said of it.
    struct Entry: Sendable {
        /// Eight octets of the key, big-endian.
        var head: UInt64
        /// Offset of the key in `keys`.
        let offset: UInt32
        /// Octets of the key, times 16, plus the record's bits.
        private let sizeAndBits: UInt16
        private let list: UInt16

        /// An entry of these facts.
        init(head: UInt64, offset: UInt32, size: Int, record: NameRecord) {
            self.head = head
            self.offset = offset
            sizeAndBits = UInt16(size) << 4 | UInt16(record.bits)
            list = record.list
        }

        /// Octets of the key.
        var size: Int { Int(sizeAndBits >> 4) }

        /// The offsets of the key in `keys`.
        var range: Range<Int> { Int(offset)..<(Int(offset) + size) }

        /// What is said of the key.
        var record: NameRecord {
            NameRecord(bits: UInt8(truncatingIfNeeded: sizeAndBits & 15), list: list)
        }
    }

    /// Most octets of a key.
    static let keySize = 512
    /// Octets that the keys may take.
    static let keysLimit = Int(UInt32.max) - (1 << 24)
    /// Octets of an entry.
    private static let entrySize = 16

    /// The octets of all keys.
    private(set) var keys: [UInt8] = []
    /// The names.
    private(set) var entries: [Entry] = []

    /// No names.
    init() {}

    /// Octets of memory that it takes.
    var size: Int { keys.count + NameTable.entrySize * entries.count }

    /// Adds a name.
    mutating func append(key: Span<UInt8>, _ record: NameRecord) {
        let offset = keys.count
        precondition(offset <= Int(UInt32.max) - key.count, "the caller holds to keysLimit")
        keys.append(octets: key)
        entries.append(
            Entry(
                head: NameTable.head(of: key), offset: UInt32(offset), size: key.count,
                record: record))
    }

    /// Removes all names; the memory stays for those that come.
    mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    /// Sorts the names by key, those of one key by what is said of it, and writes each once.
    /// - Complexity: O(n log n), in place.
    mutating func write(to writer: inout NameRunWriter) throws(CompilationError) {
        NameSort.sort(&entries, keys: keys)
        var previous: Entry?
        for entry in entries {
            if let previous, previous.record == entry.record,
                NameTable.isSameKey(previous, entry, keys)
            {
                continue
            }
            try writer.append(keys.span.extracting(entry.range), entry.record)
            previous = entry
        }
    }

    private static func isSameKey(_ left: Entry, _ right: Entry, _ keys: [UInt8]) -> Bool {
        left.size == right.size
            && keys.span.extracting(left.range).hasPrefix(keys.span.extracting(right.range))
    }

    /// The eight octets of `key` from `start` on, big-endian, zeros after its end.
    static func head(of key: Span<UInt8>, from start: Int = 0) -> UInt64 {
        var head: UInt64 = 0
        var index = start
        while index < start + 8 {
            head = head << 8 | (index < key.count ? UInt64(key[index]) : 0)
            index += 1
        }
        return head
    }
}
