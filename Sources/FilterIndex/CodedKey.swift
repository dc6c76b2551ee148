/// A name as its bits stand in the index: what a query is searched with.
///
/// ```
/// words   the bits, most significant first, zeros after them
/// sizes   bits of the name that the last i labels make, by i
/// ```
/// The name of the last i labels differs from the beginning of this one in its last bit only: 0 for
/// its end, where this one goes on with 1.
///
/// At most 6,085 bits: 250 octets in four labels, each escaped with codewords of 16 bits.
package struct CodedKey: Sendable {
    /// Words of room, three more than the longest name takes.
    static let wordCount = 99

    /// The bits.
    private var words: InlineArray<99, UInt64>
    /// Bits of the last i labels' name.
    private(set) var sizes: InlineArray<128, UInt16>
    /// Labels of the name.
    private(set) var labels: Int
    /// Words that hold bits.
    private var used: Int

    /// Room for a name, holding nothing yet.
    package init() {
        words = .init(repeating: 0)
        sizes = .init(repeating: 0)
        labels = 0
        used = 0
    }

    /// The words, zeros after the last bit.
    package var bits: Span<UInt64> {
        @_lifetime(borrow self)
        borrowing get { words.span }
    }

    /// Bits of the name.
    package var size: Int { Int(sizes.span[labels]) }

    /// Writes a key.
    /// - Complexity: O(octets); no allocation.
    package mutating func assign(_ key: Span<UInt8>, code: borrowing NameCode) {
        CodedKey.write(
            key, code.codewords.span, order: code.order, &words, &sizes, &labels, &used)
    }

    private static func write(
        _ key: Span<UInt8>, _ codewords: Span<UInt32>, order: Int,
        _ words: inout InlineArray<99, UInt64>, _ sizes: inout InlineArray<128, UInt16>,
        _ labels: inout Int, _ used: inout Int
    ) {
        let secondFactor = order == 2 ? NameSymbol.count : 0
        let firstFactor = order == 0 ? 0 : 1
        var bits = BitFiller()
        var context = 0
        var before = NameSymbol.boundary
        var label = 0
        var isLabelStart = true
        var index = 0
        while true {
            if isLabelStart {
                let word = codewords[context * NameSymbol.count]
                let end = bits.size + Int(word >> 16) + 1
                sizes[label] = UInt16(truncatingIfNeeded: end)
                isLabelStart = false
                let isEnd: UInt64 = index == key.count ? 0 : 1
                bits.append(isEnd, count: Int(word >> 16) + 1, to: &words)
                if index == key.count { break }
                context = before * secondFactor
                before = NameSymbol.boundary
                continue
            }
            let octet = key[index]
            index += 1
            if octet == 0 {
                label += 1
                isLabelStart = true
                continue
            }
            let symbol = NameSymbol.of(octet)
            let word = codewords[context * NameSymbol.count + symbol]
            bits.append(UInt64(word & 0xFFFF), count: Int(word >> 16), to: &words)
            if symbol == NameSymbol.escape, index < key.count {
                bits.append(UInt64(key[index] - 1), count: 8, to: &words)
                index += 1
            }
            context = before * secondFactor + symbol * firstFactor
            before = symbol
        }
        labels = label
        used = bits.finish(&words, clearingTo: used)
    }

    /// The name of the last `count` labels of this one.
    func suffix(ofLabels count: Int) -> CodedKey {
        var name = self
        let size = Int(sizes.span[count])
        name.labels = count
        name.cut(toBits: size - 1)
        return name
    }

    /// A search key after every name below that of the last `count` labels and before all others:
    /// the beginning that they share, then ones.
    func afterAllBelow(labels count: Int) -> CodedKey {
        var name = self
        let shared = Int(sizes.span[count]) - 1
        name.cut(toBits: shared)
        var index = shared / 64
        name.words[index] |= UInt64.max >> UInt64(shared & 63)
        index += 1
        while index < CodedKey.wordCount {
            name.words[index] = .max
            index += 1
        }
        name.used = CodedKey.wordCount
        return name
    }

    /// Zeros from bit `size` on.
    private mutating func cut(toBits size: Int) {
        var index = size / 64
        words[index] &= ~(UInt64.max >> UInt64(size & 63))
        index += 1
        while index < used {
            words[index] = 0
            index += 1
        }
        used = size / 64 + 1
    }
}

/// Gathers bits, most significant first.
private struct BitFiller {
    /// Bits appended.
    private(set) var size = 0
    private var word: UInt64 = 0

    /// Appends the low `count` bits of `value`, 1 to 63 of them, the others being zero.
    @inline(__always)
    mutating func append(
        _ value: UInt64, count: Int, to words: inout InlineArray<99, UInt64>
    ) {
        let room = 64 - size & 63
        if count < room {
            word |= value << UInt64(room - count)
        } else {
            words[size / 64] = word | value >> UInt64(count - room)
            word = count == room ? 0 : value << UInt64(64 - (count - room))
        }
        size += count
    }

    /// Writes the last word and zeros over what an earlier, longer name left.
    /// - Returns: words in use.
    func finish(_ words: inout InlineArray<99, UInt64>, clearingTo end: Int) -> Int {
        var index = size / 64
        words[index] = word
        index += 1
        let used = index
        while index < end {
            words[index] = 0
            index += 1
        }
        return used
    }
}
