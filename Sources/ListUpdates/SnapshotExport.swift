import Cryptography
import DomainNames
import FilterIndex
import LinuxSystem

/// Writes what a snapshot blocks in a format of other programs.
///
/// Never more than the snapshot blocks: what a format cannot say is left out and counted. A name
/// that an allow rule excepts is not written as blocked; only a policy zone can say the exception
/// itself.
package struct SnapshotExport {
    /// What was written and what was not.
    package struct Outcome: Equatable, Sendable {
        /// Names written as blocked.
        package internal(set) var blocked = 0
        /// Exceptions written.
        package internal(set) var allowed = 0
        /// Names written without what is below them, which is blocked too.
        package internal(set) var withoutBelow = 0
        /// Names of which only what is below is blocked, left out whole.
        package internal(set) var onlyBelow = 0
        /// Exceptions left out.
        package internal(set) var exceptions = 0
        /// Names whose octets the format cannot write, left out.
        package internal(set) var unwritable = 0
        /// Names of conditional rules, left out.
        package internal(set) var conditional = 0
        /// Patterns with rules, left out.
        package internal(set) var patterns = 0
        /// Names of rewrites, left out.
        package internal(set) var rewrites = 0

        /// Nothing written yet.
        package init() {}

        /// Whether all that the snapshot says was written.
        package var isWhole: Bool {
            withoutBelow + onlyBelow + exceptions + unwritable + conditional + patterns + rewrites
                == 0
        }
    }

    /// Takes octets of the text.
    package typealias Sink = (Span<UInt8>) throws(SystemError) -> Void

    private let snapshot: Snapshot
    private let format: ExportFormat
    private var probe: NameProbe
    private var outcome = Outcome()
    private var buffer: [UInt8] = []
    private static let bufferSize = 64 << 10

    /// Writes `snapshot` in `format`.
    /// - Complexity: O(names), one or two look-ups each; 64 KiB of memory.
    package static func write(
        _ snapshot: Snapshot, as format: ExportFormat, to sink: Sink
    ) throws(SystemError) -> Outcome {
        var export = SnapshotExport(snapshot, format)
        try export.run(sink)
        return export.outcome
    }

    private init(_ snapshot: Snapshot, _ format: ExportFormat) {
        self.snapshot = snapshot
        self.format = format
        probe = NameProbe(snapshot)
    }

    private mutating func run(_ sink: Sink) throws(SystemError) {
        outcome.conditional = snapshot.conditionalNameCount
        outcome.patterns = snapshot.patternCount
        outcome.rewrites = snapshot.rewriteNameCount
        head()
        var fault: SystemError?
        for tier in [RuleTier.importantAllow, .allow, .importantBlock, .block] {
            snapshot.forEachName(of: tier) { name, scope in
                guard fault == nil else { return }
                if tier.isAllow { allow(name, scope) } else { block(name, scope) }
                do throws(SystemError) { try flush(sink, above: Self.bufferSize) } catch {
                    fault = error
                }
            }
            if let fault { throw fault }
        }
        try flush(sink, above: 0)
    }

    private mutating func flush(_ sink: Sink, above size: Int) throws(SystemError) {
        guard buffer.count > size else { return }
        try sink(buffer.span)
        buffer.removeAll(keepingCapacity: true)
    }

    /// What a format needs before the names. The zone's serial is made of the snapshot's id, so
    /// that equal rules give equal text.
    private mutating func head() {
        switch format {
        case .hosts, .domains: line("# sluice snapshot \(snapshot.snapshotID)")
        case .rpz:
            var serial: UInt32 = 0
            for index in 0..<4 {
                serial = serial << 8 | UInt32(snapshot.snapshotID.octets[index])
            }
            line("; sluice snapshot \(snapshot.snapshotID)")
            line("$TTL 60")
            line("@ SOA localhost. hostmaster.localhost. \(serial) 3600 600 604800 60")
            line("@ NS localhost.")
        }
    }

    private mutating func line(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        buffer.append(0x0A)
    }

    private mutating func block(_ name: borrowing CanonicalName, _ scope: NameScope) {
        // A borrowed name cannot go into the right side of `&&`.
        var blocksName = false
        if scope.includesName { blocksName = probe.blockingList(name) != nil }
        var blocksBelow = false
        if scope.includesBelow { blocksBelow = probe.blockingList(below: name) != nil }
        // An allow rule outdoes all of it.
        guard blocksName || blocksBelow else { return }
        guard let text = text(of: name) else {
            outcome.unwritable += 1
            return
        }
        switch format {
        case .hosts:
            guard blocksName else { return outcome.onlyBelow += 1 }
            if blocksBelow { outcome.withoutBelow += 1 }
            line("0.0.0.0 \(text)")
        case .domains:
            guard blocksName else { return outcome.onlyBelow += 1 }
            line(blocksBelow ? ".\(text)" : text)
        case .rpz:
            if blocksName { line("\(text) CNAME .") }
            if blocksBelow { line("*.\(text) CNAME .") }
        }
        outcome.blocked += 1
    }

    private mutating func allow(_ name: borrowing CanonicalName, _ scope: NameScope) {
        guard format == .rpz, let text = text(of: name) else {
            outcome.exceptions += 1
            return
        }
        // An important block inside is written as such, and is the longer name in the zone.
        if scope.includesName, probe.blockingList(name) == nil {
            line("\(text) CNAME rpz-passthru.")
        }
        if scope.includesBelow, probe.blockingList(below: name) == nil {
            line("*.\(text) CNAME rpz-passthru.")
        }
        outcome.allowed += 1
    }

    /// The name as the format writes it; `nil` when it cannot. The root is left out: no two
    /// programs take it alike.
    private func text(of name: borrowing CanonicalName) -> String? {
        guard name.labelCount > 0 else { return nil }
        var text: [UInt8] = []
        for number in 0..<name.labelCount {
            if number > 0 { text.append(UInt8(ascii: ".")) }
            let label = name.label(number)
            for index in label.indices {
                let octet = label[index]
                if octet &- 0x61 < 26 || octet &- 0x30 < 10 || "-_".utf8.contains(octet) {
                    text.append(octet)
                } else {
                    guard format == .rpz else { return nil }
                    // As a master file writes any octet (RFC 1035 §5.1).
                    text.append(UInt8(ascii: "\\"))
                    for unit: UInt8 in [100, 10, 1] { text.append(0x30 + octet / unit % 10) }
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
