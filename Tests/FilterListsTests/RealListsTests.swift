import FilterLists
import Foundation
import Testing

/// The real lists that lie beside the checkout, read whole.
@Suite struct RealListsTests {
    private static var directory: URL? {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let given = ProcessInfo.processInfo.environment["SLUICE_SHARED"].map { URL(filePath: $0) }
        let shared = given ?? root.deletingLastPathComponent().appending(path: "shared")
        let lists = shared.appending(path: "data/blocklists")
        return FileManager.default.fileExists(atPath: lists.path) ? lists : nil
    }

    private func text(of file: URL) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [file.pathExtension == "xz" ? "xz" : "gzip", "-dc", file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(data)
    }

    private func format(of name: String) -> ListFormat {
        for (mark, format) in [
            ("wildcard", ListFormat.wildcard), ("dnsmasq", .dnsmasq), ("unbound", .unbound),
            ("adblock", .adblock), ("adguard_", .adblock), ("hosts.txt", .hosts),
            ("testdata_hosts", .hosts),
        ] where name.contains(mark) {
            return format
        }
        return .domains
    }

    @Test func realListsAreGuessedAndReadWithHardlyAnError() throws {
        guard let directory = Self.directory else {
            print("SKIPPED realListsAreGuessedAndReadWithHardlyAnError: set SLUICE_SHARED")
            return
        }
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "gz" }
        #expect(files.count >= 10)
        for file in files.sorted(by: { $0.path < $1.path }) {
            let octets = try text(of: file)
            let name = file.lastPathComponent
            let prefix = octets.span.extracting(0..<min(octets.count, 64 << 10))
            let guess = ListFormat.guess(fromPrefix: prefix)
            #expect(guess == format(of: name), "\(name)")
            var splitter = LineSplitter()
            var reader = ListReader(options: ListOptions(format: guess))
            var reading = LineReading()
            var counts: [String: Int] = [:]
            var errors = 0
            var rules = 0
            func take(_ line: Span<UInt8>, _ number: Int) {
                reader.read(line: line, number: number, into: &reading)
                counts[reading.reason?.key ?? reading.kind.rawValue, default: 0] += 1
                if reading.kind == .error { errors += 1 }
                if reading.reason == nil { rules += 1 }
            }
            splitter.split(octets.span, take)
            splitter.finish(take)
            print(name, guess, counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
            #expect(rules * 2 > splitter.lineCount, "\(name)")
            #expect(errors * 100 <= splitter.lineCount, "\(name)")
        }
    }
}
