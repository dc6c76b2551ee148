/// Sizes of the codewords of a Huffman code (Huffman 1952), none longer than a limit.
enum HuffmanSizes {
    /// Sizes for symbols of these frequencies, 0 for one that does not occur.
    /// - Complexity: O(n²) for n symbols, of which there are a hundred.
    static func sizes(frequencies: [UInt64], limit: Int) -> [UInt8] {
        var weights = frequencies
        while true {
            let sizes = sizes(weights: weights)
            if sizes.allSatisfy({ $0 <= limit }) { return sizes.map(UInt8.init) }
            for index in weights.indices where weights[index] > 0 {
                weights[index] = weights[index] / 2 + 1
            }
        }
    }

    /// Joins the two lightest trees until one is left; of equal ones those that were made first.
    private static func sizes(weights: [UInt64]) -> [Int] {
        var sizes = [Int](repeating: 0, count: weights.count)
        var trees = weights.indices.filter { weights[$0] > 0 }.map {
            (weight: weights[$0], leaves: [$0])
        }
        if trees.count == 1 { sizes[trees[0].leaves[0]] = 1 }
        while trees.count > 1 {
            let lightest = trees.indices.min { trees[$0].weight < trees[$1].weight } ?? 0
            let one = trees.remove(at: lightest)
            let second = trees.indices.min { trees[$0].weight < trees[$1].weight } ?? 0
            let other = trees.remove(at: second)
            for leaf in one.leaves + other.leaves { sizes[leaf] += 1 }
            trees.append((one.weight + other.weight, one.leaves + other.leaves))
        }
        return sizes
    }
}
