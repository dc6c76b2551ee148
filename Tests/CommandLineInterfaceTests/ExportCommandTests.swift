import Foundation
import Testing

@testable import CommandLineInterface

/// `sluice export`: what other programs are told of a snapshot.
@Suite struct ExportCommandTests {
    private static let list = """
        ||wide.example^
        exact.example
        ||*.below.example^
        ||blocked.example^
        @@||fine.blocked.example^
        @@||allowed.example^
        exact.allowed.example
        ||forced.allowed.example^$important
        """

    private func snapshot(_ shop: Workshop, _ text: String, _ format: String) throws -> String {
        let list = try shop.write("list.txt", text)
        let file = shop.path("out.sluice")
        let result = shop.run("compile", "--list", "\(list):\(format)", "-o", file)
        try #require(result.outcome == .good, "\(result.errors)")
        return file
    }

    private func lines(_ text: String) -> Set<String> {
        Set(text.split(separator: "\n").filter { !"#;$@".contains($0.prefix(1)) }.map(String.init))
    }

    @Test func hostsHaveExactNamesAndSayWhatIsLeftOut() throws {
        let shop = try Workshop()
        let file = try snapshot(shop, Self.list, "adblock")
        let (outcome, output, errors) = shop.run("export", "hosts", "--snapshot", file)
        #expect(outcome == .found)
        #expect(
            lines(output) == [
                "0.0.0.0 wide.example", "0.0.0.0 exact.example", "0.0.0.0 blocked.example",
                "0.0.0.0 forced.allowed.example",
            ])
        #expect(errors.contains("hosts: 3 names are written alone"))
        #expect(errors.contains("hosts: 2 exceptions are left out"))
    }

    @Test func domainsReadBackAsTheSameNames() throws {
        let shop = try Workshop()
        let text = ".wide.example\nexact.example\n.other.example\n"
        let file = try snapshot(shop, text, "domains")
        let whole = shop.run("export", "domains", "--snapshot", file)
        #expect(whole.outcome == .good)
        #expect(lines(whole.output) == [".wide.example", "exact.example", ".other.example"])
    }

    @Test func aPolicyZoneSaysExceptionsToo() throws {
        let shop = try Workshop()
        let file = try snapshot(shop, Self.list, "adblock")
        let target = shop.path("zone")
        let (outcome, output, errors) = shop.run(
            "export", "rpz", "--snapshot", file, "-o", target, "--json")
        #expect(outcome == .good, "\(errors)")
        #expect(try object(output)["exceptions"] as? Int == 0)
        let zone = try String(contentsOfFile: target, encoding: .utf8)
        #expect(zone.contains("\n@ SOA localhost. hostmaster.localhost. "))
        #expect(zone.contains("\n@ NS localhost.\n"))
        let expected: Set<String> = [
            "wide.example CNAME .", "*.wide.example CNAME .", "exact.example CNAME .",
            "blocked.example CNAME .", "*.blocked.example CNAME .",
            "fine.blocked.example CNAME rpz-passthru.",
            "*.fine.blocked.example CNAME rpz-passthru.", "allowed.example CNAME rpz-passthru.",
            "*.allowed.example CNAME rpz-passthru.", "forced.allowed.example CNAME .",
            "*.forced.allowed.example CNAME .", "*.below.example CNAME .",
        ]
        #expect(lines(zone) == expected)
        // What the zone blocks is what the list blocks.
        let back = shop.run("compile", "--list", "\(target):rpz", "-o", shop.path("back.sluice"))
        #expect(back.outcome == .good, "\(back.errors)")
        let again = shop.run("export", "rpz", "--snapshot", shop.path("back.sluice"))
        let blocking = { (line: String) in line.hasSuffix(" CNAME .") }
        #expect(lines(again.output).filter(blocking) == expected.filter(blocking))
    }
}
