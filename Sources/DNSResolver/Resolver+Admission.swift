import DNSWire
import DomainNames
import Metrics
import QueryEvents

/// A query that was admitted; its name is in the resolver's scratch.
struct Query {
    /// Who asks, and how.
    var asker: Asker
    /// Where the question lies in the message.
    var question: Question
}

/// What admission says of a message that is a query.
enum Admission {
    /// Go on.
    case query(Query)
    /// Answer with an error; `question` is what of the message to repeat, empty when it is unclear.
    case refuse(Asker, question: Range<Int>, rcode: ResponseCode, note: ReplyNote?)
}

extension Resolver {
    /// Checks what a resolver may be asked at all, and reads the name into the scratch.
    mutating func admit(_ view: borrowing MessageView, from client: Client) -> Admission {
        let header = view.header
        var asker = Asker(header, nameCase: NameCase(), edns: nil, client: client)
        asker.hasEDNS = hasOPT(view)
        guard header.opcode == .query else {
            let question = (try? view.question())??.end ?? 0
            return .refuse(
                asker, question: echoRange(question), rcode: .notImplemented, note: nil)
        }
        // One question, no more: a second one would be a way round the filter (RFC 9619 §4).
        guard header.questionCount == 1, let found = try? view.question(),
            let extras = try? view.extras(),
            (try? view.readName(at: Header.size, into: &name)) != nil
        else {
            return .refuse(asker, question: 0..<0, rcode: .formatError, note: nil)
        }
        asker = Asker(
            header, nameCase: NameCase(wire: view.octets.extracting(found.nameRange)),
            edns: extras.edns, client: client)
        let echo = Header.size..<found.end
        if let edns = extras.edns, edns.version > 0 {
            return .refuse(asker, question: echo, rcode: .badVersion, note: nil)
        }
        guard client.isAllowed else {
            return .refuse(
                asker, question: echo, rcode: .refused,
                note: ReplyNote(.prohibited, "this client is not in allow-clients"))
        }
        // A signed query cannot be changed and passed on, and we change it (RFC 8945 §5.5).
        if extras.isSigned {
            return .refuse(asker, question: echo, rcode: .refused, note: nil)
        }
        if let rcode = refusal(of: found) {
            return .refuse(asker, question: echo, rcode: rcode, note: nil)
        }
        return .query(Query(asker: asker, question: found))
    }

    /// Whether the message has an OPT record, even one that makes it malformed: errors are answered
    /// with one too (RFC 6891 §7).
    private func hasOPT(_ view: borrowing MessageView) -> Bool {
        guard var cursor = try? view.records() else { return false }
        while let record = try? cursor.next() {
            if record.type == .opt { return true }
        }
        return false
    }

    /// Types that are no questions for a forwarder.
    private func refusal(of question: Question) -> ResponseCode? {
        switch question.type {
        case .opt, .tsig, .tkey: .formatError  // RFC 6895 §3.1: not to be asked for
        case .axfr, .ixfr, .maila, .mailb: .refused
        default: question.recordClass == .chaos ? .refused : nil  // RFC 4892: says what we run
        }
    }

    private func echoRange(_ end: Int) -> Range<Int> {
        end > Header.size ? Header.size..<end : 0..<0
    }

    /// Answers what is answered here, filter and upstreams aside.
    /// - Returns: whether it was.
    func answerLocally(
        _ query: Query, question: Span<UInt8>, actions: inout ResolverActions
    ) -> Bool {
        guard query.question.type == .any else { return false }
        // The smallest answer that ends the matter (RFC 8482 §4.2): no amplification by ANY.
        var rdata: [UInt8] = [7]
        rdata += "RFC8482".utf8
        rdata.append(0)
        reply(
            to: query.asker, question: question, rcode: .noError,
            body: .record(type: RecordType(rawValue: 13), ttl: 3600, rdata: rdata), note: nil,
            outcome: .local, actions: &actions)
        return true
    }
}
