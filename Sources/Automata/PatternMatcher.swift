/// One pattern run as it is written, by the set of places where it may stand: no tables, no limit
/// on states, and never more steps than octets × nodes.
package struct PatternMatcher: Sendable {
    private let graph: StateGraph
    private var closure: NodeClosure
    private var next: [Int32] = []
    private var current: [Int32] = []

    /// A matcher of a tree.
    package init(_ tree: SyntaxTree) {
        var graph = StateGraph()
        graph.add(tree, pattern: 0)
        self.graph = graph
        closure = NodeClosure(for: graph)
    }

    /// Whether the pattern is found in the text.
    /// - Complexity: O(octets × nodes).
    package mutating func matches(_ text: Span<UInt8>) -> Bool {
        let roots = [StateGraph.floatingRoot, StateGraph.anchoredRoot]
        closure.assign(roots, of: graph, atStart: true, atEnd: text.isEmpty)
        for index in text.indices {
            if isAccepting { return true }
            next.removeAll(keepingCapacity: true)
            for node in closure.nodes { step(from: node, over: text[index]) }
            swap(&current, &next)
            closure.assign(current, of: graph, atEnd: index == text.count - 1)
        }
        return isAccepting
    }

    private var isAccepting: Bool { closure.nodes.contains { graph.accepted[Int($0)] >= 0 } }

    private mutating func step(from node: Int32, over octet: UInt8) {
        var index = graph.firstEdge[Int(node)]
        while index >= 0 {
            let edge = graph.edges[Int(index)]
            index = edge.next
            guard edge.label >= StateGraph.Label.firstSet else { continue }
            if graph.sets[Int(edge.label - StateGraph.Label.firstSet)].contains(octet) {
                next.append(edge.target)
            }
        }
    }
}
