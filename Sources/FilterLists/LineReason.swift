import Automata

/// Why a line gives no rule.
package enum LineReason: String, CaseIterable, Error, Sendable {
    // Nothing to read.
    /// Nothing but blanks.
    case blank = "blank"
    /// A comment of the format.
    case comment = "comment"
    /// The `[…]` line of an adblock list.
    case header = "header"
    /// A preprocessor or zone file directive.
    case directive = "directive"
    /// A section of a configuration file.
    case section = "section"
    /// A setting that is no rule.
    case setting = "setting"
    /// A record of the policy zone itself: SOA, NS.
    case apexRecord = "apex record"
    /// A further line of a record in parentheses.
    case continuation = "continuation"
    /// A name of the machine itself (`localhost`), never blocked.
    case localName = "local name"
    /// A hosts line without a name.
    case addressWithoutName = "address without name"
    /// An address where a name belongs.
    case addressForName = "address in place of a name"

    // Understood, but nothing that a name filter can decide or that this version does.
    /// An element-hiding or scriptlet rule.
    case cosmetic = "cosmetic"
    /// A modifier that needs more than a name to decide.
    case unsupportedModifier = "unsupported modifier"
    /// `$client` with a client's name, a hardware address, or too many clients.
    case clientCondition = "client condition"
    /// `$ctag`.
    case clientTag = "client tag"
    /// A rule on more of a URL than its host.
    case urlRule = "URL rule"
    /// A regular expression with what no automaton decides.
    case unsupportedExpression = "unsupported regular expression"
    /// A pattern whose automaton would be too large, or for which no room is left.
    case patternTooComplex = "pattern too complex"
    /// More patterns, or more text of patterns, than a policy may have.
    case tooManyPatterns = "too many patterns"
    /// A rewrite of all names that match a pattern.
    case rewriteByPattern = "rewrite by pattern"
    /// A wildcard where the format has none, or a second one on a line; it is kept.
    case wildcardPattern = "wildcard pattern"
    /// A rule on an address.
    case ipRule = "IP rule"
    /// A choice of an upstream.
    case forwardRule = "forward rule"
    /// An RPZ trigger on something other than the queried name.
    case policyTrigger = "policy trigger"
    /// The RPZ action `rpz-tcp-only.`
    case tcpOnly = "TCP only"
    /// Local data that is no A, AAAA or CNAME.
    case recordType = "record type"
    /// A response code that rules do not have.
    case responseCode = "response code"
    /// An RPZ rewrite to `*.name.`
    case wildcardTarget = "wildcard target"
    /// `@@` with a `$dnsrewrite` whose answer makes it a block.
    case rewriteException = "rewrite exception"
    /// A record, other than of the zone itself, in parentheses over lines.
    case multilineRecord = "record over several lines"
    /// A rewrite to an address of one link.
    case zonedAddress = "address with a zone"
    /// An inclusion of another file.
    case include = "include"
    /// An Unbound zone type that needs data from elsewhere.
    case zoneType = "zone type"

    // Wrong.
    /// A regular expression with a mistake.
    case badExpression = "bad regular expression"
    /// An octet that no host name in a list has, or a bad escape.
    case badName = "bad name"
    /// Two dots in a row, or nothing before a dot.
    case emptyLabel = "empty label"
    /// More than 63 octets (RFC 1035 §2.3.4).
    case labelTooLong = "label too long"
    /// More than 255 octets on the wire (RFC 1035 §2.3.4).
    case nameTooLong = "name too long"
    /// A Unicode name without an A-label form.
    case badInternationalName = "bad international name"
    /// A block rule on one label or the root.
    case wholePublicSuffix = "whole public suffix"
    /// A URL in a hosts file.
    case urlInHosts = "URL in a hosts file"
    /// A URL in a domain list.
    case urlForName = "URL in place of a name"
    /// A `*` in a hosts file.
    case wildcardInHosts = "wildcard in a hosts file"
    /// A hosts line that starts with a name.
    case nameWithoutAddress = "name without address"
    /// A second name in a domain list.
    case severalNames = "more than one name"
    /// An adblock rule in a list of names.
    case otherFormat = "rule of another format"
    /// A wildcard of so few octets that it is hardly meant.
    case patternTooShort = "pattern too short"
    /// A rule without text to match.
    case emptyPattern = "empty pattern"
    /// A `$` with nothing after it.
    case emptyOptions = "empty options"
    /// A modifier without a usable value.
    case badModifierValue = "bad modifier value"
    /// Text that is no address of the right family.
    case badAddress = "bad address"
    /// A zone type that Unbound does not have.
    case unknownZoneType = "unknown zone type"
    /// A line that the grammar of its format does not have.
    case syntax = "syntax"
    /// An owner outside the policy zone.
    case outOfZone = "out of zone"
    /// Markup or script: a web page instead of a list.
    case html = "HTML"
    /// More than 64 KiB.
    case lineTooLong = "line too long"
    /// An octet of zero.
    case nulOctet = "NUL octet"

    /// The stable word under which lines are counted by kind.
    package var key: String { rawValue }
}

extension LineReason: CustomStringConvertible {
    /// One sentence part for a person.
    package var description: String {
        switch self {
        case .blank, .comment, .header, .directive, .section, .setting, .continuation, .cosmetic,
            .emptyLabel, .syntax:
            rawValue
        case .apexRecord: "record of the zone itself"
        case .localName: "name of the machine itself, never blocked"
        case .addressWithoutName: "address without a name"
        case .addressForName: "address where a name belongs"
        case .unsupportedModifier: "modifier that needs more than a name to decide"
        case .clientCondition: "rule for a client by name, not by address"
        case .clientTag: "rule for client tags"
        case .urlRule: "rule on more of a URL than its host"
        case .unsupportedExpression: "regular expression that no automaton decides"
        case .patternTooComplex: "pattern whose automaton would be too large"
        case .tooManyPatterns: "more patterns than a policy may have"
        case .rewriteByPattern: "rewrite of all names that match a pattern"
        case .wildcardPattern: "wildcard that is not read here"
        case .badExpression: "regular expression with a mistake"
        case .ipRule: "rule on an address, which no name decides"
        case .forwardRule: "choice of an upstream, not a filter rule"
        case .policyTrigger: "RPZ trigger on something other than the queried name"
        case .tcpOnly: "RPZ action rpz-tcp-only"
        case .recordType: "local data of a type that rewrites do not have"
        case .responseCode: "response code that rules do not have"
        case .wildcardTarget: "rewrite to a name made from the queried one"
        case .rewriteException: "exception to a rewrite that counts as a block"
        case .multilineRecord: "record over several lines"
        case .zonedAddress: "address of one link, no answer for others"
        case .include: "inclusion of another file"
        case .zoneType: "zone type that needs data from elsewhere"
        case .badName: "octet that no host name in a list has"
        case .labelTooLong: "label longer than 63 octets"
        case .nameTooLong: "name longer than 255 octets"
        case .badInternationalName: "Unicode name without an A-label form"
        case .wholePublicSuffix: "rule on a whole top-level domain"
        case .urlInHosts: "URL where a hosts file has a name"
        case .urlForName: "URL where a name belongs"
        case .wildcardInHosts: "wildcard, which hosts files do not have"
        case .nameWithoutAddress: "no address before the name"
        case .severalNames: "more than one name on the line"
        case .otherFormat: "rule in the syntax of another format"
        case .patternTooShort: "pattern of fewer than three octets"
        case .emptyPattern: "pattern without text"
        case .emptyOptions: "`$` without a modifier after it"
        case .badModifierValue: "modifier without a usable value"
        case .badAddress: "neither an IPv4 nor an IPv6 address"
        case .unknownZoneType: "zone type that Unbound does not have"
        case .outOfZone: "name outside the policy zone"
        case .html: "text of a web page, not of a list"
        case .lineTooLong: "line longer than 64 KiB"
        case .nulOctet: "NUL octet in the line"
        }
    }
}

/// What is odd about a line that still counts.
package enum LineWarning: Hashable, Sendable {
    /// A label starts or ends with a hyphen: no host name (RFC 952), yet a valid DNS name.
    case hyphenAtLabelEdge
    /// A regular expression may start to match in the middle of a label.
    case notLabelAnchored
    /// A rule on a name of one label.
    case singleLabel
    /// One of several names on the line was left out.
    case nameSkipped(LineReason, column: Int)

    /// The stable word for counting.
    package var key: String {
        switch self {
        case .hyphenAtLabelEdge: "hyphen at label edge"
        case .notLabelAnchored: "not label-anchored"
        case .singleLabel: "single label"
        case .nameSkipped: "name skipped"
        }
    }
}

extension LineWarning: CustomStringConvertible {
    /// One phrase for a person.
    package var description: String {
        switch self {
        case .nameSkipped(let reason, let column):
            "name at column \(column) skipped: \(reason)"
        default: key
        }
    }
}

/// A reason to give a line up, and where in it.
struct LineFault: Error {
    /// What is wrong.
    var reason: LineReason
    /// Octets from the start of the line.
    var offset: Int
    /// What is wrong with a pattern.
    var cause: PatternError?

    /// A fault at an octet of the line.
    init(_ reason: LineReason, at offset: Int, cause: PatternError? = nil) {
        self.reason = reason
        self.offset = offset
        self.cause = cause
    }
}
