import DNSWire

/// Where a list's aliases led a client's question to: what stands before the answer to the last
/// name when it comes. A class, so that clients without one carry a reference only.
final class RewritePath: Sendable {
    /// The question, as the client wrote it: name, type and class.
    let question: [UInt8]
    /// The targets in their order, wire names in lower case; the last one is asked for.
    let targets: [[UInt8]]
    /// The list of the first alias, by its number in the policy.
    let list: UInt16
    /// What the reply says of it.
    let note: ReplyNote

    /// Targets of one question at most: more is a loop, or as bad.
    static let targetLimit = 8

    /// A path with at least one target.
    init(question: [UInt8], targets: [[UInt8]], list: UInt16, note: ReplyNote) {
        self.question = question
        self.targets = targets
        self.list = list
        self.note = note
    }

    /// Puts the question and the aliases in front of the answer to the last target, which is the
    /// message at `start ..< octets.count`. Its additional section is left out.
    /// - Complexity: O(octets of the message); allocates.
    func prepend(to octets: inout [UInt8], from start: Int, ttl: UInt32) {
        let message = Array(octets[start...])
        octets.removeLast(octets.count - start)
        var answer = ForgedAnswer(
            question: question, rcode: ResponseCode(rawValue: UInt16(message[3] & 0x0F)),
            in: &octets)
        for target in targets { answer.append(alias: target, ttl: ttl, to: &octets) }
        answer.append(recordsOf: message.span, to: &octets)
    }
}
