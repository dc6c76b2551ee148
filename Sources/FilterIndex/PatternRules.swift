import Automata
import DomainNames

/// Rules on patterns: automata over the text of a name, and the rules of each pattern.
///
/// ```
/// 0    4   patterns, p; those of block kind are numbered first     u32, little-endian
/// 4    4   patterns of block kind, b ≤ p
/// 8    4   octets of rules, r
/// 12   2   automata of block kind · 2 automata of allow kind, 16 of each at most
/// 16   4a  octets of each automaton, those of block kind first
/// …    r   rules: as ConditionalRules, one group a pattern by number, with an empty key each
/// …        automata: see AutomatonTable
/// ```
/// Without patterns the section is empty. Automata read the text of a name, in lower case with a
/// dot between labels and none at the end, from its last octet; so a dot inside a label is taken
/// for one between.
///
/// Two gates: automata of block kind run over every name that is asked for, those of allow kind
/// only once a block applies. A rule on a pattern loses against any rule of its tier on a name.
package struct PatternRules: ~Escapable {
    /// Most automata of one kind.
    package static let automatonLimit = 16
    /// Octets in front of the sizes.
    package static let headerSize = 16

    /// Where the parts of a section lie; read once, when the file is opened.
    package struct Shape: Sendable {
        /// Patterns of both kinds.
        package let patternCount: Int
        /// Patterns of block kind.
        package let blockCount: Int
        /// The rules.
        let rules: Range<Int>
        /// Automata of block kind.
        package let blockAutomata: Int
        /// Automata of allow kind.
        package let allowAutomata: Int
        /// Where the automata start and the last one ends, by number.
        private var bounds: InlineArray<33, Int>

        /// The automata of a kind, by number.
        func automata(isAllow: Bool) -> Range<Int> {
            isAllow ? blockAutomata..<(blockAutomata + allowAutomata) : 0..<blockAutomata
        }

        /// Where an automaton lies in the section.
        func range(ofAutomaton number: Int) -> Range<Int> {
            let bounds = bounds.span
            return bounds[number]..<bounds[number + 1]
        }

        /// Reads a section's header; `nil` when its parts do not fill it.
        /// - Complexity: O(automata).
        package init?(_ section: Span<UInt8>) {
            bounds = .init(repeating: 0)
            guard section.count > 0 else {
                (patternCount, blockCount, rules) = (0, 0, 0..<0)
                (blockAutomata, allowAutomata) = (0, 0)
                return
            }
            guard let patterns = section.littleEndian32(at: 0),
                let blocks = section.littleEndian32(at: 4), blocks <= patterns,
                let size = section.littleEndian32(at: 8),
                let blockAutomata = section.littleEndian16(at: 12),
                let allowAutomata = section.littleEndian16(at: 14),
                blockAutomata <= PatternRules.automatonLimit,
                allowAutomata <= PatternRules.automatonLimit
            else { return nil }
            patternCount = Int(patterns)
            blockCount = Int(blocks)
            self.blockAutomata = Int(blockAutomata)
            self.allowAutomata = Int(allowAutomata)
            let count = Int(blockAutomata) + Int(allowAutomata)
            let start = PatternRules.headerSize + 4 * count
            rules = start..<(start + Int(size))
            bounds[0] = rules.upperBound
            for number in 0..<count {
                guard let size = section.littleEndian32(at: PatternRules.headerSize + 4 * number)
                else { return nil }
                bounds[number + 1] = bounds[number] + Int(size)
            }
            guard bounds[count] == section.count else { return nil }
        }
    }

    private let section: Span<UInt8>
    private let shape: Shape

    /// A view of a section of this shape.
    @_lifetime(copy section)
    init(_ section: Span<UInt8>, shape: Shape) {
        self.section = section
        self.shape = shape
    }

    /// The header's word of the rules, which says whether some depend on the occasion; `nil` when
    /// rules, automata and their headers do not fit one another.
    func verifiedWord() -> UInt32? {
        guard shape.patternCount > 0 else { return section.count == 0 ? 0 : nil }
        let octets = section.extracting(shape.rules)
        let header = RuleGroups.header(of: octets, allowing: RuleGroups.Word.dependsOnOccasion)
        guard let header, header.names == shape.patternCount else { return nil }
        for number in 0..<(shape.blockAutomata + shape.allowAutomata) {
            guard AutomatonTable(section.extracting(shape.range(ofAutomaton: number))) != nil else {
                return nil
            }
        }
        return header.word
    }

    /// Whether a pattern of block kind is found in the text of a name: asked for every query, so no
    /// view is made, which would copy the shape.
    /// - Complexity: O(octets) for each automaton; no allocation.
    static func findsBlock(
        in text: Span<UInt8>, section: Span<UInt8>, shape: borrowing Shape
    ) -> Bool {
        for number in 0..<shape.blockAutomata {
            let octets = section.extracting(shape.range(ofAutomaton: number))
            if let table = AutomatonTable(octets), table.findsAny(in: text) { return true }
        }
        return false
    }

    /// Offers the rules of one kind whose patterns are found in a name and that apply to the
    /// question.
    /// - Complexity: O(octets) for each automaton, and the rules of what is found; no allocation.
    func collect(
        for key: borrowing IndexKey.View, text: Span<UInt8>, question: ConditionalRules.Question,
        into candidates: inout TierCandidates
    ) {
        let rules = ConditionalRules(section.extracting(shape.rules))
        for number in shape.automata(isAllow: question.wantsAllows) {
            let octets = section.extracting(shape.range(ofAutomaton: number))
            guard let table = AutomatonTable(octets) else { continue }
            var finds = table.finds(in: text)
            while let pattern = finds.next() {
                rules.collect(group: pattern, for: key, question: question, into: &candidates)
            }
        }
    }

    /// Whether a pattern of allow kind may be found in a name below the one of this text: `false`
    /// is certain.
    func mayAllow(below text: Span<UInt8>) -> Bool {
        for number in shape.automata(isAllow: true) {
            let octets = section.extracting(shape.range(ofAutomaton: number))
            guard let table = AutomatonTable(octets) else { continue }
            if text.isEmpty || table.mayFind(after: text, UInt8(ascii: ".")) { return true }
        }
        return false
    }
}
