import Foundation
import Glibc
import LoopbackFixtures
import Testing

/// The real compiler at the end of its memory, of its disk and of its life.
@Suite(.serialized) struct CompileLimitTests {
    /// A folder with one list in it.
    private final class Folder {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-limits-\(UUID().uuidString)")
        let names: Int

        init(names: Int) throws {
            self.names = names
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            var text = ""
            for number in 0..<names {
                text += "host\(number &* 7919 % 1_000_003).zone\(number % 977).example\n"
            }
            try Data(text.utf8).write(to: directory.appendingPathComponent("l.txt"))
        }

        deinit {
            let removed: Void? = try? FileManager.default.removeItem(at: directory)
            if removed == nil { print("\(directory.path) could not be removed") }
        }

        var files: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
        }

        func arguments(_ more: String...) -> [String] {
            [
                "compile", "--list", "\(directory.path)/l.txt:domains", "-o",
                "\(directory.path)/o.sluice", "--json",
            ] + more
        }
    }

    /// A place for what a program prints, outside of the folder that is looked at.
    private func output() -> URL {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-limits-\(UUID().uuidString).txt")
    }

    private func run(
        _ program: URL, _ arguments: [String]
    ) throws -> (status: Int32?, text: String) {
        let file = output()
        defer { try? FileManager.default.removeItem(at: file) }
        let child = try ChildProcess(program, arguments, output: file)
        defer { child.stop() }
        return (child.wait(seconds: 120), child.text)
    }

    private func peakMemory(_ binaries: DaemonBinaries, _ folder: Folder, _ bound: String) throws
        -> Int
    {
        let (status, text) = try run(
            binaries.command, folder.arguments("--build-memory", bound))
        #expect(status == 0, "\(text)")
        let report = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(report?["names"] as? Int == folder.names)
        return try #require(report?["peakRSSBytes"] as? Int)
    }

    @Test func theBoundHoldsAndChangesNoOctet() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let small = try peakMemory(binaries, Folder(names: 10), "4MiB")
        let folder = try Folder(names: 700_000)
        let file = folder.directory.appendingPathComponent("o.sluice")
        var image: Data?
        for bound in [4, 32] {
            let peak = try peakMemory(binaries, folder, "\(bound)MiB")
            // Chunks of text, code tables and what malloc keeps stand beside the bound.
            #expect(peak - small <= (bound + 3) << 20, "\(bound) MiB: \(peak) over \(small)")
            let octets = try Data(contentsOf: file)
            #expect(image == nil || image == octets)
            image = octets
        }
        #expect(folder.files == ["l.txt", "o.sluice"])
    }

    /// A limit on the size of files stands for the disk that is full.
    @Test(arguments: [
        (names: 200_000, blocks: 512, message: "raise --build-memory"),
        (names: 20_000, blocks: 128, message: "write a new file in"),
    ])
    func aFullDiskIsAnErrorAndLeavesNothing(
        _ example: (names: Int, blocks: Int, message: String)
    ) throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let folder = try Folder(names: example.names)
        let script =
            "ulimit -f \(example.blocks); trap '' XFSZ; exec \"$0\" \"$@\""
        let (status, text) = try run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", script, binaries.command.path] + folder.arguments("--build-memory", "4MiB"))
        #expect(status == 3)
        #expect(text.contains(example.message) && text.contains("File too large"), "\(text)")
        #expect(folder.files == ["l.txt"])
    }

    @Test func aKilledCompilationLeavesNothing() throws {
        guard let binaries = RunningDaemon.binaries() else { return }
        let folder = try Folder(names: 1_500_000)
        let file = output()
        defer { try? FileManager.default.removeItem(at: file) }
        let child = try ChildProcess(
            binaries.command, folder.arguments("--build-memory", "4MiB"), output: file)
        defer { child.stop() }
        let end = Date().addingTimeInterval(30)
        while child.isRunning, Date() < end, !hasUnnamedFile(child.number) { usleep(2000) }
        #expect(child.isRunning && hasUnnamedFile(child.number), "it spilled")
        kill(child.number, SIGKILL)
        #expect(child.wait(seconds: 10) != nil)
        #expect(folder.files == ["l.txt"])
    }

    /// Whether a process has a file open that has no name.
    private func hasUnnamedFile(_ process: Int32) -> Bool {
        let directory = "/proc/\(process)/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return numbers.contains { number in
            let path = "\(directory)/\(number)"
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return target?.hasSuffix(" (deleted)") == true
        }
    }
}
