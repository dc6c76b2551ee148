import DomainNames

/// Well-known sites, of which the list should block few: read line by line, judged at once.
///
/// A line is a name, or a rank, a comma and a name; without ranks the lines are counted. Blank
/// lines and those that start with `#` say nothing.
package struct SiteSample: Sendable {
    /// A site of the sample that the list changes.
    package struct Site: Equatable, Sendable {
        /// Its rank, from 1.
        package let rank: Int
        /// Its name.
        package let name: DomainName
    }

    /// Sites that are kept of each kind; all are counted.
    package static let limit = 1_000

    /// Sites read.
    package private(set) var count = 0
    /// Lines that are no site.
    package private(set) var unreadLines = 0
    /// Sites that the policy as it is blocks.
    package private(set) var blockedBefore = 0
    /// All sites that the list would block.
    package private(set) var newlyBlockedCount = 0
    /// The first of them.
    package private(set) var newlyBlocked: [Site] = []
    /// All sites that an allow rule of the list would unblock.
    package private(set) var newlyAllowedCount = 0
    /// The first of them.
    package private(set) var newlyAllowed: [Site] = []
    private var name = CanonicalName()

    /// Nothing read.
    package init() {}

    /// Reads one line; queries for addresses are what is judged.
    package mutating func read(_ line: Span<UInt8>, _ decision: inout JointDecision) {
        let text = line.trimmedBlanks
        guard !text.isEmpty, line[text.lowerBound] != UInt8(ascii: "#") else { return }
        var rank: Int?
        var start = text.lowerBound
        if let comma = text.first(where: { line[$0] == UInt8(ascii: ",") }) {
            rank = line.number(in: start..<comma)
            start = comma + 1
            guard rank != nil else { return unreadLines += 1 }
        }
        guard name.assign(text: line.extracting(start..<text.upperBound)) else {
            return unreadLines += 1
        }
        count += 1
        let change = decision.change(of: name, type: 1)
        if change.wasBlocked { blockedBefore += 1 }
        guard change.wasBlocked != change.isBlocked,
            let owned = try? DomainName(wire: name.wire)
        else { return }
        let site = Site(rank: rank ?? count, name: owned)
        if change.isBlocked {
            newlyBlockedCount += 1
            if newlyBlocked.count < Self.limit { newlyBlocked.append(site) }
        } else {
            newlyAllowedCount += 1
            if newlyAllowed.count < Self.limit { newlyAllowed.append(site) }
        }
    }
}

extension CanonicalName {
    /// Refills this name from presentation text; whether the text is a name.
    mutating func assign(text: Span<UInt8>) -> Bool {
        guard text.count <= 4 * NameLimits.wireSize, let wire = try? NameText.wire(of: text) else {
            return false
        }
        return (try? assign(wire: wire.span)) != nil && labelCount > 0
    }
}

extension Span<UInt8> {
    /// Where the line stands without blanks at its ends.
    var trimmedBlanks: Range<Int> {
        var start = 0
        var end = count
        while start < end, self[start] <= 0x20 { start += 1 }
        while end > start, self[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }

    /// The number that 1 to 9 digits write.
    func number(in range: Range<Int>) -> Int? {
        guard (1...9).contains(range.count) else { return nil }
        var number = 0
        for index in range {
            guard self[index] &- 0x30 < 10 else { return nil }
            number = 10 * number + Int(self[index] - 0x30)
        }
        return number
    }
}
