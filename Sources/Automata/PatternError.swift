/// Why a pattern becomes no automaton. Offsets count octets from the start of its text.
package enum PatternError: Error, Hashable, Sendable {
    /// What expressions elsewhere have, and a finite automaton has not or this parser does not.
    package enum Feature: Hashable, Sendable {
        /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
        case lookAround
        /// `\1`, `\k<name>`.
        case backReference
        /// `\b`, `\B`.
        case wordBoundary
        /// `(?i)` and other groups that start with `(?`.
        case inlineFlags
        /// `\p{…}`, `\u` above ASCII.
        case unicode
        /// `[[:alpha:]]`.
        case namedClass
        /// An octet above 0x7F inside brackets.
        case nonASCIIClass
    }

    /// A part of the language that is left out.
    case unsupported(Feature, offset: Int)
    /// A parenthesis without its partner.
    case unbalancedParenthesis(offset: Int)
    /// A bracket that is not closed, or nothing between brackets.
    case badClass(offset: Int)
    /// A range whose end comes before its start.
    case badRange(offset: Int)
    /// A backslash before something that has no meaning with it, or at the end.
    case badEscape(offset: Int)
    /// A `*`, `+`, `?` or count after nothing.
    case nothingToRepeat(offset: Int)
    /// A count whose upper bound is below the lower, or above the limit.
    case badCount(offset: Int)
    /// Parentheses nested too deeply.
    case tooDeep(offset: Int)
    /// More octets and choices, counts written out, than one pattern may have.
    case tooLarge(limit: Int)
    /// An automaton of more states than allowed.
    case tooManyStates(limit: Int)

    /// Where in the text; `nil` for faults of the whole.
    package var offset: Int? {
        switch self {
        case .unsupported(_, let offset), .unbalancedParenthesis(let offset), .badClass(let offset),
            .badRange(let offset), .badEscape(let offset), .nothingToRepeat(let offset),
            .badCount(let offset), .tooDeep(let offset):
            offset
        case .tooLarge, .tooManyStates: nil
        }
    }
}

extension PatternError: CustomStringConvertible {
    /// One phrase for a person.
    package var description: String {
        switch self {
        case .unsupported(let feature, _): feature.description
        case .unbalancedParenthesis: "unbalanced parenthesis"
        case .badClass: "character class that is empty or not closed"
        case .badRange: "range that ends before it starts"
        case .badEscape: "escape without a meaning"
        case .nothingToRepeat: "nothing to repeat"
        case .badCount: "bad repetition count"
        case .tooDeep: "parentheses nested too deeply"
        case .tooLarge(let limit): "more than \(limit) parts"
        case .tooManyStates(let limit): "more than \(limit) states"
        }
    }
}

extension PatternError.Feature: CustomStringConvertible {
    /// One phrase for a person.
    package var description: String {
        switch self {
        case .lookAround: "look-around"
        case .backReference: "back reference"
        case .wordBoundary: "word boundary"
        case .inlineFlags: "inline flags"
        case .unicode: "Unicode escape"
        case .namedClass: "named character class"
        case .nonASCIIClass: "character class outside ASCII"
        }
    }
}
