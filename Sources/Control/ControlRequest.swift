import Quantities

/// What a command asks of the daemon; one line on the control socket.
///
/// ```
/// SLUICE/1 VERB [ARGUMENT …] LF      single spaces, printable ASCII, at most 1,024 octets
/// ```
package enum ControlRequest: Equatable, Sendable {
    /// Whether the daemon is there.
    case ping
    /// Counters, policies, memory, upstreams.
    case status
    /// Read the configuration and the snapshots again.
    case reload
    /// Read the user's own rules again.
    case rules
    /// Stop filtering: for good when `duration` is `nil`, for all when `client` is.
    ///
    /// `client` has the form of an address; whoever acts on it parses it.
    case pause(duration: Duration?, client: String?)
    /// End every pause.
    case resume
    /// Forget cached answers: all, or those of `name`.
    ///
    /// `name` is in presentation form; whoever acts on it parses it.
    case flush(name: String?)

    /// The word that says which request it is.
    package enum Verb: String, CaseIterable, Sendable {
        /// Whether the daemon is there.
        case ping
        /// Counters, policies, memory, upstreams.
        case status
        /// Read configuration and snapshots again.
        case reload
        /// Read the own rules again.
        case rules
        /// Stop filtering.
        case pause
        /// Filter again.
        case resume
        /// Forget cached answers.
        case flush

        /// How the verb is written with its arguments.
        package var usage: String {
            switch self {
            case .pause: "pause [DURATION] [client ADDRESS]"
            case .flush: "flush [NAME]"
            default: rawValue
            }
        }
    }

    /// What a line starts with.
    static let prefix = "SLUICE/1"

    /// The word before a client's address.
    static let clientWord = "client"

    /// The request's verb.
    package var verb: Verb {
        switch self {
        case .ping: .ping
        case .status: .status
        case .reload: .reload
        case .rules: .rules
        case .pause: .pause
        case .resume: .resume
        case .flush: .flush
        }
    }

    /// The request that `line`, without its newline, makes; nothing may remain.
    /// - Throws: `ControlError`.
    /// - Complexity: O(octets), at most 1,024.
    package init(line: Span<UInt8>) throws(ControlError) {
        guard line.count <= ControlLimits.requestSize else {
            throw .tooLong(limit: ControlLimits.requestSize)
        }
        var text = ""
        for offset in line.indices {
            guard line[offset] >= 0x20, line[offset] < 0x7F else {
                throw .unprintable(offset: offset)
            }
            text.unicodeScalars.append(Unicode.Scalar(line[offset]))
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.first == Self.prefix else { throw .unknownProtocol }
        guard words.count > 1 else { throw .missingVerb }
        guard let verb = Verb(rawValue: words[1]) else { throw .unknownVerb(words[1]) }
        var arguments = words.dropFirst(2)
        switch verb {
        case .ping: self = .ping
        case .status: self = .status
        case .reload: self = .reload
        case .rules: self = .rules
        case .resume: self = .resume
        case .pause: self = try Self.pause(&arguments)
        case .flush: self = try Self.flush(&arguments)
        }
        if let extra = arguments.first { throw .extraArgument(verb: verb, argument: extra) }
    }

    private static func pause(
        _ arguments: inout ArraySlice<String>
    ) throws(ControlError) -> ControlRequest {
        var duration: Duration?
        var client: String?
        if let word = arguments.first, word != clientWord {
            guard let value = DurationText.duration(of: word), value > .zero else {
                throw .badArgument(verb: .pause, argument: word)
            }
            duration = value
            arguments.removeFirst()
        }
        if arguments.first == clientWord {
            arguments.removeFirst()
            guard let address = arguments.popFirst() else {
                throw .missingArgument(verb: .pause, after: clientWord)
            }
            guard hasAddressForm(address) else {
                throw .badArgument(verb: .pause, argument: address)
            }
            client = address
        }
        return .pause(duration: duration, client: client)
    }

    private static func flush(
        _ arguments: inout ArraySlice<String>
    ) throws(ControlError) -> ControlRequest {
        guard let name = arguments.popFirst() else { return .flush(name: nil) }
        guard !name.isEmpty, name.utf8.count <= ControlLimits.nameSize else {
            throw .badArgument(verb: .flush, argument: name)
        }
        return .flush(name: name)
    }

    /// Whether `text` has only what an address has: hexadecimal digits, dots and colons.
    private static func hasAddressForm(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count)
            && text.utf8.allSatisfy { "0123456789abcdefABCDEF.:".utf8.contains($0) }
    }

    /// The line of the request, without its newline. Parsing it gives the same request.
    package var line: String {
        var words = [Self.prefix, verb.rawValue]
        switch self {
        case .pause(let duration, let client):
            if let duration { words.append(DurationText.text(of: duration)) }
            if let client { words += [Self.clientWord, client] }
        case .flush(let name):
            if let name { words.append(name) }
        case .ping, .status, .reload, .rules, .resume:
            break
        }
        return words.joined(separator: " ")
    }
}
