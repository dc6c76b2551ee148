extension DeterministicAutomaton {
    /// Most states of an automaton that is worth minimising. In a larger one nearly every state
    /// leads to a pattern of its own, and none can be told to be equal.
    static let minimisationLimit = 8192

    /// The same automaton without states that nothing tells apart (Moore's refinement).
    ///
    /// Larger ones come back as they are.
    /// - Complexity: O(states × classes) a round; as many rounds as the longest text that tells two
    ///   states apart has octets.
    func minimised() -> DeterministicAutomaton {
        guard stateCount <= DeterministicAutomaton.minimisationLimit else { return self }
        var blocks = [Int32](repeating: 0, count: stateCount)
        var blockCount = 1
        while true {
            var numbers: [[Int32]: Int32] = [:]
            var next = [Int32](repeating: 0, count: stateCount)
            for state in 0..<stateCount {
                let signature = signature(of: state, blocks)
                let number = numbers[signature] ?? Int32(numbers.count)
                numbers[signature] = number
                next[state] = number
            }
            blocks = next
            if numbers.count == blockCount { break }
            blockCount = numbers.count
        }
        return blockCount == stateCount ? self : merged(blocks, count: blockCount)
    }

    /// What tells a state apart: its block, what it accepts, and the blocks that it leads to.
    private func signature(of state: Int, _ blocks: [Int32]) -> [Int32] {
        var signature = [Int32](repeating: blocks[Int(defaults[state])], count: classCount + 3)
        for move in moves(of: state) {
            signature[Int(move.octetClass)] = blocks[Int(move.target)]
        }
        signature[classCount] = found[state]
        signature[classCount + 1] = foundAtEnd[state]
        signature[classCount + 2] = blocks[state]
        return signature
    }

    /// One state for each block; blocks are numbered by their first state, so 0 stays dead.
    private func merged(_ blocks: [Int32], count: Int) -> DeterministicAutomaton {
        var result = DeterministicAutomaton()
        result.classes = classes
        result.classCount = classCount
        result.sets = sets
        result.start = blocks[Int(start)]
        for state in 0..<stateCount where Int(blocks[state]) == result.stateCount {
            let common = blocks[Int(defaults[state])]
            result.defaults.append(common)
            for move in moves(of: state) where blocks[Int(move.target)] != common {
                result.moves.append(
                    Move(octetClass: move.octetClass, target: blocks[Int(move.target)]))
            }
            result.rowStarts.append(Int32(result.moves.count))
            result.found.append(found[state])
            result.foundAtEnd.append(foundAtEnd[state])
        }
        return result
    }
}
