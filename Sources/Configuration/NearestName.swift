import DomainNames

/// The valid name that someone probably meant.
package enum NearestName {
    /// The candidate within a third of its length in edits (at least one, at most three), the
    /// nearest first, then the first in order; `nil` when none is near.
    package static func of(_ word: String, among candidates: [String]) -> String? {
        var best: (distance: Int, name: String)?
        for candidate in candidates where candidate != word {
            let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
            guard distance <= min(3, max(1, candidate.utf8.count / 3)) else { continue }
            if best == nil || distance < (best?.distance ?? .max) { best = (distance, candidate) }
        }
        return best?.name
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other
    /// (optimal string alignment); ASCII case counts as none.
    /// - Complexity: O(left · right); words past 64 octets are near nothing.
    static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count <= 64, right.count <= 64 else { return .max }
        let left = left.map(\.asciiLowercased)
        let right = right.map(\.asciiLowercased)
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(
                    current[column] + 1, last[column + 1] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
