/// Why a line gives no rule.
package enum LineReason: String, CaseIterable, Error, Sendable {
    // Nothing to read.
    case blank = "blank"
    case comment = "comment"
    case header = "header"
    case directive = "directive"
    case section = "section"
    case setting = "setting"
    case apexRecord = "apex record"
    case continuation = "continuation"
    case localName = "local name"
    case addressWithoutName = "address without name"
    case addressForName = "address in place of a name"

    // Understood, but nothing that a name filter can decide or that this version does.
    case cosmetic = "cosmetic"
    case unsupportedModifier = "unsupported modifier"
    case clientCondition = "client condition"
    case clientTag = "client tag"
    case urlRule = "URL rule"
    case regularExpression = "regular expression"
    case wildcardPattern = "wildcard pattern"
    case ipRule = "IP rule"
    case forwardRule = "forward rule"
    case policyTrigger = "policy trigger"
    case tcpOnly = "TCP only"
    case recordType = "record type"
    case responseCode = "response code"
    case wildcardTarget = "wildcard target"
    case rewriteException = "rewrite exception"
    case multilineRecord = "record over several lines"
    case zonedAddress = "address with a zone"
    case include = "include"
    case zoneType = "zone type"

    // Wrong.
    case badName = "bad name"
    case emptyLabel = "empty label"
    case labelTooLong = "label too long"
    case nameTooLong = "name too long"
    case badInternationalName = "bad international name"
    case wholePublicSuffix = "whole public suffix"
    case urlInHosts = "URL in a hosts file"
    case urlForName = "URL in place of a name"
    case wildcardInHosts = "wildcard in a hosts file"
    case nameWithoutAddress = "name without address"
    case severalNames = "more than one name"
    case otherFormat = "rule of another format"
    case emptyPattern = "empty pattern"
    case emptyOptions = "empty options"
    case badModifierValue = "bad modifier value"
    case badAddress = "bad address"
    case unknownZoneType = "unknown zone type"
    case syntax = "syntax"
    case outOfZone = "out of zone"
    case html = "HTML"
    case lineTooLong = "line too long"
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
        case .clientCondition: "rule for single clients"
        case .clientTag: "rule for client tags"
        case .urlRule: "rule on more of a URL than its host"
        case .regularExpression: "regular expression, not matched yet"
        case .wildcardPattern: "pattern inside a name, not matched yet"
        case .ipRule: "rule on an address, which no name decides"
        case .forwardRule: "choice of an upstream, not a filter rule"
        case .policyTrigger: "RPZ trigger on something other than the queried name"
        case .tcpOnly: "RPZ action rpz-tcp-only"
        case .recordType: "local data of a type that rewrites do not have"
        case .responseCode: "response code that rules do not have"
        case .wildcardTarget: "rewrite to a name made from the queried one"
        case .rewriteException: "exception to rewrites only"
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
    var reason: LineReason
    /// Octets from the start of the line.
    var offset: Int

    init(_ reason: LineReason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
