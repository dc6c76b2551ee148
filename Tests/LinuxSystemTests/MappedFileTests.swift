import Foundation
import Glibc
import LinuxSystem
import Testing

/// Mapped files: what of them is in memory, and what happens when their pages are lost.
@Suite(.serialized) struct MappedFileTests {
    private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Of the whole process, as the handler is.
    private static let wakeUp = try? WakeUp()

    /// A file of ones in a folder of its own, `pages` pages long.
    private final class Fixture {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-mapped-\(UUID().uuidString)").path

        init(pages: Int) throws {
            let octets = [UInt8](repeating: 1, count: pages * MappedFileTests.pageSize)
            try Data(octets).write(to: URL(fileURLWithPath: path))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test func onlyWhatIsAskedForIsBroughtIntoMemory() throws {
        let fixture = try Fixture(pages: 4096)
        let page = Self.pageSize
        let file = try MappedFile(path: fixture.path)
        #expect(file.residentPages()?.count == 4096)
        #expect(file.residentPages()?.contains(true) == false)
        file.expectRandomAccess()
        file.makeResident((3 * page + 17)..<(5 * page + 1))
        let pages = try #require(file.residentPages())
        #expect(pages[3] && pages[4] && pages[5])
        // The kernel may map some neighbours with them, never the whole file.
        #expect(pages.count(where: { $0 }) < 1024)
    }

    @Test func whatIsDroppedLeavesTheMemoryAndComesBack() throws {
        // Less than a huge page, of which the kernel would give back the whole.
        let fixture = try Fixture(pages: 256)
        let page = Self.pageSize
        let file = try MappedFile(path: fixture.path)
        file.makeResident(0..<file.count)
        #expect(file.residentPages()?.allSatisfy { $0 } == true)
        // Only whole pages of the range go, and they are read again on use.
        file.drop((10 * page + 1)..<(20 * page))
        let left = try #require(file.residentPages())
        #expect(left[10] && !left[11] && !left[19] && left[20])
        #expect(file.bytes[15 * page] == 1)
        #expect(file.residentPages()?[15] == true)
    }

    @Test func aFileThatIsCutReadsAsZerosAndSaysSo() throws {
        let wakeUp = try #require(Self.wakeUp)
        try MappedFile.surviveLostPages(waking: wakeUp)
        let fixture = try Fixture(pages: 64)
        let other = try Fixture(pages: 4)
        let page = Self.pageSize
        let whole = try MappedFile(path: other.path)
        let cut = try MappedFile(path: fixture.path)
        #expect(cut.bytes[0] == 1 && cut.bytes[63 * page] == 1 && !cut.isDamaged)
        try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path))
            .truncate(atOffset: UInt64(page))
        #expect(try !cut.isDamaged && !isReadable(wakeUp))
        #expect(cut.bytes[40 * page] == 0)
        #expect(try cut.isDamaged && isReadable(wakeUp))
        // What was left of it is gone as well: half a file would mean something else.
        #expect(cut.bytes[0] == 0)
        #expect(!whole.isDamaged && whole.bytes[3 * page] == 1)
        wakeUp.clear()
        // The place of a mapping that ended serves the next one.
        let next = try MappedFile(path: other.path)
        #expect(!next.isDamaged)
    }

    private func isReadable(_ wakeUp: WakeUp) throws -> Bool {
        var epoll = try Epoll()
        try epoll.add(wakeUp.number, for: .readable, token: 1)
        return try epoll.wait(milliseconds: 0) == 1
    }
}
