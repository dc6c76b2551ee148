import DNSWire
import DomainNames
import LinuxSystem
import Quantities

/// What an upstream said, and what its aliases lead to.
package struct StubAnswer: Sendable {
    /// The octets of the message, whose question is the one asked.
    package let message: [UInt8]
    /// Who answered.
    package let upstream: NetworkAddress
    /// The response code of the header: no error, or no such name.
    package let rcode: ResponseCode
    /// The names that the name asked for stands for, one alias after the other; empty without any.
    package let aliases: [DomainName]
    /// The addresses at the end of the aliases, in the order of the answer, each once.
    package let addresses: [IPAddress]

    /// Aliases that are followed: a longer chain is a loop, or might as well be.
    private static let aliasLimit = 16
    /// Addresses that are kept.
    private static let addressLimit = 64

    /// Reads `message`, whose id and question were checked.
    ///
    /// Only records that belong to the name asked, or to where its aliases lead, count: others may
    /// stand in a message and say nothing about the question (RFC 1034 §4.3.2 step 3).
    /// - Throws: `WireError` when a record of the answer section does not parse.
    /// - Complexity: O(records × aliases), both bounded.
    init(_ message: [UInt8], upstream: NetworkAddress) throws(WireError) {
        let view = try MessageView(message.span)
        var name = CanonicalName()
        _ = try view.readName(at: Header.size, into: &name)
        var aliases: [DomainName] = []
        while aliases.count < Self.aliasLimit, try Self.follow(&name, in: view) {
            guard let target = try? DomainName(wire: name.wire) else { break }
            if aliases.contains(target) { break }
            aliases.append(target)
        }
        addresses = try Self.addresses(of: name, in: view)
        rcode = view.header.rcode
        self.aliases = aliases
        self.message = message
        self.upstream = upstream
    }

    /// Replaces `name` by the target of its CNAME record; `false` when it has none.
    private static func follow(
        _ name: inout CanonicalName, in view: borrowing MessageView
    ) throws(WireError) -> Bool {
        var owner = CanonicalName()
        var cursor = try view.records()
        while let record = try cursor.next(), record.section == .answer {
            guard record.type == .cname, record.recordClass == .internet else { continue }
            _ = try view.readName(at: record.offset, into: &owner)
            guard isSame(owner, name) else { continue }
            let end = try view.readName(at: record.rdata.lowerBound, into: &name)
            guard end == record.end else { throw .truncated(offset: record.rdata.lowerBound) }
            return true
        }
        return false
    }

    private static func addresses(
        of name: borrowing CanonicalName, in view: borrowing MessageView
    ) throws(WireError) -> [IPAddress] {
        var found: [IPAddress] = []
        var owner = CanonicalName()
        var cursor = try view.records()
        while let record = try cursor.next(), record.section == .answer {
            let size = record.rdata.count
            let isAddress =
                record.type == .a && size == 4 || record.type == .aaaa && size == 16
            guard isAddress, record.recordClass == .internet else { continue }
            _ = try view.readName(at: record.offset, into: &owner)
            guard isSame(owner, name), found.count < addressLimit else { continue }
            var octets: [UInt8] = []
            for index in record.rdata { octets.append(view.octets[index]) }
            let address = IPAddress(octetCount: size) { octets[$0] }
            if !found.contains(address) { found.append(address) }
        }
        return found
    }

    private static func isSame(
        _ left: borrowing CanonicalName, _ right: borrowing CanonicalName
    ) -> Bool {
        guard left.wireCount == right.wireCount else { return false }
        let one = left.wire
        let other = right.wire
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
