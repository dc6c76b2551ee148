/// A deterministic automaton of many patterns: at every moment one state.
///
/// State 0 is dead: nothing can match any more. A state accepts patterns in two ways: those found
/// wherever the text goes on, and those found if it ends here.
package struct DeterministicAutomaton: Sendable {
    /// The class of each octet: octets of one class are told apart by no pattern.
    package internal(set) var classes = [UInt8](repeating: 0, count: 256)
    /// Classes.
    package internal(set) var classCount = 1
    /// The state before the first octet.
    package internal(set) var start: Int32 = 0
    /// Where each state goes by a class that `moves` does not name.
    var defaults: [Int32] = []
    /// Where the moves of each state begin; one number more than there are states.
    var rowStarts: [Int32] = [0]
    /// The moves of all states that differ from the default, by class.
    var moves: [Move] = []
    /// The set of patterns that each state has found, by its number in `sets`.
    var found: [Int32] = []
    /// The set of patterns that each state has found if the text ends, without those of `found`.
    var foundAtEnd: [Int32] = []
    /// Sets of pattern numbers, ascending, each once; the first is empty.
    package internal(set) var sets: [[Int32]] = [[]]

    /// A way out of a state.
    struct Move: Hashable {
        /// The class of the octet.
        let octetClass: UInt8
        /// The state that follows.
        let target: Int32
    }

    /// States, the dead one included.
    package var stateCount: Int { defaults.count }

    /// The moves of a state, ascending by class.
    func moves(of state: Int) -> ArraySlice<Move> {
        moves[Int(rowStarts[state])..<Int(rowStarts[state + 1])]
    }

    /// The state after a state and an octet.
    package func next(_ state: Int32, _ octet: UInt8) -> Int32 {
        let octetClass = classes[Int(octet)]
        for move in moves(of: Int(state)) where move.octetClass == octetClass {
            return move.target
        }
        return defaults[Int(state)]
    }

    /// The patterns found in a state, wherever the text goes on.
    package func patterns(foundIn state: Int32) -> [Int32] { sets[Int(found[Int(state)])] }

    /// The further patterns found in a state if the text ends there.
    package func patterns(foundAtEndIn state: Int32) -> [Int32] {
        sets[Int(foundAtEnd[Int(state)])]
    }
}
