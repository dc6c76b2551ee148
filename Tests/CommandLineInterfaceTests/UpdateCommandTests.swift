import Foundation
import LoopbackFixtures
import Testing

@testable import CommandLineInterface

/// `sluice update` against a server on loopback.
@Suite struct UpdateCommandTests {
    private static let ten = (0..<10).map { "name\($0).example\n" }.joined()

    @Test func aListIsFetchedCompiledAndThenUnchanged() throws {
        let shop = try UpdateWorkshop()
        shop.put("/ads.txt", "one.example\ntwo.example\n", tag: "\"v1\"")
        let first = shop.update("--json")
        #expect(first.outcome == .good, "\(first.errors)")
        #expect(try shop.list("ads", in: first.output)["state"] as? String == "new")
        #expect(shop.blocked() == ["one.example", "two.example"])
        let second = shop.update("--json")
        #expect(second.outcome == .good)
        #expect(try shop.list("ads", in: second.output)["state"] as? String == "unchanged")
        let requests = shop.server.requests
        #expect(requests.count == 2)
        #expect(requests[1].headers["if-none-match"] == "\"v1\"")
        #expect(requests[0].headers["host"] == "lists.example:\(shop.server.port)")
        #expect(requests[0].headers["accept-encoding"]?.contains("gzip") == true)
    }

    @Test func theDateServesWhereThereIsNoTag() throws {
        let shop = try UpdateWorkshop()
        let date = "Tue, 01 Jul 2025 10:00:00 GMT"
        shop.put("/ads.txt", "one.example\n") { $0.headers["Last-Modified"] = date }
        #expect(shop.update().outcome == .good)
        #expect(shop.update().outcome == .good)
        #expect(shop.server.requests[1].headers["if-modified-since"] == date)
    }

    @Test func hostsAreAskedOfTheUpstreamsAlone() throws {
        let shop = try UpdateWorkshop()
        shop.put("/ads.txt", "one.example\n")
        #expect(shop.update().outcome == .good)
        // A and AAAA, once: the second question is answered from what the first told.
        #expect(shop.upstream.queryCount == 2)
        try shop.configure(lists: "ads: { url: 'http://nowhere.test/ads.txt', format: domains }")
        let (outcome, _, errors) = shop.update()
        #expect(outcome == .found)
        #expect(errors.contains("list ads: host nowhere.test: nowhere.test does not exist"))
    }

    /// The first listing of `directory`: every path with all that a write would change.
    private func trace(_ directory: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory) + ["."]
        return try paths.sorted().map { path in
            let full = directory + "/" + path
            var status = stat()
            let result = unsafe lstat(full, &status)
            try #require(result == 0)
            return "\(path) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec)."
                + "\(status.st_mtim.tv_nsec) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
        }
    }

    @Test func nothingIsWrittenWhenNothingChanged() throws {
        let shop = try UpdateWorkshop(
            lists: """
                ads: { url: 'http://HOST/ads.txt', format: domains }
                plain: { url: 'http://HOST/plain.txt', format: domains }
                own: { file: own.txt, format: domains }
                """)
        shop.put("/ads.txt", "one.example\n", tag: "\"v1\"")
        // Of this one the server says nothing: it comes whole each time.
        shop.put("/plain.txt", "two.example\n")
        try shop.workshop.write("own.txt", "three.example\n")
        #expect(shop.update().outcome == .good)
        let before = try trace(shop.workshop.path("state"))
        #expect(before.count > 8)
        #expect(shop.update().outcome == .good)
        #expect(try trace(shop.workshop.path("state")) == before)
        // A list that fails is noted once, and the same failure is no news.
        shop.put("/ads.txt", "") { $0.status = 500 }
        #expect(shop.update().outcome == .found)
        let failed = try trace(shop.workshop.path("state"))
        #expect(failed != before)
        #expect(shop.update().outcome == .found)
        #expect(try trace(shop.workshop.path("state")) == failed)
    }

    @Test func aPackedTextAndAPackedTransferAreUnpacked() throws {
        let shop = try UpdateWorkshop(
            lists: "ads: { url: 'http://HOST/ads.txt.gz', format: domains }")
        let text = try shop.workshop.write("ads.txt", "one.example\ntwo.example\n")
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/usr/bin/env")
        gzip.arguments = ["gzip", text]
        try gzip.run()
        gzip.waitUntilExit()
        let packed = [UInt8](try Data(contentsOf: URL(filePath: text + ".gz")))
        shop.put("/ads.txt.gz", "") { $0.body = packed }
        #expect(shop.update().outcome == .good)
        #expect(shop.blocked() == ["one.example", "two.example"])
        try shop.configure(lists: "ads: { url: 'http://HOST/coded.txt', format: domains }")
        shop.put("/coded.txt", "") {
            $0.body = packed
            $0.headers["Content-Encoding"] = "gzip"
        }
        #expect(shop.update().outcome == .good)
        #expect(shop.blocked() == ["one.example", "two.example"])
    }

    /// A text that is small on the way and large at home.
    @Test func theSizeLimitCountsUnpackedOctets() throws {
        let shop = try UpdateWorkshop(
            lists: "ads: { url: 'http://HOST/ads.txt', format: domains, size-limit: 64KiB }")
        let text = try shop.workshop.write(
            "large.txt", String(repeating: "same.example\n", count: 200_000))
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-9", text]
        try gzip.run()
        gzip.waitUntilExit()
        let packed = [UInt8](try Data(contentsOf: URL(filePath: text + ".gz")))
        #expect(packed.count < 64 << 10)
        for coding in [nil, "gzip"] {
            shop.put("/ads.txt", "") {
                $0.body = packed
                $0.headers["Content-Encoding"] = coding
            }
            let output = shop.update("--json").output
            #expect(try shop.list("ads", in: output)["fault"] as? String == "too-large")
        }
        #expect(shop.workshop.names("state/lists").isEmpty)
    }

    @Test func redirectsAreFollowedUpToTheLimitAndTheirHostsLookedUp() throws {
        let shop = try UpdateWorkshop()
        let port = shop.server.port
        shop.put("/ads.txt", "") {
            $0.status = 302
            $0.headers["Location"] = "http://other.lists.example:\(port)/there.txt"
        }
        shop.put("/there.txt", "one.example\n")
        #expect(shop.update().outcome == .good)
        #expect(shop.server.requests.last?.headers["host"] == "other.lists.example:\(port)")
        #expect(shop.upstream.queryCount == 4)
        shop.put("/ads.txt", "") {
            $0.status = 301
            $0.headers["Location"] = "/ads.txt"
        }
        let (outcome, _, errors) = shop.update()
        #expect(outcome == .found)
        #expect(errors.contains("list ads: more than 5 redirects; the text from before stays"))
        #expect(shop.blocked() == ["one.example"])
    }

    @Test(arguments: ["file:///etc/hosts", "ftp://lists.example/x", "gopher://lists.example/1"])
    func aRedirectOutOfTheWebIsNotFollowed(target: String) throws {
        let shop = try UpdateWorkshop()
        shop.put("/ads.txt", "") {
            $0.status = 302
            $0.headers["Location"] = target
        }
        let (outcome, _, errors) = shop.update()
        #expect(outcome == .found)
        #expect(errors.contains("list ads: "))
        #expect(shop.workshop.names("state/lists").isEmpty)
    }

    /// What comes after a good text of ten rules, and why it is held back or has failed.
    @Test(arguments: [
        ("<!DOCTYPE html><title>Sign in</title>", "text/html", 200, "web-page"),
        ("<a href='x'>moved</a>\n", "text/html", 200, "web-page"),
        ("", "text/plain", 200, "empty"),
        (" \n\n", "text/plain", 200, "empty"),
        ("# nothing but a comment\n", "text/plain", 200, "without-rules"),
        ("one two three\n! ! !\n{\"a\": 1}\nx.example\n", "text/plain", 200, "mostly-wrong"),
        ("name0.example\nname1.example\n", "text/plain", 200, "shrunken"),
        (ten + "captive.apple.com\n", "text/plain", 200, "blocks-protected"),
        (ten + "lists.example\n", "text/plain", 200, "blocks-protected"),
        (String(repeating: "a.example\n", count: 200), "text/plain", 200, "too-large"),
        ("no", "text/plain", 404, "status"),
        ("no", "text/plain", 503, "status"),
    ])
    func aDoubtfulTextIsHeldBack(
        body: String, type: String, status: Int, key: String
    ) throws {
        let shop = try UpdateWorkshop(
            lists: """
                ads: { url: 'http://HOST/ads.txt', format: domains, size-limit: 1KiB }
                more: { url: 'http://HOST/more.txt', format: domains }
                """)
        shop.put("/ads.txt", Self.ten)
        shop.put("/more.txt", "more.example\n")
        #expect(shop.update().outcome == .good)
        let before = shop.blocked()
        #expect(before.count == 11)
        shop.put("/ads.txt", body) {
            $0.status = status
            $0.headers["Content-Type"] = type
        }
        shop.put("/more.txt", "more.example\nnew.example\n")
        let (outcome, output, errors) = shop.update("--json")
        #expect(outcome == .found)
        let list = try shop.list("ads", in: output)
        #expect(list["fault"] as? String == key, "\(errors)")
        #expect(list["state"] as? String == (key == "status" ? "failed" : "held-back"))
        #expect(list["rules"] as? Int == 10)
        #expect(errors.contains("the text from before stays"))
        // The same again is no news: the same reason, and nothing is written for it.
        let state = try trace(shop.workshop.path("state"))
        let again = shop.update("--json")
        #expect(try shop.list("ads", in: again.output)["fault"] as? String == key)
        #expect(try trace(shop.workshop.path("state")) == state)
        // The other list went on.
        #expect(Set(shop.blocked()) == Set(before + ["new.example"]))
        // A good text ends it.
        shop.put("/ads.txt", Self.ten + "ten.example\n")
        #expect(shop.update().outcome == .good)
        #expect(shop.blocked().contains("ten.example"))
    }

    @Test func forceTakesWhatShrankAndWhatBlocksAProtectedName() throws {
        let shop = try UpdateWorkshop()
        shop.put("/ads.txt", Self.ten)
        #expect(shop.update().outcome == .good)
        shop.put("/ads.txt", "captive.apple.com\n")
        #expect(shop.update().outcome == .found)
        #expect(shop.update("--force").outcome == .good)
        #expect(shop.blocked() == ["captive.apple.com"])
        shop.put("/ads.txt", "<!doctype html>")
        #expect(shop.update("--force").outcome == .found)
    }

    @Test func rewritesOfAFetchedListCountOnlyWhenAskedForAndNeverOnAProtectedName() throws {
        let shop = try UpdateWorkshop(
            lists: "ads: { url: 'http://HOST/ads.txt', format: adblock }")
        let text = "||a.example^\n||b.example^$dnsrewrite=192.0.2.1\n"
        shop.put("/ads.txt", text)
        #expect(shop.update().outcome == .good)
        func verdict(_ name: String) -> String {
            shop.run("explain", name, "--no-resolve").output
        }
        #expect(verdict("b.example").contains("a rewrite, and those of this list do not count"))
        // The same text, read in another way: it is compiled anew.
        try shop.configure(
            lists: "ads: { url: 'http://HOST/ads.txt', format: adblock, rewrites: true }")
        #expect(shop.update().outcome == .good)
        #expect(verdict("b.example").contains("b.example is rewritten by list ads"))
        shop.put("/ads.txt", text + "||captive.apple.com^$dnsrewrite=192.0.2.1\n")
        let output = shop.update("--json").output
        #expect(try shop.list("ads", in: output)["fault"] as? String == "blocks-protected")
        // Without its rewrites nothing is wrong with it.
        try shop.configure(
            lists: "ads: { url: 'http://HOST/ads.txt', format: adblock, rewrites: false }")
        #expect(shop.update().outcome == .good)
    }

    @Test func theShrinkLimitIsTheListsOwn() throws {
        let shop = try UpdateWorkshop(
            lists: """
                strict: { url: 'http://HOST/a', format: domains, shrink-limit: 0% }
                lax: { url: 'http://HOST/b', format: domains, shrink-limit: 100% }
                """)
        shop.put("/a", Self.ten)
        shop.put("/b", Self.ten)
        #expect(shop.update().outcome == .good)
        shop.put("/a", String(Self.ten.dropFirst(14)))
        shop.put("/b", "name0.example\n")
        let output = shop.update("--json").output
        #expect(try shop.list("strict", in: output)["fault"] as? String == "shrunken")
        #expect(try shop.list("lax", in: output)["state"] as? String == "new")
    }

    @Test func aCutTransferAndASlowOneFail() throws {
        let shop = try UpdateWorkshop(
            lists: "ads: { url: 'http://HOST/ads.txt', format: domains, timeout: 1s }")
        shop.put("/ads.txt", Self.ten) { $0.cutAfter = 20 }
        let cut = shop.update("--json")
        #expect(try shop.list("ads", in: cut.output)["fault"] as? String == "transfer")
        shop.put("/ads.txt", Self.ten) {
            $0.pause = 0.2
            $0.pieceSize = 10
        }
        let start = Date()
        let slow = shop.update("--json")
        #expect(try shop.list("ads", in: slow.output)["fault"] as? String == "transfer")
        #expect(Date().timeIntervalSince(start) < 10)
        #expect(shop.workshop.names("state/lists").isEmpty)
    }

    @Test func aFailureOfTheMomentIsTriedAgain() throws {
        let shop = try UpdateWorkshop()
        shop.put("/ads.txt", "no") { $0.status = 503 }
        let text = try String(contentsOfFile: shop.configuration, encoding: .utf8)
        try shop.workshop.write(
            "sluice.yaml", text.replacingOccurrences(of: "retries: 0", with: "retries: 1"))
        #expect(shop.update().outcome == .found)
        #expect(shop.server.requests.count == 2)
        shop.put("/ads.txt", "no") { $0.status = 404 }
        #expect(shop.update().outcome == .found)
        #expect(shop.server.requests.count == 3)
    }

    @Test func listsThatWereNeverFetchedAreSaid() throws {
        let shop = try UpdateWorkshop()
        let alone = shop.run("compile")
        #expect(alone.outcome == .found)
        #expect(alone.errors.contains("none of its lists was ever fetched"))
        #expect(shop.workshop.names("state/policies").isEmpty)
        try shop.configure(
            lists: """
                ads: { url: 'http://HOST/ads.txt', format: domains }
                own: { file: own.txt, format: domains }
                """)
        try shop.workshop.write("own.txt", "own.example\n")
        let both = shop.run("compile")
        #expect(both.outcome == .found)
        #expect(both.errors.contains("policy default: ads never fetched and left out; run: sluice"))
        #expect(shop.blocked() == ["own.example"])
        shop.put("/ads.txt", "one.example\n")
        #expect(shop.update().outcome == .good)
        let after = shop.run("compile")
        #expect(after.outcome == .good)
        #expect(shop.blocked() == ["one.example", "own.example"])
    }

    @Test func aLostTextKeepsTheSnapshotUntilItIsFetchedAnew() throws {
        let shop = try UpdateWorkshop()
        shop.put("/ads.txt", "one.example\n", tag: "\"v1\"")
        #expect(shop.update().outcome == .good)
        let file = try #require(shop.workshop.names("state/lists").first)
        try FileManager.default.removeItem(atPath: shop.workshop.path("state/lists/\(file)"))
        shop.put("/ads.txt", "no") { $0.status = 500 }
        let (outcome, _, errors) = shop.update()
        #expect(outcome == .found)
        #expect(errors.contains("the snapshot in force stays, since the text of ads is lost"))
        #expect(shop.blocked() == ["one.example"])
        shop.put("/ads.txt", "one.example\n", tag: "\"v1\"")
        #expect(shop.update().outcome == .good)
        #expect(shop.workshop.names("state/lists") == [file])
    }

    @Test func namesAddedAndRemovedAreTold() throws {
        let shop = try UpdateWorkshop(
            lists: """
                ads: { url: 'http://HOST/ads.txt', format: adblock }
                more: { url: 'http://HOST/more.txt', format: domains }
                """)
        shop.put("/ads.txt", "||one.example^\n||two.example^\n")
        shop.put("/more.txt", "three.example\ndeep.four.example\n")
        #expect(shop.update().outcome == .good)
        // A rule that another covers changes nothing; an exception takes a name away.
        shop.put("/ads.txt", "||one.example^\n||four.example^\n@@||three.example^\n")
        shop.put("/more.txt", "three.example\ndeep.four.example\nfive.example\n")
        let (outcome, output, _) = shop.update("--diff")
        #expect(outcome == .good)
        let changes = output.split(separator: "\n").filter { "+-".contains($0.prefix(1)) }
        #expect(
            Set(changes) == [
                "+four.example ads", "+five.example more", "-two.example ads",
                "-three.example more",
            ])
        #expect(output.contains("+2 -2 names"))
    }

    @Test func aFileAddressIsReadAndGuarded() throws {
        let shop = try UpdateWorkshop()
        let path = try shop.workshop.write("my list.txt", "one.example\n")
        let url = "file://" + path.replacingOccurrences(of: " ", with: "%20")
        try shop.configure(lists: "ads: { url: '\(url)', format: domains }")
        #expect(shop.update().outcome == .good)
        #expect(shop.blocked() == ["one.example"])
        try shop.workshop.write("my list.txt", "<html>")
        #expect(shop.update().outcome == .found)
        #expect(shop.blocked() == ["one.example"])
        #expect(shop.server.requests.isEmpty)
    }
}
