import Configuration
import DNSClient
import DNSWire
import DomainNames
import Explanation
import FilterIndex
import LinuxSystem
import ListUpdates

/// Asks an upstream where a name leads, and judges that as the daemon does.
enum AliasFollower {
    /// What came of it.
    enum Outcome {
        /// Nobody was asked.
        case notAsked
        /// Nobody answered, and why.
        case failed(StubError)
        /// An upstream answered.
        case answered(upstream: NetworkAddress, chain: AliasChain)

        /// Where the answer leads; `nil` without one.
        var chain: AliasChain? {
            guard case .answered(_, let chain) = self else { return nil }
            return chain
        }
    }

    /// Two rounds within two seconds: a person waits for this.
    private static let patience = StubOptions(
        tryTime: .milliseconds(800), totalTime: .seconds(2), rounds: 2)

    /// Asks the configured upstreams; without any, nobody.
    static func follow(_ question: Explanation.Question, _ settings: Settings, snapshot: Snapshot)
        -> Outcome
    {
        guard !settings.upstreams.isEmpty, let upstreams = try? UpstreamAddresses.of(settings)
        else { return .notAsked }
        var client = StubClient(upstreams: upstreams, options: patience)
        do throws(StubError) {
            let answer = try client.ask(question.name, type: RecordType(rawValue: question.type))
            let chain = AliasChain(
                question: question, targets: targets(of: answer.message), snapshot: snapshot)
            return .answered(upstream: answer.upstream, chain: chain)
        } catch {
            return .failed(error)
        }
    }

    /// The targets of a message that the client has read; of a damaged one those before the damage.
    private static func targets(of message: [UInt8]) -> [DomainName] {
        var targets: [DomainName] = []
        var scratch = CanonicalName()
        let walked: Void? = try? TargetReader.forEachTarget(of: message.span, scratch: &scratch) {
            if let name = try? DomainName(wire: $0.wire) { targets.append(name) }
            return true
        }
        // The daemon refuses an answer whose targets do not parse: nothing of it is judged.
        return walked == nil ? [] : targets
    }
}
