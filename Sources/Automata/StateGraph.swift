/// A nondeterministic automaton of many patterns, searched for at once.
///
/// Nodes are numbers; each has a list of edges in one shared array. An edge takes an octet of a
/// set, or nothing: freely, only at the start of the text, or only at its end. What patterns have
/// in common at their start is shared, as in a trie, so that ten thousand of them stay a few live
/// nodes wide:
/// ```
/// floating root ⟲ any ── a ── d ── s ─┬─ . ── accept 0
/// anchored root                       └─ 0…9 ── accept 1
/// ```
struct StateGraph {
    /// What an edge takes.
    enum Label {
        /// Nothing.
        static let free: Int32 = 0
        /// Nothing, before the first octet.
        static let atStart: Int32 = 1
        /// Nothing, after the last octet.
        static let atEnd: Int32 = 2
        /// From here on: an octet of set number `label - firstSet`.
        static let firstSet: Int32 = 3
    }

    /// One edge, in the list of its node.
    struct Edge {
        /// See `Label`.
        let label: Int32
        /// Where it leads.
        let target: Int32
        /// The next edge of the same node; −1 at the end.
        let next: Int32
    }

    /// Matches that begin anywhere start here: the node keeps itself alive.
    static let floatingRoot: Int32 = 0
    /// Matches that begin at the start of the text start here.
    static let anchoredRoot: Int32 = 1

    /// The first edge of each node; −1 for none.
    private(set) var firstEdge: [Int32] = [-1, -1]
    /// The pattern that a node accepts; −1 for none.
    private(set) var accepted: [Int32] = [-1, -1]
    /// All edges.
    private(set) var edges: [Edge] = []
    /// The sets of octets that edges take, each once; the first is all octets.
    private(set) var sets: [OctetSet] = [.all]
    /// Whether any match begins anywhere.
    private(set) var isFloating = false
    private var setNumbers: [OctetSet: Int32] = [.all: 0]
    /// Whether a node was reached from a root by shared edges alone.
    private var isShared = [true, true]

    /// No pattern.
    init() {}

    /// Nodes.
    var nodeCount: Int { firstEdge.count }

    /// Adds a pattern under a number.
    mutating func add(_ tree: SyntaxTree, pattern: Int32) {
        for items in tree.searchAlternatives() {
            let isAnchored = items.first == .anchor(.start)
            if !isAnchored && !isFloating {
                isFloating = true
                addEdge(Label.firstSet, from: StateGraph.floatingRoot, to: StateGraph.floatingRoot)
            }
            var node = isAnchored ? StateGraph.anchoredRoot : StateGraph.floatingRoot
            for item in items.dropFirst(isAnchored ? 1 : 0) {
                if case .octet(let set) = item, isShared[Int(node)] {
                    node = sharedNode(after: node, set)
                } else {
                    node = compile(item, from: node)
                }
            }
            let end = makeNode()
            accepted[Int(end)] = pattern
            addEdge(Label.free, from: node, to: end)
        }
    }

    private mutating func sharedNode(after node: Int32, _ set: OctetSet) -> Int32 {
        let label = label(of: set)
        var edge = firstEdge[Int(node)]
        while edge >= 0 {
            let candidate = edges[Int(edge)]
            if candidate.label == label, candidate.target != node,
                isShared[Int(candidate.target)]
            {
                return candidate.target
            }
            edge = candidate.next
        }
        let target = makeNode()
        isShared[Int(target)] = true
        addEdge(label, from: node, to: target)
        return target
    }

    /// Adds what a tree takes after a node; the node after it.
    private mutating func compile(_ tree: SyntaxTree, from node: Int32) -> Int32 {
        switch tree {
        case .empty: return node
        case .octet(let set):
            let target = makeNode()
            addEdge(label(of: set), from: node, to: target)
            return target
        case .anchor(let edge):
            let target = makeNode()
            addEdge(edge == .start ? Label.atStart : Label.atEnd, from: node, to: target)
            return target
        case .concatenation(let parts):
            return parts.reduce(node) { compile($1, from: $0) }
        case .alternation(let parts):
            let join = makeNode()
            for part in parts {
                let end = compile(part, from: node)
                addEdge(Label.free, from: end, to: join)
            }
            return join
        case .repetition(let part, let least, let most):
            return compile(part, least: least, most: most, from: node)
        }
    }

    private mutating func compile(
        _ part: SyntaxTree, least: Int, most: Int?, from node: Int32
    ) -> Int32 {
        var node = node
        for _ in 0..<least { node = compile(part, from: node) }
        guard let most else {
            let loop = makeNode()
            addEdge(Label.free, from: node, to: loop)
            if case .octet(let set) = part {
                addEdge(label(of: set), from: loop, to: loop)
            } else {
                let end = compile(part, from: loop)
                addEdge(Label.free, from: end, to: loop)
            }
            return loop
        }
        guard most > least else { return node }
        let exit = makeNode()
        addEdge(Label.free, from: node, to: exit)
        for _ in least..<most {
            node = compile(part, from: node)
            addEdge(Label.free, from: node, to: exit)
        }
        return exit
    }

    private mutating func label(of set: OctetSet) -> Int32 {
        if let number = setNumbers[set] { return Label.firstSet + number }
        let number = Int32(sets.count)
        sets.append(set)
        setNumbers[set] = number
        return Label.firstSet + number
    }

    private mutating func makeNode() -> Int32 {
        firstEdge.append(-1)
        accepted.append(-1)
        isShared.append(false)
        return Int32(firstEdge.count - 1)
    }

    private mutating func addEdge(_ label: Int32, from node: Int32, to target: Int32) {
        edges.append(Edge(label: label, target: target, next: firstEdge[Int(node)]))
        firstEdge[Int(node)] = Int32(edges.count - 1)
    }
}

/// The nodes that edges without an octet reach.
struct NodeClosure {
    /// Nodes to go on from: those with an edge that takes an octet, an edge at the end, or a
    /// pattern that they accept. Ascending.
    private(set) var nodes: [Int32] = []
    private var marks: [Int32]
    private var round: Int32 = 0
    private var open: [Int32] = []

    /// Room for a graph.
    init(for graph: StateGraph) { marks = [Int32](repeating: 0, count: graph.nodeCount) }

    /// Refills `nodes` from some nodes of the graph.
    /// - Parameters:
    ///   - atStart: whether no octet has been read yet.
    ///   - atEnd: whether no octet follows.
    mutating func assign(
        _ start: [Int32], of graph: StateGraph, atStart: Bool = false, atEnd: Bool = false
    ) {
        nodes.removeAll(keepingCapacity: true)
        round += 1
        for node in start where marks[Int(node)] != round {
            marks[Int(node)] = round
            open.append(node)
        }
        while let node = open.popLast() {
            var isKept = graph.accepted[Int(node)] >= 0
            var index = graph.firstEdge[Int(node)]
            while index >= 0 {
                let edge = graph.edges[Int(index)]
                index = edge.next
                let isFree =
                    edge.label == StateGraph.Label.free
                    || (atStart && edge.label == StateGraph.Label.atStart)
                    || (atEnd && edge.label == StateGraph.Label.atEnd)
                isKept =
                    isKept || edge.label >= StateGraph.Label.firstSet
                    || edge.label == StateGraph.Label.atEnd
                if isFree, marks[Int(edge.target)] != round {
                    marks[Int(edge.target)] = round
                    open.append(edge.target)
                }
            }
            if isKept { nodes.append(node) }
        }
        nodes.sort()
    }
}
