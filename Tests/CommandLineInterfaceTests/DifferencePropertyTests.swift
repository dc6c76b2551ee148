import Foundation
import Testing

@testable import CommandLineInterface

/// The names that an update tells are those by which two lists differ.
@Suite struct DifferencePropertyTests {
    /// For exact names the difference of the snapshots is that of the sets.
    @Test(arguments: 1...6)
    func exactNamesDifferAsTheirSetsDo(seed: Int) throws {
        var state = UInt64(seed)
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        func names() -> Set<String> {
            Set((0..<200).map { _ in "n\(next(300)).d\(next(3)).example" })
        }
        let shop = try UpdateWorkshop(
            lists: "ads: { url: 'http://HOST/ads.txt', format: domains, shrink-limit: 100% }")
        let (old, new) = (names(), names())
        shop.put("/ads.txt", old.sorted().joined(separator: "\n"))
        #expect(shop.update().outcome == .good)
        shop.put("/ads.txt", new.sorted().joined(separator: "\n"))
        let (outcome, output, _) = shop.update("--diff", "--json")
        #expect(outcome == .good)
        let policy = try #require((try object(output)["policies"] as? [[String: Any]])?.first)
        let changes = try #require(policy["changes"] as? [[String: Any]])
        func changed(_ isAdded: Bool) -> [String] {
            changes.filter { $0["added"] as? Bool == isAdded }.compactMap { $0["name"] as? String }
        }
        #expect(Set(changed(true)) == new.subtracting(old), "seed \(seed)")
        #expect(Set(changed(false)) == old.subtracting(new), "seed \(seed)")
        #expect(policy["added"] as? Int == changed(true).count)
        #expect(policy["removed"] as? Int == changed(false).count)
    }
}
