import DNSCache
import DNSWire
import DomainNames
import Quantities

/// Turns an upstream's message into what we keep and reply with.
///
/// Hop-by-hop data goes: id, OPT (RFC 6891 §6.2.6) and the flags that speak of the upstream. TTLs
/// are brought inside the limits of the settings, those of an RRset to the least of them
/// (RFC 2181 §5.2). Everything else stays octet for octet, unknown types too (RFC 3597 §3).
struct AnswerReader {
    private struct Line {
        var record: Record
        var ttl: UInt32
    }

    /// The limits of TTLs.
    var options: ResolverOptions
    private var lines: [Line] = []

    /// A reader that holds to the limits of `options`.
    init(options: ResolverOptions) { self.options = options }

    /// Reads `message`, whose question was checked, into `answer`.
    /// - Throws: `WireError` when a record does not parse, or an OPT record is out of place.
    mutating func read(
        _ message: Span<UInt8>, into answer: inout CachedAnswer
    ) throws(WireError) {
        let view = try MessageView(message)
        let extras = try view.extras()
        lines.removeAll(keepingCapacity: true)
        var optIndex: Int?
        var cursor = try view.records()
        while let record = try cursor.next() {
            if record.type == .opt { optIndex = optIndex ?? lines.count }
            lines.append(Line(record: record, ttl: clamped(record.ttl)))
        }
        equalizeSets(in: view)
        answer.message.removeAll(keepingCapacity: true)
        answer.ttlOffsets.removeAll(keepingCapacity: true)
        let keptCount = optIndex ?? lines.count
        let end = optIndex.map { lines[$0].record.offset } ?? lines.last?.record.end
        try copyHead(of: view, until: end, into: &answer)
        try checkTargets(in: view, before: keptCount, copiedTo: &answer)
        for line in lines[..<keptCount] {
            setTTL(line.ttl, at: line.record.ttlOffset, in: &answer)
        }
        var lost = 0
        if let optIndex {
            // There is one OPT record at most: `extras` saw to it.
            lost = 1 + (try appendAfterOPT(lines[(optIndex + 1)...], of: view, to: &answer))
        }
        let additional = Int(view.header.additionalCount) - lost
        ReplyWriter.write16(UInt16(additional), in: &answer.message, at: 10)
        answer.hasTargets = lines.contains { TargetReader.holdsTarget($0.record) }
        answer.judgement = 0
        if let edns = extras.edns, edns.extendedRcode != 0 {
            // The code speaks of the hop to the upstream (BADVERS, BADCOOKIE) and its upper bits go
            // with the OPT record: what is left must not read as success.
            answer.message[3] =
                answer.message[3] & 0xF0 | UInt8(ResponseCode.serverFailure.rawValue)
            answer.lifetime = .zero
            return
        }
        answer.lifetime = .seconds(Int64(try lifetime(of: view, answer: &answer)))
    }

    /// Reads the names that the filter will judge: later that cannot fail any more.
    ///
    /// A compression pointer may lead into the TTL of an earlier record, and TTLs change here and
    /// while an answer is kept: the name would change with them, or not parse any more. So names
    /// are read twice, the second time with marks where TTLs stand, which no length octet can be.
    private func checkTargets(
        in view: MessageView, before keptCount: Int, copiedTo answer: inout CachedAnswer
    ) throws(WireError) {
        guard lines.contains(where: { TargetReader.holdsTarget($0.record) }) else { return }
        for line in lines[..<keptCount] {
            ReplyWriter.write16(0x8080, in: &answer.message, at: line.record.ttlOffset)
            ReplyWriter.write16(0x8080, in: &answer.message, at: line.record.ttlOffset + 2)
        }
        let marked = try MessageView(answer.message.span)
        var name = CanonicalName()
        var markedName = CanonicalName()
        for line in lines where TargetReader.holdsTarget(line.record) {
            try TargetReader.readTarget(of: line.record, in: view, into: &name)
            try TargetReader.readTarget(of: line.record, in: marked, into: &markedName)
            guard name.wire.elementsEqual(markedName.wire) else {
                throw .pointerNotBackward(offset: line.record.rdata.lowerBound)
            }
        }
    }

    private func clamped(_ ttl: UInt32) -> UInt32 {
        // A TTL of 0 says "do not keep" (RFC 2181 §8): raising it would overrule the owner.
        ttl == 0 ? 0 : min(max(ttl, options.minimumTTL), options.maximumTTL)
    }

    /// Brings neighbours with equal owner, type and class to their least TTL.
    private mutating func equalizeSets(in view: MessageView) {
        guard var first = lines.indices.first else { return }
        for index in lines.indices.dropFirst() {
            guard isSameSet(lines[first].record, lines[index].record, in: view) else {
                first = index
                continue
            }
            let least = min(lines[first].ttl, lines[index].ttl)
            for position in first...index { lines[position].ttl = least }
        }
    }

    private func isSameSet(_ left: Record, _ right: Record, in view: MessageView) -> Bool {
        left.section == right.section && left.type == right.type
            && left.recordClass == right.recordClass
            && view.octets.extracting(left.offset..<left.nameEnd)
                .elementsEqual(view.octets.extracting(right.offset..<right.nameEnd))
    }

    /// Copies header, question and the records up to `end`; flags keep rcode and AD only.
    private func copyHead(
        of view: MessageView, until end: Int?, into answer: inout CachedAnswer
    ) throws(WireError) {
        guard let question = try view.question() else { throw .truncated(offset: Header.size) }
        let octets = view.octets
        let count = end ?? question.end
        answer.message.reserveCapacity(octets.count)
        for index in 0..<count { answer.message.append(octets[index]) }
        for index in question.nameRange {
            answer.message[index] = octets[index].asciiLowercased
        }
        let header = view.header
        let kept = header.flags & (HeaderFlags.authenticData | 0x000F)
        ReplyWriter.write16(0, in: &answer.message, at: 0)
        ReplyWriter.write16(HeaderFlags.response | kept, in: &answer.message, at: 2)
    }

    private func setTTL(_ ttl: UInt32, at offset: Int, in answer: inout CachedAnswer) {
        ReplyWriter.write16(UInt16(truncatingIfNeeded: ttl >> 16), in: &answer.message, at: offset)
        ReplyWriter.write16(UInt16(truncatingIfNeeded: ttl), in: &answer.message, at: offset + 2)
        // Offsets past 65,535 cannot be: a message is no longer.
        answer.ttlOffsets.append(UInt16(truncatingIfNeeded: offset))
    }

    /// Appends the records that stood behind an OPT record, their names written out in full: they
    /// move, and a pointer into what moved would point elsewhere. Names take more room so: what
    /// no longer fits the 16 bits of lengths and offsets is left out.
    /// - Returns: how many records were left out.
    private func appendAfterOPT(
        _ rest: ArraySlice<Line>, of view: MessageView, to answer: inout CachedAnswer
    ) throws(WireError) -> Int {
        var name = CanonicalName()
        var lost = rest.count
        for line in rest {
            let record = line.record
            let start = answer.message.count
            _ = try view.readName(at: record.offset, into: &name)
            AnswerReader.append(name, to: &answer.message)
            let ttlOffset = answer.message.count + 4
            for index in record.nameEnd..<(record.nameEnd + 10) {
                answer.message.append(view.octets[index])
            }
            try AnswerReader.appendRdata(of: record, in: view, name: &name, to: &answer.message)
            guard answer.message.count <= 0xFFFF else {
                answer.message.removeLast(answer.message.count - start)
                return lost
            }
            lost -= 1
            let size = answer.message.count - ttlOffset - 6
            ReplyWriter.write16(
                UInt16(truncatingIfNeeded: size), in: &answer.message, at: ttlOffset + 4)
            setTTL(line.ttl, at: ttlOffset, in: &answer)
        }
        return lost
    }

    /// RDATA of the types of RFC 1035 and of a few later ones may hold compressed names (RFC 3597
    /// §4): those are written out; every other RDATA is copied.
    static func appendRdata(
        of record: Record, in view: borrowing MessageView, name: inout CanonicalName,
        to octets: inout [UInt8]
    ) throws(WireError) {
        var position = record.rdata.lowerBound
        let layout: (before: Int, names: Int)
        switch record.type.rawValue {
        case 2, 3, 4, 5, 7, 8, 9, 12: layout = (0, 1)  // NS MD MF CNAME MB MG MR PTR
        case 6, 14, 17: layout = (0, 2)  // SOA MINFO RP
        case 15, 18, 21: layout = (2, 1)  // MX AFSDB RT
        case 26: layout = (2, 2)  // PX
        case 33: layout = (6, 1)  // SRV
        default: layout = (0, 0)
        }
        guard record.rdata.count >= layout.before else { throw .truncated(offset: position) }
        for _ in 0..<layout.before {
            octets.append(view.octets[position])
            position += 1
        }
        for _ in 0..<layout.names {
            position = try view.readName(at: position, into: &name)
            guard position <= record.end else { throw .truncated(offset: record.end) }
            append(name, to: &octets)
        }
        while position < record.end {
            octets.append(view.octets[position])
            position += 1
        }
    }

    private static func append(_ name: borrowing CanonicalName, to octets: inout [UInt8]) {
        let wire = name.wire
        for index in wire.indices { octets.append(wire[index]) }
    }

    /// Seconds that the answer may be kept: the least TTL, for a negative one also that of the SOA
    /// (RFC 2308 §5), whose own TTL is brought down to it; 0 when it must not be kept.
    private mutating func lifetime(
        of view: MessageView, answer: inout CachedAnswer
    ) throws(WireError) -> UInt32 {
        let rcode = view.header.rcode
        guard rcode == .noError || rcode == .nameError, !view.header.isTruncated,
            let question = try view.question()
        else { return 0 }
        let least = lines.lazy.filter { $0.record.type != .opt }.map(\.ttl).min() ?? 0
        let isPositive =
            rcode == .noError
            && lines.contains {
                $0.record.section == .answer
                    && ($0.record.type == question.type || question.type == .any)
            }
        if isPositive { return least }
        guard
            let index = lines.firstIndex(where: {
                $0.record.section == .authority && $0.record.type == .soa
                    && $0.record.rdata.count >= 22
            })
        else { return 0 }
        let soa = lines[index].record
        let minimum = view.readUInt32(at: soa.end - 4)
        let negative = min(lines[index].ttl, minimum, options.negativeMaximumTTL)
        answer.ttlOffsets.removeAll { Int($0) == soa.ttlOffset }
        setTTL(negative, at: soa.ttlOffset, in: &answer)
        return min(least, negative)
    }
}

extension Span<UInt8> {
    /// Whether both hold the same octets.
    func elementsEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
