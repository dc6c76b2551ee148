import Foundation
import Testing

@testable import CommandLineInterface

@Suite struct LintCommandTests {
    private let shop: Workshop

    init() throws { shop = try Workshop() }

    @Test func everyLineIsTold() throws {
        let list = try shop.write(
            "list.txt",
            """
            ! a list
            ||ads.example^
            @@|good.example^$important

            ||types.example^$dnstype=~A|~AAAA,denyallow=x.types.example
            ||page.example^$third-party
            ||a..example^
            ||nothing.example^$dnsrewrite=NOERROR
            """)
        let (outcome, output, errors) = shop.run("lint", "\(list):adblock")
        #expect(outcome == .found && errors == "")
        #expect(
            output == """
                1: ignored (comment)
                2: block subtree ads.example
                3: allow exact good.example important
                4: ignored
                5: block subtree types.example not for A AAAA except x.types.example
                6:17: unsupported subtree page.example (modifier that needs more than \
                a name to decide)
                7:5: error (empty label)
                8: block subtree nothing.example answer NODATA

                8 lines, read as adblock
                  block                   3
                  allow                   1
                  ignored                 2
                  unsupported             1
                  error                   1
                    blank                 1
                    comment               1
                    empty label           1
                    unsupported modifier  1

                """)
    }

    @Test func machinesGetAnObjectALine() throws {
        let list = try shop.write(
            "list.txt",
            """
            ||a.example^$client=192.168.1.2|~laptop,dnstype=A
            /ads[0-9]/$important
            ||b.example^$badfilter,denyallow=c.b.example
            0.0.0.0 one.example two.example
            -edge.example
            <html>
            """)
        let (outcome, output, _) = shop.run("lint", "\(list):adblock", "--json")
        #expect(outcome == .found)
        let rows = try output.split(separator: "\n").map { try object(String($0)) }
        #expect(rows.map { $0["line"] as? Int } == [1, 2, 3, 4, 5, 6])
        #expect(
            rows.map { $0["kind"] as? String } == [
                "unsupported", "block", "block", "block", "block", "error",
            ])
        #expect(rows[0]["clients"] as? [String] == ["192.168.1.2", "~laptop"])
        #expect(rows[0]["types"] as? [String] == ["A"])
        #expect(rows[0]["reason"] as? String == "client condition")
        #expect(rows[1]["pattern"] as? String == "ads[0-9]")
        #expect(rows[1]["syntax"] as? String == "regex" && rows[1]["reason"] == nil)
        #expect(rows[1]["important"] as? Bool == true)
        #expect(rows[2]["badfilter"] as? Bool == true)
        #expect(rows[2]["except"] as? [String] == ["c.b.example"])
        let names = try #require(rows[3]["names"] as? [[String: String]])
        #expect(
            names == [
                ["name": "one.example", "scope": "exact"],
                ["name": "two.example", "scope": "exact"],
            ])
        #expect(rows[3]["answer"] as? String == "0.0.0.0")
        #expect(rows[4]["warning"] as? String == "hyphen at label edge")
        #expect(
            rows[5]["reason"] as? String == "HTML" && (rows[5]["names"] as? [Any])?.isEmpty == true)
    }

    @Test func aGoodListIsGoodAndItsFormatGuessed() throws {
        let list = try shop.write("hosts", "127.0.0.1 localhost\n0.0.0.0 ads.example\n")
        let (outcome, output, _) = shop.run("lint", list)
        #expect(outcome == .good)
        #expect(output.contains("\n2 lines, guessed as hosts\n"))
    }

    @Test func aMissingListIsAFailure() {
        let (outcome, output, errors) = shop.run("lint", shop.path("none"))
        #expect(outcome == .failure && output == "")
        #expect(errors.hasPrefix("sluice: \(shop.path("none")): open: No such file"))
    }

    /// A long list is read in many pieces: no line is lost or cut where they meet.
    @Test func linesAcrossPiecesAreWhole() throws {
        let lines = (0..<20_000).map { "name-\($0).example" }
        let list = try shop.write("long.txt", lines.joined(separator: "\n"))
        let (outcome, output, _) = shop.run("lint", "\(list):domains", "--json")
        #expect(outcome == .good)
        let rows = output.split(separator: "\n")
        #expect(rows.count == 20_000)
        for index in stride(from: 0, to: 20_000, by: 997) {
            #expect(rows[index].contains("\"line\":\(index + 1),"))
            #expect(rows[index].contains("\"name\":\"name-\(index).example\""))
        }
    }
}
