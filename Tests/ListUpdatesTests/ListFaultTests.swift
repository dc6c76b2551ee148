import DNSClient
import DNSWire
import DomainNames
import LinuxSystem
import Quantities
import Testing

@testable import ListUpdates

@Suite struct ListFaultTests {
    private static let held: [ListFault] = [
        .tooLarge(limit: ByteCount(5)), .webPage, .empty, .withoutRules(format: "hosts"),
        .mostlyWrong(lines: 3, format: "hosts"), .shrunken(before: 9, after: 1, limit: 50),
        .blocksProtected(.root), .uncompilable("x"),
    ]
    private static let failed: [ListFault] = [
        .noLibrary("x"), .badAddress("x"), .unresolved(host: "x", .noUpstreams),
        .transfer(code: 7, "x"), .status(404), .tooManyRedirects(limit: 5), .badRedirect(to: "x"),
        .unreadable(SystemError("open", code: 2)),
    ]

    @Test func everyFaultHasAWordAndASentenceOfItsOwn() {
        let all = Self.held + Self.failed
        #expect(Set(all.map(\.key)).count == all.count)
        #expect(Set(all.map(\.description)).count == all.count)
        for fault in all { #expect(!fault.description.isEmpty) }
        for fault in Self.held { #expect(fault.isHeldBack) }
        for fault in Self.failed { #expect(!fault.isHeldBack) }
    }

    @Test func onlyFailuresOfTheMomentAreTriedAgain() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            #expect(ListFault.status(status).isTransient)
        }
        for status in [400, 401, 403, 404, 410, 451] {
            #expect(!ListFault.status(status).isTransient)
        }
        // libcurl: could not connect, timed out; certificate, too large.
        for code: Int32 in [7, 28] { #expect(ListFault.transfer(code: code, "").isTransient) }
        for code: Int32 in [60, 63] { #expect(!ListFault.transfer(code: code, "").isTransient) }
        for fault in Self.held { #expect(!fault.isTransient) }
        let nobody = NetworkAddress(octets: [192, 0, 2, 1], port: 53)
        let silence = StubError.noAnswer(name: .root, upstream: nobody, failure: .timedOut)
        #expect(ListFault.unresolved(host: "x", silence).isTransient)
        let unknown = StubError.noAddress(name: .root, rcode: .nameError)
        #expect(!ListFault.unresolved(host: "x", unknown).isTransient)
    }

    @Test func aMissingLibraryNamesItsPackage() {
        #expect("\(ListFault.noLibrary("x"))".contains("Debian package libcurl4"))
    }

    @Test func everyProtectedNameIsAName() { #expect(ListGuard.standing.count == 7) }
}
