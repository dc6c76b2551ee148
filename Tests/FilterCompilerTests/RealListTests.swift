import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import Foundation
import Testing
import WireFixtures

/// Real lists against sets of their names: members, parents, children, one-octet mutations.
@Suite struct RealListTests {
    /// The directory of large test data: SLUICE_SHARED, or `shared` beside the checkout.
    private static let shared: String = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_SHARED"] { return path }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("shared").path
    }()

    @Test(arguments: [NameScope.exact, .subtree])
    func matchEqualsALookUpOfEverySuffixInASet(scope: NameScope) throws {
        let path = "\(Self.shared)/data/blocklists/badmojr+1Hosts__Pro_wildcards.txt.gz"
        guard FileManager.default.fileExists(atPath: path) else {
            print("SKIPPED: no real list at \(path); set SLUICE_SHARED")
            return
        }
        let options = ListOptions(format: .wildcard, scope: scope)
        let (image, result) = try Compilation(lists: [
            ListSource(name: "real", text: .file(path: path), options: options)
        ]).build()
        let snapshot = try SnapshotFixture.open(image)
        let (exact, subtree) = try Self.names(of: path, options)
        #expect(exact.count + subtree.count > 10_000)
        #expect(result.namesAfterCovering <= exact.count + subtree.count)
        var generator = SeededGenerator(seed: 11)
        let members = (exact.union(subtree)).sorted { $0.lexicographicallyPrecedes($1) }
        for member in members.indices.filter({ $0 % 13 == 0 }).map({ members[$0] }) {
            let size = Int(member[0])
            var mutant = member
            let place = Int.random(in: 1...size, using: &generator)
            mutant[place] =
                Array("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
                .randomElement(using: &generator) ?? 0x61
            for wire in [member, Array(member[(size + 1)...]), [1, 0x7A] + member, mutant]
            where wire.count <= 255 {
                let name = try DomainName(wire: wire.span)
                let isListed = Self.isListed(wire, exact, subtree)
                #expect(snapshot.verdict(name).decision.isBlocked == isListed, "\(name)")
            }
        }
    }

    /// The index, the slow reader of the file and a set of the list's names hold the same names.
    @Test(arguments: [
        ("hagezi+dns-blocklists__wildcard_doh-vpn-proxy-bypass.txt.gz", ListFormat.wildcard),
        ("hagezi+dns-blocklists__3p_someonewhocares.hosts.txt.gz", .hosts),
        ("stamparm+blackbook__blackbook.txt.gz", .domains),
    ])
    func theSlowReaderFindsTheNamesOfARealList(file: String, format: ListFormat) throws {
        let path = "\(Self.shared)/data/blocklists/\(file)"
        guard FileManager.default.fileExists(atPath: path) else {
            print("SKIPPED: no real list at \(path); set SLUICE_SHARED")
            return
        }
        let options = ListOptions(format: format)
        let (image, _) = try Compilation(lists: [
            ListSource(name: "real", text: .file(path: path), options: options)
        ]).build()
        let (exact, subtree) = try Self.names(of: path, options)
        let expected = exact.union(subtree).filter { wire in
            let parent = Array(wire.dropFirst(Int(wire[0]) + 1))
            return !Self.isListed(parent, [], subtree)
        }
        let found = try SlowSnapshotReader(image).tables[RuleTier.block.rawValue]
        let wires = found.map { entry in
            var wire: [UInt8] = []
            for label in entry.labels { wire += [UInt8(label.count)] + label }
            return wire + [0]
        }
        #expect(wires.count == expected.count && Set(wires) == expected)
        try IndexFixture.read(.block, of: image) { index, _ in
            var rank = 0
            index.forEach { key, scope, _ in
                #expect(IndexFixture.labels(of: key) == found[rank].labels)
                #expect(Int(scope.rawValue) == found[rank].scope)
                rank += 1
            }
            #expect(rank == found.count)
        }
    }

    /// The wire names of a list, by whether they reach below.
    private static func names(
        of path: String, _ options: ListOptions
    ) throws -> (exact: Set<[UInt8]>, subtree: Set<[UInt8]>) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var reader = ListReader(options: options)
        var reading = LineReading()
        var exact: Set<[UInt8]> = []
        var subtree: Set<[UInt8]> = []
        for (number, line) in text.split(separator: 10).enumerated() {
            let octets = Array(line)
            reader.read(line: octets.span, number: number + 1, into: &reading)
            guard reading.kind == .block else { continue }
            for name in reading.names {
                let wire = reading.domainName(name).wire
                if name.scope == .exact { exact.insert(wire) } else { subtree.insert(wire) }
            }
        }
        return (exact, subtree)
    }

    private static func isListed(
        _ wire: [UInt8], _ exact: Set<[UInt8]>, _ subtree: Set<[UInt8]>
    ) -> Bool {
        if exact.contains(wire) { return true }
        var rest = wire[...]
        while true {
            if subtree.contains(Array(rest)) { return true }
            guard let size = rest.first, size > 0 else { return false }
            rest = rest.dropFirst(Int(size) + 1)
        }
    }
}
