/// Many patterns as few automata, each within a limit of states.
///
/// Patterns that hold on to an edge of the text die early and stay apart from those that may match
/// anywhere; of these, patterns with a `*` or a choice inside stay apart from plain texts, since
/// only they multiply each other's states. A group that passes the limit is halved until its parts
/// fit. Equal input gives equal automata.
package struct PatternSet: Sendable {
    /// Which way a text is read.
    package enum Direction: Sendable {
        /// From its first octet.
        case forward
        /// From its last octet. Names differ most at their ends, and inner wildcards then do not
        /// multiply.
        case backward
    }

    /// Most automata of a set.
    package static let automatonLimit = 16
    /// Most states of one automaton.
    package static let stateLimit = 1 << 20
    /// States that an automaton may always have, and for each node of its graph.
    package static let freeStates = 8192
    /// See `freeStates`.
    package static let statesPerNode = 4
    /// Most states of a single pattern on its own.
    package static let stateLimitOfOne = 4096
    /// Patterns that are tried together when they multiply each other's states.
    private static let windingGroup = 256

    /// Which way texts are read.
    package let direction: Direction
    /// The automata.
    package private(set) var automata: [DeterministicAutomaton] = []
    /// The places of the patterns that the automata have: their pattern *n* is number `kept[n]`.
    package private(set) var kept: [Int] = []
    /// The places of the patterns that fit nowhere, ascending.
    package private(set) var rejected: [Int] = []

    /// How a pattern behaves in company.
    private enum Company: Int, CaseIterable {
        /// It is tied to the edge where reading starts.
        case anchored
        /// It may start anywhere, and is a plain text.
        case floating
        /// It may start anywhere, and goes several ways.
        case winding
    }

    /// The automata of some patterns.
    package init(_ patterns: [SyntaxTree], direction: Direction) {
        self.direction = direction
        var groups = [[Int32]](repeating: [], count: Company.allCases.count)
        let trees = direction == .forward ? patterns : patterns.map(\.reversed)
        for (number, tree) in trees.enumerated() {
            if tree.isLinear || PatternSet.fitsAlone(tree) {
                groups[PatternSet.company(of: tree).rawValue].append(Int32(number))
            } else {
                rejected.append(number)
            }
        }
        for company in Company.allCases {
            let group = groups[company.rawValue]
            let size = company == .winding ? PatternSet.windingGroup : max(group.count, 1)
            for start in stride(from: 0, to: group.count, by: size) {
                pack(Array(group[start..<min(start + size, group.count)]), of: trees)
            }
        }
        rejected.sort()
        number(patterns.count)
    }

    /// Numbers the patterns that were kept from 0 on, in their order.
    private mutating func number(_ count: Int) {
        var isKept = [Bool](repeating: true, count: count)
        for place in rejected { isKept[place] = false }
        kept = isKept.indices.filter { isKept[$0] }
        guard !rejected.isEmpty else { return }
        var numbers = [Int32](repeating: 0, count: count)
        for (number, place) in kept.enumerated() { numbers[place] = Int32(number) }
        for index in automata.indices {
            automata[index].sets = automata[index].sets.map { $0.map { numbers[Int($0)] } }
        }
    }

    private static func fitsAlone(_ tree: SyntaxTree) -> Bool {
        var graph = StateGraph()
        graph.add(tree, pattern: 0)
        let automaton = try? SubsetConstruction.run(graph, stateLimit: stateLimitOfOne)
        return automaton != nil
    }

    private static func company(of tree: SyntaxTree) -> Company {
        let alternatives = tree.searchAlternatives()
        if alternatives.allSatisfy({ $0.first == .anchor(.start) }) { return .anchored }
        let isPlain = alternatives.allSatisfy { items in
            items.allSatisfy { item in
                switch item {
                case .octet, .anchor: true
                case .alternation: item.isLinear
                default: false
                }
            }
        }
        return isPlain ? .floating : .winding
    }

    /// Adds automata for a group, halved as often as need be.
    private mutating func pack(_ group: [Int32], of trees: [SyntaxTree]) {
        guard automata.count < PatternSet.automatonLimit else {
            rejected.append(contentsOf: group.map { Int($0) })
            return
        }
        var graph = StateGraph()
        for number in group { graph.add(trees[Int(number)], pattern: number) }
        let limit = min(
            PatternSet.stateLimit,
            PatternSet.freeStates + PatternSet.statesPerNode * graph.nodeCount)
        if let automaton = try? SubsetConstruction.run(graph, stateLimit: limit) {
            automata.append(automaton.minimised())
        } else if group.count == 1 {
            rejected.append(Int(group[0]))
        } else {
            pack(Array(group[..<(group.count / 2)]), of: trees)
            pack(Array(group[(group.count / 2)...]), of: trees)
        }
    }
}
