import DomainNames
import FilterIndex

/// What is asked, by whom and when: a name and a type, and how a rule's name lies to it.
package struct Question: Sendable {
    /// The name, in lower case.
    package let name: DomainName
    /// The query type.
    package let type: UInt16
    /// Who asks, and when.
    package let occasion: Occasion
    /// Where the labels of `name.wire` start, the root's last.
    private let labelStarts: [Int]

    /// A question for `name`.
    package init(name: DomainName, type: UInt16, occasion: Occasion) {
        let folded = name.lowercased
        labelStarts = Question.labelStarts(of: folded.wire.span)
        self.name = folded
        self.type = type
        self.occasion = occasion
    }

    /// Labels of the name, root not counted.
    var labelCount: Int { labelStarts.count - 1 }

    /// Labels of the wire name when it is this name or lies above it, else `nil`.
    /// - Complexity: O(octets); no allocation.
    func labels(ofEnclosing wire: Span<UInt8>) -> Int? {
        let own = name.wire
        let start = own.count - wire.count
        guard start >= 0, let label = labelStarts.firstIndex(of: start) else { return nil }
        for index in wire.indices where wire[index] != own[start + index] { return nil }
        return labelCount - label
    }

    /// Whether a rule on the wire name, with this scope, speaks of the name.
    func isCovered(by wire: Span<UInt8>, scope: NameScope) -> Bool {
        guard let labels = labels(ofEnclosing: wire) else { return false }
        return labels == labelCount ? scope.includesName : scope.includesBelow
    }

    /// Labels of the longest name that is this one or above it and has the wire name *below* it;
    /// `nil` when that is not even the root: the wire name is the root's.
    /// - Complexity: O(octets); allocates.
    func labels(ofLongestAbove wire: Span<UInt8>) -> Int? {
        let starts = Question.labelStarts(of: wire)
        guard starts.count > 1 else { return nil }
        let own = name.wire
        var shared = 0
        while shared < min(starts.count - 2, labelCount) {
            let first = starts[starts.count - 2 - shared]
            let second = labelStarts[labelCount - 1 - shared]
            let size = Int(wire[first])
            guard size == Int(own[second]) else { break }
            let isSame = (0...size).allSatisfy { wire[first + $0] == own[second + $0] }
            guard isSame else { break }
            shared += 1
        }
        return shared
    }

    /// Labels at its end that a wire name has in common with the name.
    /// - Returns: that, and the labels of the wire name.
    /// - Complexity: O(octets in common + labels); no allocation.
    func sharedLabels(with wire: Span<UInt8>) -> (shared: Int, theirs: Int) {
        let own = name.wire
        var octets = 0
        while octets < min(own.count, wire.count),
            own[own.count - 1 - octets] == wire[wire.count - 1 - octets]
        {
            octets += 1
        }
        // Octets may agree in the middle of a label: only where both names have a label count.
        var shared = 0
        var theirs = 0
        var offset = 0
        while wire[offset] != 0 {
            let rest = wire.count - offset
            if shared == 0, rest <= octets {
                shared = labelStarts.firstIndex(of: own.count - rest).map { labelCount - $0 } ?? 0
            }
            theirs += 1
            offset += 1 + Int(wire[offset])
        }
        return (shared, theirs)
    }

    /// Octets of the label `index`, counted from the top-level domain, which is 0.
    func labelSize(fromEnd index: Int) -> Int {
        Int(name.wire[labelStarts[labelCount - 1 - index]])
    }

    private static func labelStarts(of wire: Span<UInt8>) -> [Int] {
        var starts = [0]
        var offset = 0
        while wire[offset] != 0 {
            offset += 1 + Int(wire[offset])
            starts.append(offset)
        }
        return starts
    }
}
