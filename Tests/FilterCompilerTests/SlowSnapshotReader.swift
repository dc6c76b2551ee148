import Cryptography

/// A second reader of snapshots, written from docs/SnapshotFormat.md alone: it imports nothing of
/// the reader it checks, holds bits as an array of zeros and ones, and decodes every name.
///
/// It takes nothing on trust: what the page does not allow is an error with the place of it.
struct SlowSnapshotReader {
    /// What the page does not allow.
    struct Fault: Error { let text: String }

    /// One entry of a name index.
    struct Entry: Hashable {
        /// The labels of its name, the leftmost first.
        var labels: [[UInt8]]
        /// 0 exact, 1 subtree, 2 below.
        var scope: Int
        /// The list behind the name itself.
        var ownList: Int
        /// The list behind the names below it.
        var belowList: Int
    }

    /// Order of the name code.
    private(set) var order = 0
    /// Contexts that have a code of their own.
    private(set) var ownContexts = 0
    /// Entries of blocked, allowed, important blocked and important allowed names.
    private(set) var tables: [[Entry]] = []

    private let file: [UInt8]
    private var sections: [Int: Range<Int>] = [:]

    /// Reads a whole file.
    init(_ file: [UInt8]) throws {
        self.file = file
        try readHeader()
        let code = try SlowNameCode(Array(section(12)))
        order = code.order
        ownContexts = code.ownContexts
        let lists = try listCount()
        for kind in 2...5 {
            let names = try SlowNameIndex(Array(section(kind)), code).names
            let numbers = try listNumbers(Array(section(kind + 4)), entries: names.count, lists)
            tables.append(
                zip(names, numbers).map {
                    Entry(labels: $0.labels, scope: $0.scope, ownList: $1.own, belowList: $1.below)
                })
        }
    }

    private func section(_ kind: Int) -> ArraySlice<UInt8> { file[sections[kind] ?? 0..<0] }

    private mutating func readHeader() throws {
        guard file.starts(with: [0x89, 0x53, 0x4C, 0x55, 0x49, 0x43, 0x45, 0x0A]) else {
            throw Fault(text: "magic")
        }
        guard file.number(8, 4) == 2, file.number(12, 4) == 0, file.number(92, 4) == 0,
            file.number(16, 8) == file.count
        else { throw Fault(text: "header") }
        var zeroed = file
        for offset in 56..<88 { zeroed[offset] = 0 }
        let digest = SHA256.digest(of: zeroed.span)
        guard (0..<32).allSatisfy({ digest.octets[$0] == file[56 + $0] }) else {
            throw Fault(text: "checksum")
        }
        let kinds = 1...14
        guard file.number(88, 4) == kinds.count else { throw Fault(text: "sections") }
        var end = 96 + 24 * kinds.count
        for (number, kind) in kinds.enumerated() {
            let entry = 96 + 24 * number
            let start = file.number(entry + 8, 8)
            guard file.number(entry, 4) == kind, file.number(entry + 4, 4) == 0,
                start == (end + 7) / 8 * 8, file[end..<start].allSatisfy({ $0 == 0 })
            else { throw Fault(text: "section \(kind)") }
            end = start + file.number(entry + 16, 8)
            guard end <= file.count else { throw Fault(text: "section \(kind) ends late") }
            sections[kind] = start..<end
        }
        guard end == file.count else { throw Fault(text: "octets after the last section") }
    }

    /// The third varint of the manifest.
    private func listCount() throws -> Int {
        var numbers: [Int] = []
        var value = 0
        var shift = 0
        for octet in section(11) {
            value |= Int(octet & 0x7F) << shift
            shift += 7
            if octet >= 0x80 { continue }
            numbers.append(value)
            if numbers.count == 3 { return value }
            value = 0
            shift = 0
        }
        throw Fault(text: "manifest")
    }

    private func listNumbers(
        _ section: [UInt8], entries: Int, _ lists: Int
    ) throws -> [(own: Int, below: Int)] {
        let width = section.number(4, 2)
        let pairs = section.number(6, 2)
        guard section.number(0, 4) == entries,
            section.count == 8 + 4 * pairs + (entries * width + 7) / 8
        else { throw Fault(text: "list numbers") }
        let bits = section[(8 + 4 * pairs)...].flatMap { octet in
            (0..<8).map { octet >> UInt8($0) & 1 }
        }
        return try (0..<entries).map { rank in
            var number = 0
            for bit in 0..<width { number |= Int(bits[rank * width + bit]) << bit }
            if number < lists { return (number, number) }
            guard number - lists < pairs else { throw Fault(text: "list number \(number)") }
            let pair = 8 + 4 * (number - lists)
            return (section.number(pair, 2), section.number(pair + 2, 2))
        }
    }
}

/// The section of the name code, as codewords to look up.
private struct SlowNameCode {
    /// A codeword: its bits as a number, and how many they are.
    struct Word: Hashable {
        var size: Int
        var bits: Int
    }

    private static let plain = Array("-0123456789_abcdefghijklmnopqrstuvwxyz".utf8)
    private static let others = (UInt8.min...UInt8.max).filter { !plain.contains($0) }

    let order: Int
    let ownContexts: Int
    /// Symbols by codeword, for each context that has a code.
    private var symbols: [Int: [Word: Int]] = [:]
    /// Buckets by codeword.
    private var sharedBuckets: [Word: Int] = [:]
    private var tailBuckets: [Word: Int] = [:]

    init(_ section: [UInt8]) throws {
        order = Int(section[0])
        ownContexts = section.number(2, 2)
        guard order <= 2, section[1] == 0, section.count == 296 + 20 * ownContexts else {
            throw SlowSnapshotReader.Fault(text: "name code")
        }
        var offset = 204
        for context in 0..<1600 where section[4 + context / 8] >> (context % 8) & 1 == 1 {
            guard context < [1, 40, 1600][order], offset < 204 + 20 * ownContexts else {
                throw SlowSnapshotReader.Fault(text: "context \(context)")
            }
            symbols[context] = try Self.alphabetic(section.nibbles(offset, 40).map { $0 + 1 })
            offset += 20
        }
        guard offset == 204 + 20 * ownContexts else {
            throw SlowSnapshotReader.Fault(text: "\(ownContexts) contexts are not there")
        }
        sharedBuckets = try Self.canonical(section.nibbles(offset, 92))
        tailBuckets = try Self.canonical(section.nibbles(offset + 46, 92))
    }

    /// Codewords that are sums of 2^−size, here counted in units of 2^−16.
    private static func alphabetic(_ sizes: [Int]) throws -> [Word: Int] {
        var words: [Word: Int] = [:]
        var sum = 0
        for (symbol, size) in sizes.enumerated() {
            let unit = 1 << (16 - size)
            guard sum % unit == 0 else { throw SlowSnapshotReader.Fault(text: "codeword") }
            words[Word(size: size, bits: sum / unit)] = symbol
            sum += unit
        }
        guard sum == 1 << 16 else { throw SlowSnapshotReader.Fault(text: "codewords add up") }
        return words
    }

    private static func canonical(_ sizes: [Int]) throws -> [Word: Int] {
        let buckets = sizes.indices.filter { sizes[$0] > 0 }
            .sorted { (sizes[$0], $0) < (sizes[$1], $1) }
        var words: [Word: Int] = [:]
        var last: Word?
        for bucket in buckets {
            var word = Word(size: sizes[bucket], bits: 0)
            if let last { word.bits = (last.bits + 1) << (word.size - last.size) }
            guard word.size <= 12, word.bits < 1 << word.size else {
                throw SlowSnapshotReader.Fault(text: "codeword of bucket \(bucket)")
            }
            words[word] = bucket
            last = word
        }
        return words
    }

    /// The size that stands at `position`, which moves behind it.
    func size(isShared: Bool, in bits: [UInt8], at position: inout Int) throws -> Int {
        let buckets = isShared ? sharedBuckets : tailBuckets
        let bucket = try Self.symbol(of: buckets, in: bits, at: &position)
        guard bucket >= 64 else { return bucket }
        let open = 6 + (bucket - 64) / 4 - 2
        var value = 4 + (bucket - 64) % 4
        for _ in 0..<open { value = value * 2 + Int(try bits.next(at: &position)) }
        return value
    }

    private static func symbol(
        of words: [Word: Int], in bits: [UInt8], at position: inout Int
    ) throws -> Int {
        var word = Word(size: 0, bits: 0)
        while word.size < 16 {
            word = Word(
                size: word.size + 1, bits: word.bits * 2 + Int(try bits.next(at: &position)))
            if let symbol = words[word] { return symbol }
        }
        throw SlowSnapshotReader.Fault(text: "no codeword before bit \(position)")
    }

    /// The labels of a name in bits, the leftmost first.
    func labels(of bits: [UInt8]) throws -> [[UInt8]] {
        var labels: [[UInt8]] = []
        var before = [0, 0]
        var position = 0
        while true {
            let context = before.suffix(order).reduce(0) { $0 * 40 + $1 }
            guard let words = symbols[context] else {
                throw SlowSnapshotReader.Fault(text: "context \(context) has no code")
            }
            let symbol = try Self.symbol(of: words, in: bits, at: &position)
            guard symbol == 0 || !labels.isEmpty else {
                throw SlowSnapshotReader.Fault(text: "a name without a boundary before it")
            }
            switch symbol {
            case 0 where try bits.next(at: &position) == 0:
                guard position == bits.count else {
                    throw SlowSnapshotReader.Fault(text: "bits after the end of a name")
                }
                return labels.reversed()
            case 0: labels.append([])
            case 1:
                var number = 0
                for _ in 0..<8 { number = number * 2 + Int(try bits.next(at: &position)) }
                guard number < Self.others.count else {
                    throw SlowSnapshotReader.Fault(text: "octet number \(number)")
                }
                labels[labels.count - 1].append(Self.others[number])
            default: labels[labels.count - 1].append(Self.plain[symbol - 2])
            }
            before = [before[1], symbol]
        }
    }
}

/// One name index, decoded.
private struct SlowNameIndex {
    private(set) var names: [(labels: [[UInt8]], scope: Int)] = []

    init(_ section: [UInt8], _ code: SlowNameCode) throws {
        let count = section.number(0, 4)
        let blocks = section.number(4, 4)
        let width = Int(section[8])
        let scopes = 16 + 12 * blocks
        let start = scopes + (count * width + 7) / 8
        guard blocks == (count + 31) / 32, width <= 2, section.number(12, 4) == 0,
            section.count >= start
        else { throw SlowSnapshotReader.Fault(text: "name index") }
        let stream = section[start...].flatMap { octet in
            (0..<8).map { octet >> UInt8(7 - $0) & 1 }
        }
        var position = 0
        var name: [UInt8] = []
        for rank in 0..<count {
            if rank % 32 == 0 {
                guard section.number(16 + 8 * blocks + 4 * (rank / 32), 4) == position else {
                    throw SlowSnapshotReader.Fault(text: "offset of block \(rank / 32)")
                }
                let size = try code.size(isShared: false, in: stream, at: &position)
                let head = section.bits(ofNumberAt: 16 + 8 * (rank / 32))
                guard head.dropFirst(size).allSatisfy({ $0 == 0 }) else {
                    throw SlowSnapshotReader.Fault(text: "head of block \(rank / 32)")
                }
                let last = name
                name = Array(head.prefix(size))
                for _ in 0..<max(0, size - 64) { name.append(try stream.next(at: &position)) }
                guard last.lexicographicallyPrecedes(name) else {
                    throw SlowSnapshotReader.Fault(text: "order of block \(rank / 32)")
                }
            } else {
                let shared = try code.size(isShared: true, in: stream, at: &position)
                let tail = try code.size(isShared: false, in: stream, at: &position)
                guard shared < name.count, name[shared] == 0 else {
                    throw SlowSnapshotReader.Fault(text: "shared bits of entry \(rank)")
                }
                name = Array(name.prefix(shared)) + [1]
                for _ in 0..<tail { name.append(try stream.next(at: &position)) }
            }
            var number = 0
            for bit in (rank * width)..<((rank + 1) * width) {
                number |= Int(section[scopes + bit / 8] >> (bit % 8) & 1) << (bit - rank * width)
            }
            names.append((try code.labels(of: name), Int(section[9 + number])))
        }
        guard stream.count - position < 8, stream[position...].allSatisfy({ $0 == 0 }) else {
            throw SlowSnapshotReader.Fault(text: "bits after the last entry")
        }
    }
}

extension Array where Element == UInt8 {
    /// A little-endian number.
    fileprivate func number(_ offset: Int, _ size: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }

    /// The 64 bits of a little-endian number, the most significant first.
    fileprivate func bits(ofNumberAt offset: Int) -> [UInt8] {
        (0..<64).map { bit in
            let octet = self[offset + 7 - bit / 8]
            return octet >> UInt8(7 - bit % 8) & 1
        }
    }

    fileprivate func nibbles(_ offset: Int, _ count: Int) -> [Int] {
        (0..<count).map { Int(self[offset + $0 / 2] >> ($0 % 2 * 4) & 15) }
    }

    /// The bit at `position`, which moves on.
    fileprivate func next(at position: inout Int) throws -> UInt8 {
        guard position < count else { throw SlowSnapshotReader.Fault(text: "bits run out") }
        position += 1
        return self[position - 1]
    }
}
