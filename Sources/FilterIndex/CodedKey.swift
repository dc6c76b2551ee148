/// A name as its bits stand in the index: what a query is searched with, through its `view`.
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
    private var sizes: InlineArray<128, UInt16>
    /// Labels of the name.
    private var labels: Int
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

    /// This name without a copy.
    package var view: View {
        @_lifetime(borrow self)
        borrowing get {
            View(bits: words.span, sizes: sizes.span.extracting(0..<(labels + 1)))
        }
    }

    /// A name in place: what the indexes are asked with.
    package struct View: ~Escapable {
        /// The words, zeros after the last bit.
        package let bits: Span<UInt64>
        /// Bits of the last i labels' name.
        let sizes: Span<UInt16>

        @_lifetime(copy bits, copy sizes)
        fileprivate init(bits: Span<UInt64>, sizes: Span<UInt16>) {
            self.bits = bits
            self.sizes = sizes
        }

        /// Labels of the name, root not counted.
        package var labelCount: Int { sizes.count - 1 }

        /// Bits of the name.
        package var size: Int { Int(sizes[sizes.count - 1]) }

        /// The name of the last `count` labels of this one.
        func suffix(ofLabels count: Int) -> CodedKey {
            var name = CodedKey()
            name.assign(beginningOf: self, labels: count)
            return name
        }

        /// A search key after every name below this one and before all others: the beginning that
        /// they share, then ones.
        func afterAllBelow() -> CodedKey {
            var name = CodedKey()
            name.assign(beginningOf: self, labels: labelCount)
            name.fillWithOnes(from: size - 1)
            return name
        }
    }

    /// Replaces `bits` by the words of this name, zeros after the last bit.
    package func copyBits(to bits: inout [UInt64]) {
        bits.removeAll(keepingCapacity: true)
        let words = words.span
        var index = 0
        while index < used {
            bits.append(words[index])
            index += 1
        }
    }

    /// Writes a key.
    /// - Returns: bits of the name.
    /// - Complexity: O(octets); no allocation.
    @discardableResult
    package mutating func assign(_ key: Span<UInt8>, code: borrowing NameCode) -> Int {
        CodedKey.write(
            key, code.codewords.span, order: code.order, &words, &sizes, &labels, &used)
    }

    private static func write(
        _ key: Span<UInt8>, _ codewords: Span<UInt32>, order: Int,
        _ words: inout InlineArray<99, UInt64>, _ sizes: inout InlineArray<128, UInt16>,
        _ labels: inout Int, _ used: inout Int
    ) -> Int {
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
        return bits.size
    }

    /// Makes this the name of the last `count` labels of another one.
    private mutating func assign(beginningOf name: borrowing View, labels count: Int) {
        labels = count
        for index in 0...count { sizes[index] = name.sizes[index] }
        let size = Int(sizes[count])
        used = (size - 1) / 64 + 1
        for index in 0..<used { words[index] = name.bits[index] }
        words[used - 1] &= ~(UInt64.max >> UInt64((size - 1) & 63))
    }

    /// Ones from bit `position` to the end of the room.
    private mutating func fillWithOnes(from position: Int) {
        words[position / 64] |= UInt64.max >> UInt64(position & 63)
        for index in (position / 64 + 1)..<CodedKey.wordCount { words[index] = .max }
        used = CodedKey.wordCount
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
