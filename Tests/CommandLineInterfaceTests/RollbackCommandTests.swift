import Foundation
import Testing

@testable import CommandLineInterface

/// `sluice rollback`: earlier snapshots, and what an update makes of it.
@Suite struct RollbackCommandTests {
    /// A workshop that has published these texts, one after the other; the ids in that order.
    private func published(_ texts: [String]) throws -> (UpdateWorkshop, [String]) {
        let shop = try UpdateWorkshop()
        var identities: [String] = []
        for text in texts {
            shop.put("/ads.txt", text)
            let output = shop.update("--json", "--force").output
            let policies = try #require(try object(output)["policies"] as? [[String: Any]])
            identities.append(try #require(policies[0]["snapshotID"] as? String))
        }
        return (shop, identities)
    }

    private func inForce(_ shop: UpdateWorkshop) throws -> String {
        let link = shop.workshop.path("state/policies/default/current")
        return try FileManager.default.destinationOfSymbolicLink(atPath: link)
            .replacingOccurrences(of: ".sluice", with: "")
    }

    @Test func theOneBeforeComesBackAndStaysUntilListsChange() throws {
        let (shop, ids) = try published(["a.example\n", "b.example\n", "c.example\n"])
        #expect(try inForce(shop) == ids[2])
        #expect(shop.run("rollback").outcome == .good)
        #expect(try inForce(shop) == ids[1])
        // Unchanged lists do not undo it, neither by update nor by compile.
        let update = shop.update("--json")
        #expect(update.outcome == .good)
        #expect(update.errors.contains("was rolled back"))
        #expect(shop.run("compile").outcome == .good)
        #expect(try inForce(shop) == ids[1])
        // Further back.
        #expect(shop.run("rollback").outcome == .good)
        #expect(try inForce(shop) == ids[0])
        let none = shop.run("rollback")
        #expect(none.outcome == .failure)
        #expect(none.errors.contains("no snapshot from before the one in force"))
        // Lists that change come into force, and the way back from there skips what was left.
        shop.put("/ads.txt", "d.example\n")
        #expect(shop.update().outcome == .good)
        #expect(shop.blocked() == ["d.example"])
        #expect(shop.run("rollback").outcome == .good)
        #expect(try inForce(shop) == ids[0])
    }

    @Test func aSnapshotIsNamedByTheStartOfItsID() throws {
        let (shop, ids) = try published(["a.example\n", "b.example\n"])
        let first = shop.run("rollback", String(ids[0].prefix(12)), "--json")
        #expect(first.outcome == .good)
        #expect(try object(first.output)["to"] as? String == ids[0])
        #expect(try inForce(shop) == ids[0])
        // By its own id what was rolled back comes back, and stays.
        #expect(shop.run("rollback", ids[1]).outcome == .good)
        #expect(try inForce(shop) == ids[1])
        let update = shop.update()
        #expect(!update.errors.contains("rolled back"))
        let unknown = shop.run("rollback", "zz")
        #expect(unknown.outcome == .failure)
        #expect(unknown.errors.contains("no snapshot 'zz'; there are: \(ids[1].prefix(16))"))
        #expect(shop.run("rollback", "--policy", "kids").errors.contains("no policy 'kids'"))
    }

    @Test func threeSnapshotsAreKeptAndTheirTexts() throws {
        let texts = (0..<6).map { "name\($0).example\n" }
        let (shop, ids) = try published(texts)
        let kept = shop.workshop.names("state/policies/default").filter { $0.hasSuffix(".sluice") }
        #expect(Set(kept) == Set(ids.suffix(4).map { "\($0).sluice" }))
        #expect(shop.workshop.names("state/lists").count == 4)
    }

    @Test func aDamagedSnapshotIsNotPutInForce() throws {
        let (shop, ids) = try published(["a.example\n", "b.example\n"])
        let path = shop.workshop.path("state/policies/default/\(ids[0]).sluice")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        var octets = try Data(contentsOf: URL(filePath: path))
        octets[octets.count - 1] ^= 1
        try octets.write(to: URL(filePath: path))
        #expect(shop.run("rollback").outcome == .failure)
        #expect(try inForce(shop) == ids[1])
    }
}
