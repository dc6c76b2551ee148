import DNSWire

/// Cuts a message that is too long for its client (RFC 2181 §9, RFC 6891 §6.2.5).
enum Truncation {
    /// Cuts the message at `start ..< octets.count` to at most `limit` octets, whole RRsets only.
    ///
    /// The additional section goes first, then the authority section, both without TC; then RRsets
    /// of the answer from its end, with TC. A negative answer, and any for a client that validates,
    /// needs its authority section: without it TC is set.
    /// - Returns: whether TC is to be set.
    static func fit(
        _ octets: inout [UInt8], from start: Int, limit: Int, keepsAuthority: Bool
    ) -> Bool {
        guard let plan = try? plan(octets, from: start, limit: limit) else {
            preconditionFailure("only messages that parsed are replied with")
        }
        octets.removeLast(octets.count - start - plan.end)
        let needed = plan.lostAnswers || (plan.lostAuthority && (keepsAuthority || plan.isNegative))
        for (offset, count) in [(6, plan.answers), (8, plan.authorities), (10, plan.additionals)] {
            ReplyWriter.write16(UInt16(count), in: &octets, at: start + offset)
        }
        return needed
    }

    private struct Plan {
        var end = 0
        var answers = 0
        var authorities = 0
        var additionals = 0
        var lostAnswers = false
        var lostAuthority = false
        var isNegative = false
    }

    /// Finds the longest prefix of whole RRsets that fits.
    private static func plan(
        _ octets: [UInt8], from start: Int, limit: Int
    ) throws(WireError) -> Plan {
        let view = try MessageView(octets.span.extracting(start..<octets.count))
        let header = view.header
        var plan = Plan()
        plan.isNegative = header.answerCount == 0
        var cursor = try view.records()
        var kept = try questionEnd(view)
        plan.end = kept
        var counts = [0, 0, 0]
        var previous: Record?
        while let record = try cursor.next() {
            if let previous, !isSameSet(previous, record, in: view) {
                kept = previous.end
                plan.end = kept
                (plan.answers, plan.authorities, plan.additionals) =
                    (counts[0], counts[1], counts[2])
            }
            guard record.end <= limit else { break }
            counts[Int(record.section.rawValue)] += 1
            previous = record
            if counts[0] + counts[1] + counts[2] == total(header) {
                plan.end = record.end
                (plan.answers, plan.authorities, plan.additionals) =
                    (counts[0], counts[1], counts[2])
            }
        }
        plan.lostAnswers = plan.answers < Int(header.answerCount)
        plan.lostAuthority = plan.authorities < Int(header.authorityCount)
        return plan
    }

    private static func total(_ header: Header) -> Int {
        Int(header.answerCount) + Int(header.authorityCount) + Int(header.additionalCount)
    }

    private static func questionEnd(_ view: MessageView) throws(WireError) -> Int {
        guard let question = try view.question() else { return Header.size }
        return question.end
    }

    /// Neighbours of one section with equal type and owner octets are one RRset: a server that
    /// compresses writes equal owners alike. A mistake only keeps a record more or less.
    private static func isSameSet(_ left: Record, _ right: Record, in view: MessageView) -> Bool {
        guard left.section == right.section, left.type == right.type,
            left.nameEnd - left.offset == right.nameEnd - right.offset
        else { return false }
        for index in 0..<(left.nameEnd - left.offset)
        where view.octets[left.offset + index] != view.octets[right.offset + index] {
            return false
        }
        return true
    }
}
