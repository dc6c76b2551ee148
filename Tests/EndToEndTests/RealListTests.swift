import Foundation
import LoopbackFixtures
import Testing

/// A real merged list of 2.4 million names and real popular names, through the real daemon.
@Suite(.serialized) struct RealListTests {
    /// Queries sent before their answers are read.
    private static let window = 64

    /// The folder of shared data: `SLUICE_SHARED`, else `shared` beside the checkout.
    private static func shared(_ name: String) -> URL? {
        let folder =
            ProcessInfo.processInfo.environment["SLUICE_SHARED"].map { URL(fileURLWithPath: $0) }
            ?? DaemonBinaries.root.deletingLastPathComponent().appendingPathComponent("shared")
        let file = folder.appendingPathComponent("data/\(name)")
        guard FileManager.default.fileExists(atPath: file.path) else {
            print("end to end: SKIPPED, there is no \(name) under SLUICE_SHARED or ../shared")
            return nil
        }
        return file
    }

    @Test func listedNamesAreBlockedAndOnlyThose() throws {
        guard let binaries = RunningDaemon.binaries(),
            let merged = RealListTests.shared("blocklists/merged.txt.xz"),
            let top = RealListTests.shared("top/top100k.txt.gz")
        else { return }
        let daemon = try RunningDaemon(binaries)
        let names = try daemon.lines(unpacking: merged, with: "xz")
        #expect(names.count == 2_425_494)
        let sample = stride(from: 0, to: names.count, by: names.count / 10_000).map { names[$0] }
        let listed = Set(names)
        let unlisted = try daemon.lines(unpacking: top, with: "gzip").prefix(25_000)
            .filter { !listed.contains($0) && !$0.utf8.contains(UInt8(ascii: "/")) }
        try daemon.write(names.joined(separator: "\n") + "\n", to: "merged.txt")
        try daemon.writeConfiguration(
            lists: "merged: { file: \"\(daemon.path("merged.txt"))\", format: domains }")
        try daemon.start()
        let blocked = try rcodes(of: sample, from: daemon)
        #expect(blocked.filter { $0 != 3 }.isEmpty && blocked.count == sample.count)
        #expect(daemon.upstream.queryCount == 0)
        let answered = try rcodes(of: unlisted, from: daemon)
        #expect(answered.filter { $0 != 0 }.isEmpty && answered.count == unlisted.count)
        let status = try daemon.status()
        let hits = status["prefilterFalsePositives"] as? Int ?? 0
        print(
            "end to end: \(sample.count) listed names blocked, \(unlisted.count) unlisted ones "
                + "answered, \(hits) false positives of the prefilter")
    }

    /// The response codes of A queries for `names`, in the order of the names.
    private func rcodes(of names: [String], from daemon: RunningDaemon) throws -> [UInt8] {
        let socket = try LoopbackSocket(.datagrams, boundTo: "127.0.0.1")
        try socket.connect(to: "127.0.0.1", port: daemon.port)
        var codes: [UInt8] = []
        for start in stride(from: 0, to: names.count, by: RealListTests.window) {
            let part = names[start..<min(start + RealListTests.window, names.count)]
            for (index, name) in part.enumerated() { try socket.send(query(UInt8(index), name)) }
            var found = [UInt8?](repeating: nil, count: part.count)
            while found.contains(nil) {
                guard !LoopbackSocket.readable([socket], milliseconds: 6000).isEmpty else {
                    return codes
                }
                let answer = try socket.receive().octets
                found[Int(answer[1])] = answer[3] & 0x0F
            }
            codes += found.compactMap { $0 }
        }
        return codes
    }

    private func query(_ id: UInt8, _ name: String) -> [UInt8] {
        var octets: [UInt8] = [0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in name.utf8.split(separator: UInt8(ascii: ".")) {
            octets.append(UInt8(label.count))
            octets += label
        }
        return octets + [0, 0, 1, 0, 1]
    }
}
