import Automata
import DomainNames
import Quantities

/// A name of a rule: its octets in `LineReading.octets`, and how far it reaches.
package struct RuleName: Hashable, Sendable {
    /// The uncompressed wire form in lower case, root label included.
    package var wire: Range<Int>
    /// Which names the rule speaks of.
    package var scope: NameScope

    /// The name at these octets.
    package init(wire: Range<Int>, scope: NameScope) {
        self.wire = wire
        self.scope = scope
    }
}

/// What a rule answers with.
package enum RuleAnswer: Hashable, Sendable {
    /// What the configuration answers blocked names with.
    case standard
    /// No error, no records.
    case nodata
    /// REFUSED.
    case refused
    /// No reply at all.
    case drop
    /// These A and AAAA records.
    case addresses([RuleAddress])
    /// An alias; the target in wire form.
    case cname([UInt8])
    /// A record of this type and RDATA.
    case record(type: UInt16, data: [UInt8])
    /// This response code.
    case rcode(UInt8)
}

/// A client that `$client` names.
package struct ClientCondition: Hashable, Sendable {
    /// Who it is.
    package enum Subject: Hashable, Sendable {
        /// One address.
        case address(RuleAddress)
        /// All addresses that share the first `length` bits.
        case prefix(RuleAddress, length: Int)
        /// A client by its configured name, the octets as written.
        case name([UInt8])
    }

    /// Who it is.
    package var subject: Subject
    /// Whether the rule is for all others (`~`).
    package var isExcluded: Bool

    /// A condition on one client, or on all others.
    package init(subject: Subject, isExcluded: Bool) {
        self.subject = subject
        self.isExcluded = isExcluded
    }

    /// The addresses of the client; `nil` when it is given by name.
    package var prefix: AddressPrefix? {
        switch subject {
        case .address(let address):
            let address = address.value
            return AddressPrefix(address, bits: address.bitCount)
        case .prefix(let address, let length):
            return AddressPrefix(address.value, bits: length)
        case .name: return nil
        }
    }
}

/// How a pattern is tied to the text of a host.
package struct PatternAnchors: OptionSet, Hashable, Sendable {
    /// Bits of the members.
    package var rawValue: UInt8

    /// The set of these bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `|` at the start: the host starts here.
    package static let hostStart = PatternAnchors(rawValue: 1)
    /// `||` at the start: a label starts here.
    package static let labelStart = PatternAnchors(rawValue: 2)
    /// `^` or `|` at the end: the host ends here.
    package static let hostEnd = PatternAnchors(rawValue: 4)
}

/// What one line was read as; made once and refilled for every line.
///
/// ```
/// octets  3 a d s 7 e x a m p l e 0 | 4 g o o d 7 e x a m p l e 0 | …
///         names[0].wire               except[0].wire, or names[1].wire
/// ```
/// Invariant: every range of `names` and `except` is one wire name within the limits of RFC 1035
/// §2.3.4. Only `ListReader` writes.
package struct LineReading: Sendable {
    /// The verdict on a line; the raw value is its word in `sluice lint --json`.
    package enum Kind: String, CaseIterable, Sendable {
        /// Names are blocked.
        case block
        /// Names are exempt.
        case allow
        /// Names get an answer of the list's own.
        case rewrite
        /// Nothing to do: comments, headers, the machine's own names.
        case ignored
        /// Understood, not decidable on a name or not done in this version.
        case unsupported
        /// Wrong.
        case error
    }

    /// The verdict.
    package internal(set) var kind = Kind.ignored
    /// Why there is no rule; `nil` for block, allow and rewrite.
    package internal(set) var reason: LineReason? = .blank
    /// The column that the reason speaks of, from 1; 0 when it is the whole line.
    package internal(set) var column = 0
    /// What is odd about the line.
    package internal(set) var warnings: [LineWarning] = []
    /// The octets of all names of the line.
    package internal(set) var octets: [UInt8] = []
    /// The names of the rule; an unsupported rule keeps those that it has.
    package internal(set) var names: [RuleName] = []
    /// `$important`.
    package internal(set) var important = false
    /// `$badfilter`: the rule does nothing but disable the rules of the same `identity`.
    package internal(set) var isBadFilter = false
    /// Where the rule stands in the line, blanks and comment left out.
    package internal(set) var ruleText = 0..<0
    /// The canonical text of an adblock rule that has modifiers: lower case, modifiers sorted, no
    /// `badfilter` and no `$` without modifiers. Empty for other rules: see `appendIdentity`.
    package internal(set) var identity: [UInt8] = []
    /// `$dnstype`: the query types that the rule is for, or not for; empty is all.
    package internal(set) var types: [UInt16] = []
    /// Whether `types` are those that the rule is *not* for.
    package internal(set) var typesAreExcluded = false
    /// `$denyallow`: names that the rule does not speak of.
    package internal(set) var except: [RuleName] = []
    /// `$client`: the clients that the rule is for.
    package internal(set) var clients: [ClientCondition] = []
    /// The text of a wildcard pattern without its anchors, or of a regular expression without its
    /// slashes; an unsupported rule keeps it too.
    package internal(set) var pattern: [UInt8] = []
    /// What `pattern` is written in.
    package internal(set) var patternSyntax = HostPattern.Syntax.wildcard
    /// The anchors of a wildcard pattern.
    package internal(set) var patternAnchors: PatternAnchors = []
    /// The pattern that the rule is on, besides its names; `nil` when there is none, or none that
    /// can be decided.
    package internal(set) var hostPattern: HostPattern?
    /// What is wrong with a regular expression, when `reason` speaks of one.
    var patternError: PatternError?
    /// Of a rewrite: whether it takes out the rewrites of its names, all of them or those with its
    /// answer, instead.
    package internal(set) var exceptsRewrites = false
    /// What the rule answers with.
    package internal(set) var answer = RuleAnswer.standard
    /// The answer in the list's own terms (`0.0.0.0`, `NXDOMAIN`); empty when it states none.
    package internal(set) var statedAnswer = ""

    /// Whether this is a block or allow rule on names alone, with the standard answer and without
    /// any condition. Stored, so that asking does not copy a reading that a closure has captured.
    package internal(set) var isPlain = false

    /// An empty reading.
    package init() {
        octets.reserveCapacity(1024)
        names.reserveCapacity(16)
    }

    /// The pattern as an adblock rule writes it, with its anchors or slashes; empty without one.
    package var patternText: String {
        guard !pattern.isEmpty else { return "" }
        let text = String(decoding: pattern, as: UTF8.self)
        guard patternSyntax == .wildcard else { return "/\(text)/" }
        let start =
            patternAnchors.contains(.labelStart)
            ? "||" : patternAnchors.contains(.hostStart) ? "|" : ""
        return start + text + (patternAnchors.contains(.hostEnd) ? "^" : "")
    }

    /// What is wrong with a regular expression, for a person; `nil` when nothing is.
    package var detail: String? { patternError?.description }

    /// A name of this reading as a value of its own.
    package func domainName(_ name: RuleName) -> DomainName {
        guard let value = try? DomainName(wire: octets.span.extracting(name.wire)) else {
            preconditionFailure("a reading holds only names within the limits")
        }
        return value
    }

    /// Appends the text by which `$badfilter` finds this rule.
    /// - Parameter line: the line that this was read from.
    package func appendIdentity(ofLine line: Span<UInt8>, to text: inout [UInt8]) {
        guard identity.isEmpty else {
            text.append(contentsOf: identity)
            return
        }
        for index in ruleText { text.append(line[index].asciiLowercased) }
    }

    /// Makes this the reading of a blank line; keeps the buffers.
    mutating func clear() {
        isPlain = false
        kind = .ignored
        reason = .blank
        column = 0
        if !warnings.isEmpty { warnings.removeAll(keepingCapacity: true) }
        if !octets.isEmpty { octets.removeAll(keepingCapacity: true) }
        if !names.isEmpty { names.removeAll(keepingCapacity: true) }
        important = false
        isBadFilter = false
        ruleText = 0..<0
        if !identity.isEmpty { identity.removeAll(keepingCapacity: true) }
        if !types.isEmpty { types.removeAll(keepingCapacity: true) }
        typesAreExcluded = false
        if !except.isEmpty { except.removeAll(keepingCapacity: true) }
        if !clients.isEmpty { clients.removeAll(keepingCapacity: true) }
        if !pattern.isEmpty { pattern.removeAll(keepingCapacity: true) }
        patternSyntax = .wildcard
        patternAnchors = []
        hostPattern = nil
        patternError = nil
        exceptsRewrites = false
        answer = .standard
        statedAnswer = ""
    }

    /// Settles `isPlain` once the line is read.
    mutating func settle() {
        guard kind == .block || kind == .allow, case .standard = answer else { return }
        isPlain =
            !important && !isBadFilter && types.isEmpty && except.isEmpty && clients.isEmpty
            && hostPattern == nil
    }

    /// A rule of this kind.
    mutating func accept(_ kind: Kind) {
        self.kind = kind
        reason = nil
    }

    /// No rule, because there is nothing to do.
    mutating func ignore(_ reason: LineReason) {
        kind = .ignored
        self.reason = reason
    }

    /// No rule, because it cannot be decided.
    mutating func refuse(_ reason: LineReason, at offset: Int? = nil) {
        kind = .unsupported
        self.reason = reason
        column = offset.map { $0 + 1 } ?? 0
    }

    /// No rule, because the line is wrong; nothing of it stays.
    mutating func fail(_ fault: LineFault) {
        clear()
        kind = .error
        reason = fault.reason
        column = fault.offset + 1
        patternError = fault.cause
    }

    /// The rule is on a wildcard pattern.
    mutating func set(wildcard text: [UInt8], anchors: PatternAnchors) {
        pattern = text
        patternSyntax = .wildcard
        patternAnchors = anchors
        hostPattern = HostPattern(wildcard: text, anchors: anchors)
    }

    /// Takes the pattern out of a rule that has names besides.
    mutating func dropPattern() {
        pattern.removeAll(keepingCapacity: true)
        patternAnchors = []
        hostPattern = nil
    }

    /// Adds a warning, each once.
    mutating func warn(_ warning: LineWarning) {
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// Blocks with the list's own words for it.
    mutating func block(_ answer: RuleAnswer = .standard, stated: String = "") {
        accept(.block)
        self.answer = answer
        statedAnswer = stated
    }

    /// Answers with addresses; a sink address blocks instead unless `keepsSinks`.
    mutating func answer(with addresses: [RuleAddress], keepsSinks: Bool = false) {
        let text = addresses.map { $0.description }.joined(separator: ", ")
        if !keepsSinks && addresses.allSatisfy({ $0.isSink }) { return block(stated: text) }
        accept(.rewrite)
        answer = .addresses(addresses)
        statedAnswer = text
    }
}
