import DomainNames
import FilterIndex

/// Names of plain rules of one tier, gathered, then sorted.
///
/// ```
/// keys      c o m 0 e x a m p l e 0 c o m 0 …              all keys, one after the other
/// entries   head 64 bits · offset 32 · size and scope 16 · list 16        16 octets a name
/// ```
/// `head` is the key's first eight octets as a big-endian number, zeros after its end: most
/// comparisons of the sort end there.
struct NameTable: Sendable {
    /// One name with scope and list.
    struct Entry: Sendable {
        /// First eight octets of the key, big-endian.
        let head: UInt64
        /// Offset of the key in `keys`.
        let offset: UInt32
        /// Octets of the key, times 4, plus the scope.
        private var sizeAndScope: UInt16
        /// The list; after covering the number that the file writes. `deleted` marks an entry that
        /// is not there any more.
        var list: UInt16

        /// Marks a deleted entry.
        static let deleted = UInt16.max

        /// An entry of these facts.
        init(head: UInt64, offset: UInt32, size: Int, scope: NameScope, list: UInt16) {
            self.head = head
            self.offset = offset
            sizeAndScope = UInt16(size) << 2 | UInt16(scope.rawValue)
            self.list = list
        }

        /// Octets of the key.
        var size: Int { Int(sizeAndScope >> 2) }

        /// The offsets of the key in `keys`.
        var range: Range<Int> { Int(offset)..<(Int(offset) + size) }

        /// Which names the rule speaks of.
        var scope: NameScope {
            get { NameScope(rawValue: UInt8(sizeAndScope & 3)) ?? .exact }
            set { sizeAndScope = sizeAndScope & ~3 | UInt16(newValue.rawValue) }
        }
    }

    /// Octets that the keys may take.
    static let keysLimit = Int(UInt32.max) - (1 << 20)

    /// The octets of all keys.
    private(set) var keys: [UInt8] = []
    /// The names.
    var entries: [Entry] = []

    /// No names.
    init() {}

    /// Adds a name.
    mutating func append(key: Span<UInt8>, scope: NameScope, list: UInt16) {
        let offset = keys.count
        precondition(offset <= Int(UInt32.max) - key.count, "the caller holds to keysLimit")
        keys.append(octets: key)
        entries.append(
            Entry(
                head: NameTable.head(of: key), offset: UInt32(offset), size: key.count,
                scope: scope, list: list))
    }

    /// The key of an entry.
    func key(of entry: Entry) -> ArraySlice<UInt8> { keys[entry.range] }

    /// Sorts the names by key; entries of one key keep no order.
    mutating func sort() {
        let octets = keys
        entries.sort { NameTable.precedes($0, $1, octets) }
    }

    /// Whether `left` has the lesser key.
    static func precedes(_ left: Entry, _ right: Entry, _ keys: [UInt8]) -> Bool {
        if left.head != right.head { return left.head < right.head }
        let shared = min(left.size, right.size)
        var index = 8
        while index < shared {
            let one = keys[Int(left.offset) + index]
            let other = keys[Int(right.offset) + index]
            if one != other { return one < other }
            index += 1
        }
        return left.size < right.size
    }

    private static func head(of key: Span<UInt8>) -> UInt64 {
        var head: UInt64 = 0
        var index = 0
        while index < 8 {
            head = head << 8 | (index < key.count ? UInt64(key[index]) : 0)
            index += 1
        }
        return head
    }
}
