/// Reads the regular expressions of filter rules: the part of JavaScript's language (ECMA-262
/// §22.2) that a finite automaton can decide.
///
/// ```
/// choice    a|b                  group   (a) (?:a) (?<name>a)      any octet   .
/// repeat    a* a+ a? a{2} a{2,} a{2,5}, each with a `?` behind that changes nothing here
/// class     [a-z_] [^.] \d \w \s \D \W \S       edges  ^ $
/// escape    \. \/ \xHH \u00HH \n \r \t \f \v \0
/// ```
/// Octets are what is matched, so `.` is one octet of any value and a letter outside ASCII is the
/// octets of its UTF-8. Look-around, back references and word boundaries are errors.
package struct RegularExpression: ~Escapable {
    /// Deepest nesting of groups.
    package static let depthLimit = 100
    /// Highest number of a count.
    package static let countLimit = 1000
    /// Most octets and choices of one pattern, counts written out.
    package static let sizeLimit = 4096

    /// The expression.
    let text: Span<UInt8>
    /// Whether letters match either case.
    let ignoresCase: Bool
    /// Offset of the next octet.
    var offset = 0

    @_lifetime(copy text)
    private init(_ text: Span<UInt8>, ignoresCase: Bool) {
        self.text = text
        self.ignoresCase = ignoresCase
    }

    /// The tree of an expression without its slashes.
    /// - Complexity: O(octets × depth); the tree is bounded by `sizeLimit` before it is built on.
    package static func parse(
        _ text: Span<UInt8>, ignoresCase: Bool
    ) throws(PatternError) -> SyntaxTree {
        var parser = RegularExpression(text, ignoresCase: ignoresCase)
        let result = try parser.alternation(depth: 0)
        guard parser.offset == text.count else {
            throw .unbalancedParenthesis(offset: parser.offset)
        }
        return result.tree
    }

    /// A tree and its size.
    private struct Sized {
        var tree: SyntaxTree
        var size: Int
    }

    /// The next octet, not stepped over.
    var next: UInt8? { offset < text.count ? text[offset] : nil }

    /// Steps over an octet if it comes next.
    @_lifetime(self: copy self)
    mutating func skip(_ octet: UInt8) -> Bool {
        guard next == octet else { return false }
        offset += 1
        return true
    }

    @_lifetime(self: copy self)
    private mutating func alternation(depth: Int) throws(PatternError) -> Sized {
        var parts: [SyntaxTree] = []
        var size = 0
        repeat {
            let part = try sequence(depth: depth)
            parts.append(part.tree)
            size += part.size + 1
            guard size <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        } while skip(UInt8(ascii: "|"))
        return Sized(tree: parts.count == 1 ? parts[0] : .alternation(parts), size: size)
    }

    @_lifetime(self: copy self)
    private mutating func sequence(depth: Int) throws(PatternError) -> Sized {
        var items: [SyntaxTree] = []
        var size = 0
        while let octet = next, octet != UInt8(ascii: "|"), octet != UInt8(ascii: ")") {
            let item = try repeated(try atom(depth: depth))
            items.append(item.tree)
            size += item.size
            guard size <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        }
        return Sized(tree: .sequence(items), size: size)
    }

    /// One octet, class, edge or group.
    @_lifetime(self: copy self)
    private mutating func atom(depth: Int) throws(PatternError) -> Sized {
        let start = offset
        guard let octet = next else { return Sized(tree: .empty, size: 0) }
        switch octet {
        case UInt8(ascii: "("): return try group(depth: depth)
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"):
            throw .nothingToRepeat(offset: start)
        case UInt8(ascii: "{"):
            guard try count() == nil else { throw .nothingToRepeat(offset: start) }
        case UInt8(ascii: "^"), UInt8(ascii: "$"):
            offset += 1
            return Sized(tree: octet == UInt8(ascii: "^") ? .start : .end, size: 1)
        case UInt8(ascii: "["): return Sized(tree: .octet(try characterClass()), size: 1)
        case UInt8(ascii: "."):
            offset += 1
            return Sized(tree: .octet(.all), size: 1)
        case UInt8(ascii: "\\"):
            let set = folded(try escape(inClass: false))
            return Sized(tree: .octet(set), size: 1)
        default: break
        }
        offset += 1
        return Sized(tree: .octet(octet, ignoresCase: ignoresCase), size: 1)
    }

    /// A set with the other case of its letters where that does not count.
    func folded(_ set: OctetSet) -> OctetSet { ignoresCase ? set.ignoringCase : set }

    @_lifetime(self: copy self)
    private mutating func group(depth: Int) throws(PatternError) -> Sized {
        let start = offset
        offset += 1
        if skip(UInt8(ascii: "?")) { try groupKind(start) }
        guard depth < Self.depthLimit else { throw .tooDeep(offset: start) }
        let content = try alternation(depth: depth + 1)
        guard skip(UInt8(ascii: ")")) else { throw .unbalancedParenthesis(offset: start) }
        return content
    }

    /// What stands between `(?` and the content of the group that starts at `start`.
    @_lifetime(self: copy self)
    private mutating func groupKind(_ start: Int) throws(PatternError) {
        if skip(UInt8(ascii: ":")) { return }
        if next == UInt8(ascii: "=") || next == UInt8(ascii: "!") {
            throw .unsupported(.lookAround, offset: start)
        }
        guard skip(UInt8(ascii: "<")) else { throw .unsupported(.inlineFlags, offset: start) }
        if next == UInt8(ascii: "=") || next == UInt8(ascii: "!") {
            throw .unsupported(.lookAround, offset: start)
        }
        let name = offset
        let word = OctetSet.word
        while let octet = next, word.contains(octet) { offset += 1 }
        guard offset > name, skip(UInt8(ascii: ">")) else {
            throw .unbalancedParenthesis(offset: start)
        }
    }

    /// A part with what says how often it stands.
    @_lifetime(self: copy self)
    private mutating func repeated(_ part: Sized) throws(PatternError) -> Sized {
        let start = offset
        let range: (least: Int, most: Int?)
        switch next {
        case UInt8(ascii: "*"):
            range = (0, nil)
            offset += 1
        case UInt8(ascii: "+"):
            range = (1, nil)
            offset += 1
        case UInt8(ascii: "?"):
            range = (0, 1)
            offset += 1
        case UInt8(ascii: "{"):
            guard let found = try count() else { return part }
            range = found
        default: return part
        }
        if case .anchor = part.tree { throw .nothingToRepeat(offset: start) }
        _ = skip(UInt8(ascii: "?"))
        let copies = max(range.most ?? (range.least + 1), 1)
        let size = (part.size + 1) * copies
        guard size <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        return Sized(
            tree: .repetition(part.tree, least: range.least, most: range.most), size: size)
    }

    /// `{n}`, `{n,}` or `{n,m}`; `nil`, and nothing stepped over, when a brace is just a brace.
    @_lifetime(self: copy self)
    private mutating func count() throws(PatternError) -> (least: Int, most: Int?)? {
        let start = offset
        offset += 1
        guard let least = number() else {
            offset = start
            return nil
        }
        var most: Int? = least
        if skip(UInt8(ascii: ",")) { most = number() }
        guard skip(UInt8(ascii: "}")) else {
            offset = start
            return nil
        }
        guard least <= Self.countLimit, (most ?? least) <= Self.countLimit,
            (most ?? least) >= least
        else { throw .badCount(offset: start) }
        return (least, most)
    }

    /// A decimal number; one above the limit reads as one more than it.
    @_lifetime(self: copy self)
    private mutating func number() -> Int? {
        let start = offset
        var value = 0
        while let octet = next, octet &- 0x30 < 10 {
            value = min(value * 10 + Int(octet - 0x30), Self.countLimit + 1)
            offset += 1
        }
        return offset > start ? value : nil
    }
}
