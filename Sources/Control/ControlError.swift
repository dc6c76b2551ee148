import LinuxSystem

/// Why a line is no request or no reply, or why there is no line.
package enum ControlError: Error, Equatable, Sendable {
    /// More octets than a line may have.
    case tooLong(limit: Int)
    /// An octet outside printable ASCII, `offset` octets from the start.
    case unprintable(offset: Int)
    /// The line does not start with `SLUICE/1`.
    case unknownProtocol
    /// `SLUICE/1` alone.
    case missingVerb
    /// A verb that there is not.
    case unknownVerb(String)
    /// An argument that is not what the verb takes.
    case badArgument(verb: ControlRequest.Verb, argument: String)
    /// A word that nothing follows although something must.
    case missingArgument(verb: ControlRequest.Verb, after: String)
    /// Something after a whole request.
    case extraArgument(verb: ControlRequest.Verb, argument: String)
    /// A reply that is no JSON, or not the object that a reply is; `offset` is where.
    case malformedReply(offset: Int)
    /// Nobody can be reached at the socket.
    case unreachable(SystemError)
    /// The connection ended before the reply was whole, or nothing came in time.
    case cutOff(SystemError?)
}

extension ControlError: CustomStringConvertible {
    /// One phrase for a person. Words of the line are printable ASCII by then.
    package var description: String {
        switch self {
        case .tooLong(let limit): "line longer than \(limit) octets"
        case .unprintable(let offset): "octet outside printable ASCII at column \(offset + 1)"
        case .unknownProtocol: "not SLUICE/1"
        case .missingVerb: "no verb; known: \(Self.verbs)"
        case .unknownVerb(let verb): "unknown verb '\(verb)'; known: \(Self.verbs)"
        case .badArgument(let verb, let argument):
            "bad argument '\(argument)' of \(verb.rawValue); usage: \(verb.usage)"
        case .missingArgument(let verb, let word):
            "nothing after '\(word)' of \(verb.rawValue); usage: \(verb.usage)"
        case .extraArgument(let verb, let argument):
            "extra argument '\(argument)' of \(verb.rawValue); usage: \(verb.usage)"
        case .unreachable(let cause): "\(cause)"
        case .cutOff(let cause): "no whole reply" + (cause.map { " (\($0))" } ?? "")
        case .malformedReply(let offset): "malformed reply at octet \(offset)"
        }
    }

    private static var verbs: String {
        ControlRequest.Verb.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
