import DomainNames
import FilterIndex
import FilterLists

/// Walks the text of the list and holds every name that it blocks against the policy as it is.
///
/// A rule on names below a name only is held by the name `*` below it: what is said of all names
/// there is said of that. Names are counted as often as the list has them.
package struct CandidateWalk: Sendable {
    /// How many names there are of each kind.
    package struct Tally: Equatable, Sendable {
        /// Names of block rules.
        package var names = 0
        /// Names that other rules of the list itself take out.
        package var exempt = 0
        /// Names that lists of the policy block already, by the place of the list that is named.
        package var blockedBy: [Int: Int] = [:]
        /// Of those, names below which the list blocks more than the policy.
        package var widened = 0
        /// Names that allow rules and rewrites of the policy keep from being blocked, by the place
        /// of the list.
        package var allowedBy: [Int: Int] = [:]
        /// Names that would be blocked, and are not now.
        package var new = 0
        /// The first of those.
        package var examples: [DomainName] = []
        /// Block rules on patterns: they have no names to be counted by.
        package var patterns = 0

        /// Names that the policy blocks already.
        package var blocked: Int { blockedBy.values.reduce(0, +) }
        /// Names that stay reachable by allow rules and rewrites of the policy.
        package var allowed: Int { allowedBy.values.reduce(0, +) }
    }

    /// The line that speaks of a name looked for.
    package struct Line: Equatable, Sendable {
        /// Its number, from 1.
        package let number: Int
        /// Its text.
        package let text: String
    }

    /// New names that are shown.
    package static let exampleLimit = 10

    /// What was counted.
    package private(set) var tally = Tally()
    /// The first line of the list that speaks of each of the names looked for, one on names before
    /// one on a pattern.
    package private(set) var lines: [DomainName: Line] = [:]
    private var decision: JointDecision
    private let options: ListOptions
    private let wanted: [DomainName]
    /// The names looked for and all above them, by a hash of their octets: places in `wanted`.
    private var places: [Int: [Int]] = [:]
    private var splitter = LineSplitter()
    private var reader: ListReader
    private var reading = LineReading()
    private var name = CanonicalName()
    /// Patterns whose lines may speak of names that no other line does.
    private var patterns: [PatternLine] = []

    /// Patterns that are tried on the names looked for.
    private static let patternLimit = 2_000

    /// A line with a block rule on a pattern.
    private struct PatternLine {
        let pattern: HostPattern
        let line: Line
        let exceptions: [(wire: [UInt8], scope: NameScope)]

        func speaks(of name: DomainName) -> Bool {
            pattern.matches(CanonicalName(name))
                && !exceptions.contains {
                    CandidateWalk.isCovered(name.wire, by: $0.wire.span, $0.scope)
                }
        }
    }

    /// A walk at the start of the text; lines are looked for that block `names`.
    package init(_ decision: JointDecision, options: ListOptions, names: [DomainName]) {
        self.decision = decision
        self.options = options
        reader = ListReader(options: options)
        wanted = names.map(\.lowercased)
        for (index, name) in wanted.enumerated() {
            var suffix: DomainName? = name
            while let part = suffix {
                places[Self.hash(part.wire.span), default: []].append(index)
                suffix = part.parent
            }
        }
    }

    /// Reads more of the text.
    package mutating func read(_ chunk: Span<UInt8>) {
        var splitter = LineSplitter()
        swap(&splitter, &self.splitter)
        splitter.split(chunk) { line, number in take(line, number) }
        self.splitter = splitter
    }

    /// Ends the text.
    package mutating func finish() {
        var splitter = splitter
        splitter.finish { line, number in take(line, number) }
        self.splitter = LineSplitter()
        for name in wanted where lines[name] == nil {
            lines[name] = patterns.first { $0.speaks(of: name) }?.line
        }
    }

    private mutating func take(_ line: Span<UInt8>, _ number: Int) {
        reader.read(line: line, number: number, into: &reading)
        let isBlock = reading.kind == .block || reading.isSinkBlock(in: options.action)
        guard isBlock, !reading.isBadFilter else { return }
        if let pattern = reading.hostPattern {
            tally.patterns += 1
            if !wanted.isEmpty, patterns.count < Self.patternLimit {
                patterns.append(
                    PatternLine(
                        pattern: pattern, line: Line(number: number, text: line.shownText),
                        exceptions: reading.except.map {
                            (reading.domainName($0).wire, $0.scope)
                        }))
            }
        }
        // A rule for some types is judged for one of them.
        let type: UInt16 = reading.typesAreExcluded ? 1 : reading.types.first ?? 1
        let octets = reading.octets
        for rule in reading.names {
            let wire = octets.span.extracting(rule.wire)
            if !places.isEmpty { note(wire, rule.scope, line, number) }
            guard assign(wire, isBelow: rule.scope == .below) else { continue }
            count(type: type, scope: rule.scope, wire)
        }
    }

    /// Makes the scratch name that of the octets, or `*` below it; `false` when that is too long.
    private mutating func assign(_ wire: Span<UInt8>, isBelow: Bool) -> Bool {
        guard isBelow else { return (try? name.assign(wire: wire)) != nil }
        var octets: [UInt8] = [1, UInt8(ascii: "*")]
        for index in wire.indices { octets.append(wire[index]) }
        return (try? name.assign(wire: octets.span)) != nil
    }

    private mutating func count(type: UInt16, scope: NameScope, _ wire: Span<UInt8>) {
        tally.names += 1
        guard decision.candidateVerdict(of: name, type: type).isBlock else {
            tally.exempt += 1
            return
        }
        if case .blocked(let rule, _, _) = decision.verdict(of: name, type: type) {
            tally.blockedBy[Int(rule.list), default: 0] += 1
            if scope == .subtree, assign(wire, isBelow: true) {
                let below = decision.change(of: name, type: type)
                if below.isBlocked, !below.wasBlocked { tally.widened += 1 }
            }
            return
        }
        guard decision.change(of: name, type: type).isBlocked else {
            tally.allowedBy[decision.sparingList(of: name, type: type) ?? 0, default: 0] += 1
            return
        }
        tally.new += 1
        guard tally.examples.count < Self.exampleLimit, let owned = try? DomainName(wire: wire)
        else { return }
        if !tally.examples.contains(owned) { tally.examples.append(owned) }
    }

    /// Keeps the line for those of the names looked for that the rule covers.
    private mutating func note(
        _ wire: Span<UInt8>, _ scope: NameScope, _ line: Span<UInt8>, _ number: Int
    ) {
        guard let found = places[Self.hash(wire)] else { return }
        for index in found {
            let name = wanted[index]
            guard lines[name] == nil, Self.isCovered(name.wire, by: wire, scope),
                !isExcepted(name.wire)
            else { continue }
            lines[name] = Line(number: number, text: line.shownText)
        }
    }

    /// Whether the line makes an exception for the name.
    private func isExcepted(_ name: [UInt8]) -> Bool {
        let octets = reading.octets
        return reading.except.contains {
            Self.isCovered(name, by: octets.span.extracting($0.wire), $0.scope)
        }
    }

    private static func hash(_ wire: Span<UInt8>) -> Int {
        var hasher = Hasher()
        for index in wire.indices { hasher.combine(wire[index]) }
        return hasher.finalize()
    }

    /// Whether a rule on `wire` speaks of a name.
    private static func isCovered(
        _ name: [UInt8], by wire: Span<UInt8>, _ scope: NameScope
    ) -> Bool {
        let start = name.count - wire.count
        var offset = 0
        // Where a label of the name starts, or its root: what follows is a name above it.
        while offset < start { offset += 1 + Int(name[offset]) }
        guard offset == start else { return false }
        for index in wire.indices where wire[index] != name[start + index] { return false }
        return start == 0 ? scope.includesName : scope.includesBelow
    }
}
