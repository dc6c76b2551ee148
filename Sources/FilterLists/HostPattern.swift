import Automata
import DomainNames

/// A pattern on the text of a name: a wildcard or a regular expression, as a tree.
///
/// The text of a name is its labels in lower case with dots between and none at the end. A star
/// stands for any octets, dots among them.
package struct HostPattern: Hashable, Sendable {
    /// The language that a pattern is written in; the raw value is its word in reports.
    package enum Syntax: String, Sendable {
        /// Octets and stars.
        case wildcard
        /// What stands between slashes.
        case regularExpression = "regex"
    }

    /// What it says.
    package let tree: SyntaxTree

    /// The pattern of a wildcard's text without its anchors.
    package init(wildcard text: [UInt8], anchors: PatternAnchors) {
        var items: [SyntaxTree] = []
        if anchors.contains(.labelStart) {
            items.append(HostPattern.labelStart)
        } else if anchors.contains(.hostStart) {
            items.append(.start)
        }
        for octet in text {
            items.append(octet == .star ? .anything : .octet(octet.asciiLowercased))
        }
        if anchors.contains(.hostEnd) { items.append(.end) }
        tree = .sequence(items)
    }

    private static let labelStart = SyntaxTree.alternation([.start, .octet(.dot)])

    /// The pattern of an expression without its slashes; case does not count.
    package init(regularExpression text: Span<UInt8>) throws(PatternError) {
        tree = try RegularExpression.parse(text, ignoresCase: true)
    }

    /// Whether the name is one that the pattern speaks of.
    /// - Complexity: O(octets × size of the tree); allocates.
    package func matches(_ name: borrowing CanonicalName) -> Bool {
        var matcher = PatternMatcher(tree)
        return matcher.matches(name.text(fromLabel: 0))
    }

    /// Whether any name of letters, digits, `-`, `_` and dots can match.
    var canMatchHost: Bool { tree.canMatch(only: HostPattern.hostOctets) }

    /// What the text of a host is made of.
    private static let hostOctets = OctetSet("abcdefghijklmnopqrstuvwxyz0123456789-_.")
    /// What a label is tried with: one of these alone is always a host's label.
    private static let labelOctets = OctetSet("abcdefghijklmnopqrstuvwxyz0123456789")

    /// Top-level domains that no list blocks whole without being asked to. A pattern that names
    /// another one is held against that one too.
    private static let topLevelDomains = [
        "com", "net", "org", "info", "biz", "edu", "gov", "mil", "arpa", "app", "dev", "xyz", "top",
        "online", "shop", "site", "io", "co", "me", "eu", "de", "uk", "fr", "nl", "it", "es", "pl",
        "ch", "at", "se", "ru", "ua", "us", "ca", "br", "au", "jp", "cn", "in", "kr",
    ]

    /// Whether every name directly below some top-level domain matches: such a pattern takes all
    /// of it.
    ///
    /// Decided on the automaton, for labels of letters and digits up to 63 octets, for the domains
    /// of a table and for those that the pattern itself ends in.
    var coversTopLevelDomain: Bool {
        var matcher = PatternMatcher(tree)
        var suspects: [[UInt8]] = []
        for domain in HostPattern.topLevelDomains.map({ Array($0.utf8) }) + literalEnds {
            // Few patterns match this label, so few need an automaton to be told.
            let sample = Array("q7.".utf8) + domain
            if matcher.matches(sample.span) { suspects.append(domain) }
        }
        guard !suspects.isEmpty,
            let automaton = PatternSet([tree], direction: .backward).automata.first
        else { return false }
        return suspects.contains { HostPattern.coversLabels(below: $0, automaton) }
    }

    /// The last labels that the pattern writes out, each after a dot.
    private var literalEnds: [[UInt8]] {
        tree.reversed.searchAlternatives().compactMap { items in
            var label: [UInt8] = []
            for item in items.first == .anchor(.start) ? items.dropFirst() : items[...] {
                guard case .octet(let set) = item,
                    let octet = set.intersection(HostPattern.hostOctets).onlyOctet
                else { return nil }
                if octet == .dot { return label.isEmpty ? nil : label.reversed() }
                label.append(octet)
            }
            return nil
        }
    }

    /// Whether an automaton that reads backward finds its pattern in every name of one more label.
    private static func coversLabels(
        below domain: [UInt8], _ automaton: DeterministicAutomaton
    ) -> Bool {
        var state = automaton.start
        for octet in domain.reversed() + [.dot] {
            if !automaton.patterns(foundIn: state).isEmpty { return true }
            state = automaton.next(state, octet)
        }
        if !automaton.patterns(foundIn: state).isEmpty { return true }
        var octets: [UInt8] = []
        var seen: Set<UInt8> = []
        for octet in 0...255 as ClosedRange<UInt8> where labelOctets.contains(octet) {
            if seen.insert(automaton.classes[Int(octet)]).inserted { octets.append(octet) }
        }
        // `covers[s]` after n rounds: from s, every label of up to n octets is found.
        var covers = [Bool](repeating: true, count: automaton.stateCount)
        for _ in 0..<NameLimits.labelSize {
            let previous = covers
            for state in covers.indices where previous[state] {
                covers[state] = octets.allSatisfy { octet in
                    let next = automaton.next(Int32(state), octet)
                    if !automaton.patterns(foundIn: next).isEmpty { return true }
                    return !automaton.patterns(foundAtEndIn: next).isEmpty && previous[Int(next)]
                }
            }
            guard covers[Int(state)] else { return false }
            if covers == previous { break }
        }
        return true
    }
}
