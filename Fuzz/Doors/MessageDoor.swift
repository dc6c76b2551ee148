import DNSWire
import DomainNames

/// The door of every message from the network.
///
/// A fault is a trap: an index out of bounds, an overflow, or a promise below that does not hold.
package enum MessageDoor {
    /// Reads all that a message view gives; what it throws is its right.
    /// - Returns: records read, -1 when the octets are no message.
    @discardableResult
    package static func push(_ octets: Span<UInt8>) -> Int {
        guard let message = try? MessageView(octets) else { return -1 }
        var name = CanonicalName()
        if let question = try? message.question() {
            precondition(question.end <= octets.count, "a question ends inside the message")
            readName(in: message, at: Header.size, into: &name)
        }
        _ = try? message.extras()
        guard var cursor = try? message.records() else { return 0 }
        var offset = 0
        var count = 0
        while let record = try? cursor.next() {
            precondition(record.offset > offset, "the cursor goes forward")
            precondition(record.end <= octets.count, "a record ends inside the message")
            offset = record.offset
            count += 1
            readName(in: message, at: offset, into: &name)
        }
        return count
    }

    /// A name that is read holds to its limits and reads the same from its own wire form.
    private static func readName(
        in message: borrowing MessageView, at offset: Int, into name: inout CanonicalName
    ) {
        guard let end = try? message.readName(at: offset, into: &name) else { return }
        precondition(end > offset, "a name takes at least an octet")
        precondition(name.wireCount <= NameLimits.wireSize, "a name has at most 255 octets")
        precondition(name.labelCount <= 127, "a name has at most 127 labels")
        var again = CanonicalName()
        let assigned: Void? = try? again.assign(wire: name.wire)
        precondition(assigned != nil, "a name's wire form is a name")
        precondition(again.wireCount == name.wireCount, "a name survives its wire form")
        for index in name.wire.indices {
            precondition(again.wire[index] == name.wire[index], "a name survives its wire form")
        }
    }
}
