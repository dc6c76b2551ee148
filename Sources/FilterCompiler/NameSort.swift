import FilterIndex

/// Sorts the entries of a `NameTable` in place, by key, then by record.
///
/// Quicksort on the heads alone: numbers, no key is touched. Of entries with equal heads those
/// whose key ended come first, in the order of their sizes and records; the others get the next
/// eight octets of their keys as heads and are sorted in turn. A partition that goes wrong too
/// often is sorted by heap, so that no list makes it quadratic.
enum NameSort {
    /// Entries that share the octets before `depth`.
    private struct Part {
        var range: Range<Int>
        var depth: Int
    }

    /// Parts smaller than this are sorted by insertion.
    private static let insertionCount = 12

    /// Sorts `entries`.
    /// - Parameter partitionLimit: how deep partitions go before a heap takes over; `nil` is twice
    ///   the logarithm of the count.
    /// - Complexity: O(n log n) comparisons of numbers, and O(octets of the keys) once.
    static func sort(
        _ entries: inout [NameTable.Entry], keys: [UInt8], partitionLimit: Int? = nil
    ) {
        var span = entries.mutableSpan
        let octets = keys.span
        let limit = partitionLimit ?? 2 * (Int.bitWidth - span.count.leadingZeroBitCount)
        var parts = [Part(range: 0..<span.count, depth: 0)]
        while let part = parts.popLast() {
            sortByHead(&span, part.range, limit)
            var start = part.range.lowerBound
            while start < part.range.upperBound {
                var end = start + 1
                while end < part.range.upperBound, span[end].head == span[start].head { end += 1 }
                if end - start <= insertionCount {
                    sortByKey(&span, start..<end, from: part.depth + 8, octets)
                } else {
                    let rest = settleEnded(&span, start..<end, part.depth, limit)
                    deepen(&span, rest, to: part.depth + 8, octets)
                    if rest.count > 1 {
                        parts.append(Part(range: rest, depth: part.depth + 8))
                    }
                }
                start = end
            }
        }
    }

    /// Puts the entries whose keys end within this head in front, in their final order.
    /// - Returns: the others.
    private static func settleEnded(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>, _ depth: Int,
        _ limit: Int
    ) -> Range<Int> {
        var end = range.lowerBound
        for index in range where span[index].size <= depth + 8 {
            span.swapAt(index, end)
            span[end].head = UInt64(span[end].size) << 32 | UInt64(span[end].record.order)
            end += 1
        }
        sortByHead(&span, range.lowerBound..<end, limit)
        return end..<range.upperBound
    }

    private static func deepen(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>, to depth: Int,
        _ keys: Span<UInt8>
    ) {
        for index in range {
            span[index].head = NameTable.head(
                of: keys.extracting(span[index].range), from: depth)
        }
    }

    /// A few entries that share the octets before `depth`.
    private static func sortByKey(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>, from depth: Int,
        _ keys: Span<UInt8>
    ) {
        for index in range.dropFirst() {
            let entry = span[index]
            var place = index
            while place > range.lowerBound, precedes(entry, span[place - 1], from: depth, keys) {
                span[place] = span[place - 1]
                place -= 1
            }
            span[place] = entry
        }
    }

    private static func precedes(
        _ left: NameTable.Entry, _ right: NameTable.Entry, from depth: Int, _ keys: Span<UInt8>
    ) -> Bool {
        let one = keys.extracting(left.range)
        let other = keys.extracting(right.range)
        let shared = one.sharedPrefix(with: other, from: depth)
        if shared < min(one.count, other.count) { return one[shared] < other[shared] }
        if one.count != other.count { return one.count < other.count }
        return left.record.order < right.record.order
    }

    // MARK: By head alone

    private static func sortByHead(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>, _ limit: Int
    ) {
        var parts = [Part(range: range, depth: 0)]
        while var part = parts.popLast() {
            while part.range.count > insertionCount {
                if part.depth >= limit {
                    sortByHeap(&span, part.range)
                    part.range = part.range.upperBound..<part.range.upperBound
                    break
                }
                let (less, greater) = partition(&span, part.range)
                let left = part.range.lowerBound..<less
                let right = greater..<part.range.upperBound
                let isLeftSmall = left.count < right.count
                // The larger part waits: the stack stays as deep as the logarithm.
                parts.append(
                    Part(range: isLeftSmall ? right : left, depth: part.depth + 1))
                part = Part(range: isLeftSmall ? left : right, depth: part.depth + 1)
            }
            sortByInsertion(&span, part.range)
        }
    }

    /// Three ways about a pivot: what is less, what is equal, what is greater.
    /// - Returns: where the equal ones begin and end.
    private static func partition(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>
    ) -> (Int, Int) {
        let pivot = median(
            span[range.lowerBound].head, span[range.lowerBound + range.count / 2].head,
            span[range.upperBound - 1].head)
        var less = range.lowerBound
        var index = range.lowerBound
        var greater = range.upperBound
        while index < greater {
            let head = span[index].head
            if head < pivot {
                if index != less { span.swapAt(index, less) }
                less += 1
                index += 1
            } else if head > pivot {
                greater -= 1
                span.swapAt(index, greater)
            } else {
                index += 1
            }
        }
        return (less, greater)
    }

    private static func median(_ one: UInt64, _ two: UInt64, _ three: UInt64) -> UInt64 {
        max(min(one, two), min(max(one, two), three))
    }

    private static func sortByInsertion(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>
    ) {
        for index in range.dropFirst() {
            let entry = span[index]
            var place = index
            while place > range.lowerBound, span[place - 1].head > entry.head {
                span[place] = span[place - 1]
                place -= 1
            }
            span[place] = entry
        }
    }

    private static func sortByHeap(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>
    ) {
        for root in (0..<(range.count / 2)).reversed() { siftDown(&span, range, root) }
        for end in range.dropFirst().indices.reversed() {
            span.swapAt(range.lowerBound, end)
            siftDown(&span, range.lowerBound..<end, 0)
        }
    }

    private static func siftDown(
        _ span: inout MutableSpan<NameTable.Entry>, _ range: Range<Int>, _ root: Int
    ) {
        let base = range.lowerBound
        var place = root
        while 2 * place + 1 < range.count {
            var child = 2 * place + 1
            if child + 1 < range.count, span[base + child].head < span[base + child + 1].head {
                child += 1
            }
            guard span[base + place].head < span[base + child].head else { return }
            span.swapAt(base + place, base + child)
            place = child
        }
    }
}
