/// Makes a graph deterministic: each set of nodes that can be live together becomes a state.
///
/// States are numbered as they are found, breadth first, so equal graphs give equal automata.
struct SubsetConstruction {
    private let graph: StateGraph
    private let stateLimit: Int
    private var closure: NodeClosure
    private var automaton = DeterministicAutomaton()
    /// The nodes of all states, one state after the other.
    private var members: [Int32] = []
    private var memberStarts: [Int32] = [0]
    /// Open addressing over states by their nodes; −1 is a free place.
    private var places: [Int32]
    private var setNumbers: [[Int32]: Int32] = [[]: 0]
    /// The classes that each set of the graph holds.
    private var classesOfSets: [[UInt8]] = []
    /// Targets by class, for the state at hand.
    private var targets = [[Int32]](repeating: [], count: 256)
    private var touched: [UInt8] = []

    /// Nodes that all states together may have for each state of the limit.
    private static let membersPerState = 16

    private init(_ graph: StateGraph, stateLimit: Int) {
        self.graph = graph
        self.stateLimit = stateLimit
        closure = NodeClosure(for: graph)
        places = [Int32](repeating: -1, count: 1024)
    }

    /// The automaton of a graph.
    /// - Throws: `.tooManyStates` as soon as the limit is passed.
    static func run(
        _ graph: StateGraph, stateLimit: Int
    ) throws(PatternError) -> DeterministicAutomaton {
        var construction = SubsetConstruction(graph, stateLimit: stateLimit)
        construction.findClasses()
        _ = try construction.state(of: [])
        try construction.makeStart()
        var state = 0
        while state < construction.automaton.found.count {
            try construction.makeRow(of: state)
            state += 1
        }
        return construction.automaton
    }

    /// Divides the octets into the classes that the sets tell apart.
    private mutating func findClasses() {
        var octetClasses = [Int](repeating: 0, count: 256)
        var count = 1
        for set in graph.sets where count < 256 {
            var renamed: [Int: Int] = [:]
            var next = 0
            for octet in 0..<256 {
                let key = octetClasses[octet] * 2 + (set.contains(UInt8(octet)) ? 1 : 0)
                if renamed[key] == nil {
                    renamed[key] = next
                    next += 1
                }
                octetClasses[octet] = renamed[key] ?? 0
            }
            count = next
        }
        automaton.classes = octetClasses.map { UInt8(truncatingIfNeeded: $0) }
        automaton.classCount = count
        var representatives = [UInt8](repeating: 0, count: count)
        for octet in (0..<256).reversed() {
            representatives[octetClasses[octet]] = UInt8(octet)
        }
        classesOfSets = graph.sets.map { set in
            (0..<count).compactMap { number in
                set.contains(representatives[number]) ? UInt8(number) : nil
            }
        }
    }

    /// The start is a state of its own: edges of the text's start count there alone.
    private mutating func makeStart() throws(PatternError) {
        let roots = [StateGraph.floatingRoot, StateGraph.anchoredRoot]
        closure.assign(roots, of: graph, atStart: true)
        let nodes = closure.nodes
        let found = patterns(of: nodes)
        closure.assign(roots, of: graph, atStart: true, atEnd: true)
        let atEnd = patterns(of: closure.nodes).filter { !found.contains($0) }
        automaton.start = try append(nodes, found: found, atEnd: atEnd)
    }

    /// Fills in where a state goes.
    private mutating func makeRow(of state: Int) throws(PatternError) {
        var anywhere: [Int32] = []
        for index in Int(memberStarts[state])..<Int(memberStarts[state + 1]) {
            var next = graph.firstEdge[Int(members[index])]
            while next >= 0 {
                let edge = graph.edges[Int(next)]
                next = edge.next
                let set = Int(edge.label - StateGraph.Label.firstSet)
                if set == 0 {
                    anywhere.append(edge.target)
                } else if set > 0 {
                    for octetClass in classesOfSets[set] {
                        if targets[Int(octetClass)].isEmpty { touched.append(octetClass) }
                        targets[Int(octetClass)].append(edge.target)
                    }
                }
            }
        }
        touched.sort()
        let classCount = automaton.classCount
        let other = touched.count < classCount ? try self.state(of: anywhere) : 0
        var row: [DeterministicAutomaton.Move] = []
        for octetClass in touched {
            let target = try self.state(of: targets[Int(octetClass)] + anywhere)
            targets[Int(octetClass)].removeAll(keepingCapacity: true)
            row.append(.init(octetClass: octetClass, target: target))
        }
        appendRow(row, other: other)
        touched.removeAll(keepingCapacity: true)
    }

    /// Writes a row, with the target that most classes have as its default.
    private mutating func appendRow(_ row: [DeterministicAutomaton.Move], other: Int32) {
        let classCount = automaton.classCount
        var common = other
        if row.count * 2 >= classCount {
            var counts: [Int32: Int] = [:]
            if row.count < classCount { counts[other] = classCount - row.count }
            for move in row { counts[move.target, default: 0] += 1 }
            let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
            common = best?.key ?? other
        }
        automaton.defaults.append(common)
        if common == other || row.count == classCount {
            automaton.moves.append(contentsOf: row.filter { $0.target != common })
        } else {
            var targets = [Int32](repeating: other, count: classCount)
            for move in row { targets[Int(move.octetClass)] = move.target }
            for octetClass in 0..<classCount where targets[octetClass] != common {
                automaton.moves.append(
                    .init(octetClass: UInt8(octetClass), target: targets[octetClass]))
            }
        }
        automaton.rowStarts.append(Int32(automaton.moves.count))
    }

    /// The state of the nodes that some nodes reach, made when it is new.
    private mutating func state(of nodes: [Int32]) throws(PatternError) -> Int32 {
        closure.assign(nodes, of: graph)
        let live = closure.nodes
        var place = Int(truncatingIfNeeded: SubsetConstruction.hash(live)) & (places.count - 1)
        while places[place] >= 0 {
            let candidate = places[place]
            if isState(candidate, of: live) { return candidate }
            place = (place + 1) & (places.count - 1)
        }
        let found = patterns(of: live)
        closure.assign(live, of: graph, atEnd: true)
        let atEnd = patterns(of: closure.nodes).filter { !found.contains($0) }
        let state = try append(live, found: found, atEnd: atEnd)
        places[place] = state
        if automaton.found.count * 2 > places.count { growPlaces() }
        return state
    }

    private mutating func append(
        _ nodes: [Int32], found: [Int32], atEnd: [Int32]
    ) throws(PatternError) -> Int32 {
        guard automaton.found.count < stateLimit,
            members.count + nodes.count <= Self.membersPerState * max(stateLimit, 1024)
        else { throw .tooManyStates(limit: stateLimit) }
        members.append(contentsOf: nodes)
        memberStarts.append(Int32(members.count))
        automaton.found.append(number(of: found))
        automaton.foundAtEnd.append(number(of: atEnd))
        return Int32(automaton.found.count - 1)
    }

    private func isState(_ state: Int32, of nodes: [Int32]) -> Bool {
        let range = Int(memberStarts[Int(state)])..<Int(memberStarts[Int(state) + 1])
        guard range.count == nodes.count else { return false }
        var index = 0
        while index < nodes.count {
            if members[range.lowerBound + index] != nodes[index] { return false }
            index += 1
        }
        return true
    }

    private mutating func growPlaces() {
        places = [Int32](repeating: -1, count: places.count * 4)
        for state in 0..<automaton.found.count where Int32(state) != automaton.start || state == 0 {
            let range = Int(memberStarts[state])..<Int(memberStarts[state + 1])
            let hash = SubsetConstruction.hash(members[range])
            var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
            while places[place] >= 0 { place = (place + 1) & (places.count - 1) }
            places[place] = Int32(state)
        }
    }

    private static func hash(_ nodes: some Sequence<Int32>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for node in nodes {
            hash = (hash ^ UInt64(truncatingIfNeeded: node)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        return hash
    }

    private func patterns(of nodes: [Int32]) -> [Int32] {
        var patterns: [Int32] = []
        for node in nodes where graph.accepted[Int(node)] >= 0 {
            patterns.append(graph.accepted[Int(node)])
        }
        // A pattern of several alternatives has several nodes.
        patterns.sort()
        return patterns.indices.filter { $0 == 0 || patterns[$0 - 1] != patterns[$0] }
            .map { patterns[$0] }
    }

    private mutating func number(of patterns: [Int32]) -> Int32 {
        if let number = setNumbers[patterns] { return number }
        let number = Int32(automaton.sets.count)
        automaton.sets.append(patterns)
        setNumbers[patterns] = number
        return number
    }
}
