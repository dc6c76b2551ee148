import DNSWire

/// Writes the query that a question is forwarded with.
enum UpstreamQuery {
    /// The least number of octets that holds a name, the fixed parts and an OPT record.
    private static let room = Header.size + 255 + 4 + 11

    /// Appends a query of our own for a client's question.
    ///
    /// DO and CD are the client's (RFC 5625 §4.1); its OPT record and options are not passed on,
    /// they are hop by hop (RFC 6891 §6.2.6). AD says that we understand it in the answer (RFC 6840
    /// §5.7).
    static func append(
        to octets: inout [UInt8], name: Span<UInt8>, question: Question, asker: Asker
    ) -> Range<Int> {
        let start = octets.count
        octets.append(contentsOf: repeatElement(0, count: room))
        var span = octets.mutableSpan
        let count = build(
            in: span._mutatingExtracting(start..<(start + room)), name: name, question: question,
            asker: asker)
        octets.removeLast(room - count)
        return start..<octets.count
    }

    private static func build(
        in buffer: consuming MutableSpan<UInt8>, name: Span<UInt8>, question: Question,
        asker: Asker
    ) -> Int {
        do throws(BuildError) {
            var builder = try MessageBuilder(buffer)
            builder.setHeader(
                id: 0,
                flags: HeaderFlags.recursionDesired | HeaderFlags.authenticData
                    | asker.flags & HeaderFlags.checkingDisabled)
            try builder.appendQuestion(
                name: name, type: question.type, recordClass: question.recordClass)
            let none: [UInt8] = []
            try builder.appendOPT(
                payloadSize: UInt16(Asker.udpLimit), rcode: .noError, dnssecOK: asker.dnssecOK,
                error: nil, text: none.span)
            return builder.count
        } catch {
            preconditionFailure("a query fits the room made for it")
        }
    }
}
