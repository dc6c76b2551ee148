import DNSWire
import DomainNames
import LinuxSystem
import Quantities

/// Asks upstreams one question at a time and waits for the answer: for programs that end.
///
/// A question goes to the upstreams in their order over UDP, again over TCP where the answer was
/// cut, and to the next upstream on any failure, as often as the options say. Ids are drawn at
/// random, each question has a socket of its own on a port of the kernel's choice, and what does
/// not repeat id and question is not the answer (RFC 5452 §9).
package struct StubClient: ~Copyable {
    private let upstreams: [NetworkAddress]
    private let options: StubOptions
    private var random = RandomSource()

    /// A client of these upstreams.
    package init(upstreams: [NetworkAddress], options: StubOptions = StubOptions()) {
        self.upstreams = upstreams
        self.options = options
    }

    /// The answer for `name`: no error, or no such name.
    /// - Throws: `.noUpstreams`, `.noAnswer`.
    package mutating func ask(
        _ name: DomainName, type: RecordType
    ) throws(StubError) -> StubAnswer {
        guard let first = upstreams.first else { throw .noUpstreams }
        var last = (upstream: first, failure: StubFailure.timedOut)
        let end = Clock.now() + options.totalTime
        for _ in 0..<options.rounds {
            for upstream in upstreams {
                guard Clock.now() < end else { break }
                do throws(StubFailure) {
                    return try exchange(name, type, upstream, before: end)
                } catch {
                    last = (upstream, error)
                }
            }
        }
        throw .noAnswer(name: name, upstream: last.upstream, failure: last.failure)
    }

    /// The addresses of `name`, IPv6 after IPv4, at the end of its aliases.
    ///
    /// One of the two questions may fail when the other finds an address.
    /// - Throws: `.noUpstreams`, `.noAnswer`, `.noAddress`.
    package mutating func addresses(of name: DomainName) throws(StubError) -> [IPAddress] {
        var found: [IPAddress] = []
        var fault: StubError?
        for type in [RecordType.a, .aaaa] {
            do throws(StubError) {
                let answer = try ask(name, type: type)
                found += answer.addresses
                if answer.addresses.isEmpty {
                    fault = fault ?? .noAddress(name: name, rcode: answer.rcode)
                }
            } catch {
                // A failure tells more than the lack of an address of the other family.
                fault = error
            }
        }
        if found.isEmpty, let fault { throw fault }
        return found
    }

    private mutating func exchange(
        _ name: DomainName, _ type: RecordType, _ upstream: NetworkAddress,
        before end: MonotonicInstant
    ) throws(StubFailure) -> StubAnswer {
        let query = Self.query(name, type, id: random.next16())
        var message = try StubExchange.overUDP(
            query, to: upstream, before: min(end, Clock.now() + options.tryTime))
        if try Self.header(message).isTruncated {
            message = try StubExchange.overTCP(
                query, to: upstream, before: min(end, Clock.now() + options.tryTime))
        }
        let rcode = try Self.header(message).rcode
        guard rcode == .noError || rcode == .nameError else { throw .unhelpful(rcode) }
        do { return try StubAnswer(message, upstream: upstream) } catch {
            throw .malformed(error)
        }
    }

    private static func header(_ message: [UInt8]) throws(StubFailure) -> Header {
        do { return try MessageView(message.span).header } catch { throw .malformed(error) }
    }

    /// A query with recursion desired and without EDNS, which every resolver understands.
    private static func query(_ name: DomainName, _ type: RecordType, id: UInt16) -> [UInt8] {
        let size = Header.size + name.wire.count + 4
        var octets = [UInt8](repeating: 0, count: size)
        do throws(BuildError) {
            var builder = try MessageBuilder(octets.mutableSpan)
            builder.setHeader(id: id, flags: HeaderFlags.recursionDesired)
            try builder.appendQuestion(
                name: name.wire.span, type: type, recordClass: .internet)
        } catch {
            preconditionFailure("the buffer has room for one question: \(error)")
        }
        return octets
    }
}
