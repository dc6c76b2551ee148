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
            let file = try ScratchFile(directory: directory)
            let octets: [UInt8] = Array("abc".utf8)
            try file.append(octets.span)
            try file.append(octets.span)
            #expect(try FileIO.readWhole(path: file.path) == Array("abcabc".utf8))
            #expect(try FileIO.list(directory: directory).isEmpty)
        }
        #expect(FileIO.modified(path: directory) == before)
    }

    /// That another process is told who holds it shows in the tests of `sluice update`.
    @Test func aLockIsTakenWithoutWritingItsFile() throws {
        let path = try directory() + "/lock"
        var holder = FileLock.Holder.other(0)
        let lock = try FileLock.take(path: path, holder: &holder)
        #expect(holder == .us)
        let written = FileIO.modified(path: path)
        extendLifetime(lock)
        _ = try FileLock.take(path: path, holder: &holder)
        #expect(holder == .us)
        #expect(FileIO.modified(path: path) == written)
        #expect(try FileIO.readWhole(path: path).isEmpty)
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
