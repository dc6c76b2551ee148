import FilterIndex

/// Finds the sizes of codewords that cost least among all codes that keep the symbols' order.
///
/// Dynamic programme over the intervals of symbols with Knuth's bound on the place of the root
/// (Optimum binary search trees, 1971): O(symbols²).
struct AlphabeticCodeBuilder {
    private static let count = NameSymbol.count
    private var cost = [UInt64](repeating: 0, count: count * count)
    private var root = [Int](repeating: 0, count: count * count)

    /// Sizes for symbols of these frequencies; a symbol that never occurs gets one as well.
    /// - Complexity: O(symbols²), several times where a codeword came out too long.
    mutating func sizes(frequencies: ArraySlice<UInt64>) -> [UInt8] {
        var weights = frequencies.map { 8 * $0 + 1 }
        while true {
            let sizes = sizes(weights: weights)
            if sizes.allSatisfy({ $0 <= NameCode.sizeLimit }) { return sizes.map(UInt8.init) }
            for index in weights.indices { weights[index] = weights[index] / 2 + 1 }
        }
    }

    private mutating func sizes(weights: [UInt64]) -> [Int] {
        let count = Self.count
        for symbol in 0..<count {
            cost[symbol * count + symbol] = 0
            root[symbol * count + symbol] = symbol
        }
        var sums: [UInt64] = [0]
        for weight in weights { sums.append(sums[sums.count - 1] + weight) }
        for length in 1..<count {
            for first in 0..<(count - length) {
                let last = first + length
                let low = length == 1 ? first : root[first * count + last - 1]
                let high = length == 1 ? first : min(root[(first + 1) * count + last], last - 1)
                var least = UInt64.max
                var place = low
                for split in min(low, high)...high {
                    let sum = cost[first * count + split] + cost[(split + 1) * count + last]
                    if sum < least {
                        least = sum
                        place = split
                    }
                }
                cost[first * count + last] = least + sums[last + 1] - sums[first]
                root[first * count + last] = place
            }
        }
        var sizes = [Int](repeating: 0, count: count)
        var intervals = [(first: 0, last: count - 1, depth: 0)]
        while let (first, last, depth) = intervals.popLast() {
            if first == last {
                sizes[first] = depth
            } else {
                let split = root[first * count + last]
                intervals.append((first, split, depth + 1))
                intervals.append((split + 1, last, depth + 1))
            }
        }
        return sizes
    }
}
