import Foundation

/// One scenario file, as `docs/Scenarios.md` describes the language.
struct Scenario: Sendable {
    /// The file's name, for messages.
    var file: String
    /// What it shows.
    var title = ""
    /// Settings, in the language of the configuration.
    var configuration = ""
    /// The lists at the start.
    var lists: [ScenarioList] = []
    /// What the upstreams answer.
    var ranges: [AnswerRange] = []
    /// What happens, in order.
    var steps: [ScenarioStep] = []

    /// The upstreams, in the order in which the file names them.
    var upstreamAddresses: [String] {
        var addresses: [String] = []
        for range in ranges where !addresses.contains(range.address) {
            addresses.append(range.address)
        }
        return addresses.isEmpty ? [Scenario.silentAddress] : addresses
    }

    /// The upstream of a file that names none; a query to it is a fault.
    static let silentAddress = "192.0.2.53"
    /// A client that no step names.
    static let defaultClient = "127.0.0.1"

    /// The longest `TIME_PASSES`; the real clock waits for that long.
    var longestWait: Duration {
        var longest = Duration.zero
        for step in steps {
            if case .timePasses(let time) = step.action { longest = max(longest, time) }
        }
        return longest
    }
}

/// The text of one list and how it is read.
struct ScenarioList: Sendable {
    var name: String
    var format: String
    var scope: String?
    var isAllowList = false
    var allowsPublicSuffixes = false
    var text = ""
}

/// What one upstream answers while the step numbers are in a range; the first entry that matches
/// counts.
struct AnswerRange: Sendable {
    var steps: ClosedRange<Int>
    var address: String
    var entries: [ScenarioEntry] = []
}

/// A message with what is to be compared, changed or done about it.
struct ScenarioEntry: Sendable {
    /// What the `MATCH` line may say.
    enum Match: String, Sendable {
        case opcode, qname, qtype, subdomain
        case all, flags, rcode, question, answer, authority, additional, ttl, opt
        case udp = "UDP"
        case tcp = "TCP"
        case dnssecOK = "DO"
    }

    var line: Int
    var match: Set<Match> = []
    var copiesID = false
    var copiesQuery = false
    var message = ScenarioMessage()
    var overTCP = false
    var isSilent = false
    var truncates = false
    var delay: Duration?
    /// It answers this many queries, then it is passed over.
    var uses = Int.max

    /// Whether a part of the message is to be compared.
    func compares(_ part: Match) -> Bool { match.contains(.all) || match.contains(part) }
}

/// One thing that happens.
struct ScenarioStep: Sendable {
    enum Action: Sendable {
        /// A client asks.
        case query(ScenarioEntry, client: String)
        /// The answer to a query, the oldest unchecked one unless its step is named.
        case checkAnswer(ScenarioEntry, of: Int?)
        /// The oldest unchecked query that an upstream got.
        case checkOutQuery(ScenarioEntry, address: String?)
        /// The oldest unchecked query gets no answer.
        case noAnswer
        /// A figure is compared.
        case expect(ScenarioExpectation)
        case timePasses(Duration)
        /// Upstreams are silent until every client has its answer.
        case timeout
        /// Lists are replaced and compiled, the server takes them over.
        case reload([ScenarioList])
        /// Filtering pauses, for one client or all.
        case pause(client: String?)
        case resume
    }

    var number: Int
    var line: Int
    var action: Action
}

/// `EXPECT figure [ADDRESS] operator value`.
struct ScenarioExpectation: Sendable {
    /// What can be compared.
    enum Figure: String, Sendable, CaseIterable {
        // Of the answer that was checked last.
        case ede, edeText, answerCount, authorityCount, additionalCount, size, elapsedMilliseconds
        // Of the upstreams.
        case upstreamQueries, upstreamStreams
        // Of the server, from its start.
        case queries, dropped, malformed, refused, blocked, blockedByAlias, cacheHits, staleHits
        case forwarded, coalesced, failed, rewritten
    }

    enum Operator: String, Sendable, CaseIterable {
        case equal = "="
        case different = "!="
        case less = "<"
        case lessOrEqual = "<="
        case more = ">"
        case moreOrEqual = ">="
    }

    enum Value: Sendable, Equatable, CustomStringConvertible {
        case none
        case number(Int)
        case text(String)

        var description: String {
            switch self {
            case .none: "none"
            case .number(let number): "\(number)"
            case .text(let text): "\"\(text)\""
            }
        }
    }

    var figure: Figure
    var address: String?
    var comparison: Operator
    var value: Value

    /// Whether a figure that was found is as expected.
    func accepts(_ found: Value) -> Bool {
        guard case .number(let left) = found, case .number(let right) = value else {
            return (found == value) == (comparison == .equal)
        }
        return switch comparison {
        case .equal: left == right
        case .different: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .more: left > right
        case .moreOrEqual: left >= right
        }
    }
}
