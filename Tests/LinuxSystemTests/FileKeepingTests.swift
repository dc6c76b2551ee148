import Foundation
import Testing

@testable import LinuxSystem

/// Locks, files without a name, temporaries.
@Suite struct FileKeepingTests {
    private func directory() throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "keep-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url.path
    }

    @Test func aFileWithoutANameLeavesItsDirectoryAsItWas() throws {
        let directory = try directory()
        let before = FileIO.modified(path: directory)
        do {
            let file = try UnnamedFile(in: directory)
            let octets: [UInt8] = Array("abc".utf8)
            try file.write(octets.span)
            try file.write(octets.span)
            #expect(try FileIO.readWhole(path: file.path) == Array("abcabc".utf8))
            #expect(try FileIO.list(directory: directory).isEmpty)
        }
        #expect(FileIO.modified(path: directory) == before)
    }

    @Test func aLockIsOfOneProcess() throws {
        let path = try directory() + "/lock"
        var holder = FileLock.Holder.other(0)
        let lock = try FileLock.take(path: path, holder: &holder)
        #expect(holder == .us)
        let other = Foundation.Process()
        let output = Pipe()
        other.executableURL = URL(filePath: "/usr/bin/env")
        other.arguments = [
            "python3", "-c",
            "import fcntl,sys\nf=open(sys.argv[1],'w')\n"
                + "try: fcntl.lockf(f, fcntl.LOCK_EX|fcntl.LOCK_NB); print('free')\n"
                + "except OSError: print('held')", path,
        ]
        other.standardOutput = output
        try other.run()
        other.waitUntilExit()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text == "held\n")
        #expect(try FileIO.readWhole(path: path).isEmpty)
        extendLifetime(lock)
    }

    @Test func temporariesAreToldByTheirNames() throws {
        let path = try directory() + "/file"
        var seen: [String] = []
        let octets: [UInt8] = [1]
        try FileIO.replace(path: path, mode: 0o644) { file throws(SystemError) in
            seen = try FileIO.list(directory: FileIO.parent(of: path) ?? "")
            try file.writeAll(octets.span)
        }
        #expect(seen.count == 1)
        for name in seen { #expect(FileIO.isTemporary(name: name)) }
        for name in ["file", "file.new", "file.new.", "file.new.x", "a.1", "new.1"] {
            #expect(!FileIO.isTemporary(name: name))
        }
    }
}
