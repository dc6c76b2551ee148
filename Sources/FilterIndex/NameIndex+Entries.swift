import DomainNames

extension NameIndex {
    /// Calls `body` with key, scope and rank of every entry, in ascending order of keys.
    ///
    /// For work outside the query path: it decodes every symbol. A file made to lie ends the walk
    /// where it stops making sense.
    /// - Complexity: O(bits of all names).
    package func forEach<Failure: Error>(
        _ body: (Span<UInt8>, NameScope, Int) throws(Failure) -> Void
    ) throws(Failure) {
        var name = InlineArray<99, UInt64>(repeating: 0)
        var key = InlineArray<512, UInt8>(repeating: 0)
        var position = 0
        var rank = 0
        while rank < entryCount {
            guard let size = read(rank, at: &position, into: &name), size > 0,
                let keySize = decode(name.span, size: size, into: &key),
                let scope = scope(ofRank: rank)
            else { return }
            try body(key.span.extracting(0..<keySize), scope, rank)
            rank += 1
        }
    }

    /// Brings the bits of the entry before up to those of entry `rank`.
    /// - Returns: bits of the entry; `nil` when the octets are none.
    private func read(
        _ rank: Int, at position: inout Int, into name: inout InlineArray<99, UInt64>
    ) -> Int? {
        let isFirst = rank % NameIndex.blockEntries == 0
        let start: Int
        let tail: Int
        if isFirst {
            let block = rank / NameIndex.blockEntries
            position = offset(ofBlock: block)
            let (size, bitCount) = SizeCode.read(
                stream.bits(at: position), by: tailSizes)
            guard bitCount > 0 else { return nil }
            position += bitCount
            name[0] = head(ofBlock: block)
            if size <= 64 { return size }
            start = 64
            tail = size - 64
        } else {
            let bits = stream.bits(at: position)
            let (shared, sharedBits) = SizeCode.read(bits, by: sharedSizes)
            let (size, tailBits) = SizeCode.read(
                bits << UInt64(sharedBits), by: tailSizes)
            guard sharedBits > 0, tailBits > 0 else { return nil }
            position += sharedBits + tailBits
            start = shared + 1
            tail = size
        }
        guard start + tail <= 64 * name.count else { return nil }
        if !isFirst { name.set(bit: start - 1, to: true) }
        var done = 0
        while done < tail {
            let bit = stream.bits(at: position + done) >> 63 != 0
            name.set(bit: start + done, to: bit)
            done += 1
        }
        position += tail
        return start + tail
    }

    /// Writes the key that the bits stand for.
    /// - Returns: octets of the key; `nil` when the bits are no name.
    private func decode(
        _ bits: Span<UInt64>, size: Int, into key: inout InlineArray<512, UInt8>
    ) -> Int? {
        var position = 0
        var count = 0
        var context = 0
        var before = NameSymbol.boundary
        while position < size {
            guard let symbol = symbol(in: context, bits: bits.bits(at: position)) else {
                return nil
            }
            position += Int(codewords[context * NameSymbol.count + symbol] >> 16)
            guard count < key.count - 2 else { return nil }
            if symbol == NameSymbol.boundary {
                if count > 0 { append(0, to: &key, &count) }
                let goesOn = bits.bits(at: position) >> 63 != 0
                position += 1
                if !goesOn { return position == size ? count : nil }
            } else if symbol == NameSymbol.escape {
                let number = UInt8(truncatingIfNeeded: bits.bits(at: position) >> 56)
                guard Int(number) < NameSymbol.escapedCount else { return nil }
                append(NameSymbol.escapeOctet, to: &key, &count)
                append(number + 1, to: &key, &count)
                position += 8
            } else if let octet = NameSymbol.octet(of: symbol) {
                append(octet, to: &key, &count)
            }
            context = self.context(before, symbol)
            before = symbol
        }
        return nil
    }

    /// The number of the context that two symbols make, the later one second.
    private func context(_ before: Int, _ symbol: Int) -> Int {
        switch order {
        case 0: 0
        case 1: symbol
        default: before * NameSymbol.count + symbol
        }
    }

    /// The symbol whose codeword in a context begins these bits, left-aligned.
    private func symbol(in context: Int, bits: UInt64) -> Int? {
        let start = context * NameSymbol.count
        guard start >= 0, start <= codewords.count - NameSymbol.count else { return nil }
        for symbol in 0..<NameSymbol.count {
            let size = UInt64(codewords[start + symbol] >> 16)
            let word = UInt64(codewords[start + symbol] & 0xFFFF)
            if bits >> (64 - size) == word { return symbol }
        }
        return nil
    }

    private func append(
        _ octet: UInt8, to key: inout InlineArray<512, UInt8>, _ count: inout Int
    ) {
        key[count] = octet
        count += 1
    }
}

extension Span where Element == UInt64 {
    /// The bits from `position`, left-aligned, zeros past the end.
    fileprivate func bits(at position: Int) -> UInt64 {
        let index = position >> 6
        guard index < count else { return 0 }
        let next = index + 1 < count ? self[index + 1] : 0
        return self[index] << UInt64(position & 63) | next >> UInt64(64 - position & 63)
    }
}

extension InlineArray where Element == UInt64 {
    /// Sets one bit, counted from the most significant of the first word.
    fileprivate mutating func set(bit: Int, to isSet: Bool) {
        let mask = 1 << UInt64(63 - bit & 63) as UInt64
        if isSet { self[bit >> 6] |= mask } else { self[bit >> 6] &= ~mask }
    }
}
