import DomainNames
import FilterLists

/// The door of every list: its lines, one after the other, in one format.
///
/// A fault is a trap or a promise below that does not hold.
package enum ListDoor {
    /// Reads a list as the compiler does, whole and cut into small chunks: both must read alike.
    /// - Returns: lines that made a rule with the format's own options.
    @discardableResult
    package static func push(_ octets: Span<UInt8>, as format: ListFormat) -> Int {
        _ = ListFormat.guess(fromPrefix: octets)
        let plain = ListOptions(format: format)
        let whole = read(octets, chunkSize: max(1, octets.count), options: plain)
        let cut = read(octets, chunkSize: 7, options: plain)
        precondition(whole == cut, "where a text is cut changes nothing")
        let other = ListOptions(
            format: format, scope: .subtree, action: .allow, allowPublicSuffixes: true)
        let allowed = read(octets, chunkSize: max(1, octets.count), options: other)
        precondition(
            allowed.allSatisfy { $0.kind != .block }, "an allow list has no rule of block kind")
        return whole.count { $0.reason == nil }
    }

    /// What is compared of a reading.
    private struct Outcome: Equatable {
        let number: Int
        let kind: LineReading.Kind
        let reason: LineReason?
        let names: [RuleName]
        let identity: [UInt8]
    }

    private static func read(
        _ octets: Span<UInt8>, chunkSize: Int, options: ListOptions
    ) -> [Outcome] {
        var splitter = LineSplitter()
        var reader = ListReader(options: options)
        var reading = LineReading()
        var outcomes: [Outcome] = []
        func take(_ line: Span<UInt8>, _ number: Int) {
            reader.read(line: line, number: number, into: &reading)
            let identity = check(reading, of: line)
            outcomes.append(
                Outcome(
                    number: number, kind: reading.kind, reason: reading.reason,
                    names: reading.names, identity: identity))
        }
        var start = 0
        while start < octets.count {
            let end = min(start + chunkSize, octets.count)
            splitter.split(octets.extracting(start..<end), take)
            start = end
        }
        splitter.finish(take)
        precondition(splitter.lineCount == outcomes.count, "every line is handed on")
        return outcomes
    }

    /// Holds a reading to what its declaration promises; returns the rule's identity.
    private static func check(_ reading: LineReading, of line: Span<UInt8>) -> [UInt8] {
        let isRule = [.block, .allow, .rewrite].contains(reading.kind)
        precondition(isRule == (reading.reason == nil), "a rule has no reason not to be one")
        precondition(
            reading.kind != .error || reading.names.isEmpty, "of a wrong line nothing stays")
        precondition(
            (0...line.count + 1).contains(reading.column), "a column lies in its line")
        for name in reading.names { check(name, of: reading) }
        for name in reading.except { check(name, of: reading) }
        var identity: [UInt8] = []
        reading.appendIdentity(ofLine: line, to: &identity)
        return identity
    }

    /// A name holds to the limits, in lower case.
    private static func check(_ name: RuleName, of reading: LineReading) {
        let wire = reading.octets.span.extracting(name.wire)
        var canonical = CanonicalName()
        let assigned: Void? = try? canonical.assign(wire: wire)
        precondition(assigned != nil, "a name of a rule is a name")
        for index in wire.indices {
            precondition(wire[index] == canonical.wire[index], "a name of a rule is in lower case")
        }
    }
}
