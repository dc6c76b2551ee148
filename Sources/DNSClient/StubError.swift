import DNSWire
import DomainNames
import LinuxSystem

/// Why a question got no answer.
package enum StubError: Error, Equatable, Sendable {
    /// There is nobody to ask.
    case noUpstreams
    /// Nobody gave an answer in time; the upstream asked last failed like this.
    case noAnswer(name: DomainName, upstream: NetworkAddress, failure: StubFailure)
    /// The answer holds no address, by its response code.
    case noAddress(name: DomainName, rcode: ResponseCode)
}

/// How one try with one upstream failed.
package enum StubFailure: Error, Equatable, Sendable {
    /// Nothing came in time.
    case timedOut
    /// The system could not send or receive.
    case system(SystemError)
    /// The upstream closed the connection before its answer was whole.
    case closed
    /// The answer does not parse.
    case malformed(WireError)
    /// The upstream answered that it will not or cannot answer.
    case unhelpful(ResponseCode)
}

extension StubError: CustomStringConvertible {
    /// What went wrong, without the fix: that is the caller's to know.
    package var description: String {
        switch self {
        case .noUpstreams: "there is no upstream to ask"
        case .noAnswer(let name, let upstream, let failure):
            "no upstream answers for \(name); the last, \(upstream): \(failure)"
        case .noAddress(let name, let rcode):
            rcode == .nameError ? "\(name) does not exist" : "\(name) has no address"
        }
    }
}

extension StubFailure: CustomStringConvertible {
    /// One phrase.
    package var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .system(let cause): "\(cause)"
        case .closed: "the connection was closed too early"
        case .malformed: "the answer is malformed"
        case .unhelpful(let rcode): "response code \(rcode.rawValue)"
        }
    }
}
