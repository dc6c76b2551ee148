import DomainNames
import FilterCompiler
import FilterLists
import Foundation

/// A snapshot of the corpus, made from the lists below.
struct SnapshotSeed {
    /// Its name in the corpus.
    let name: String
    /// Its lists.
    let lists: [(text: String, options: ListOptions)]

    static let all = [
        SnapshotSeed(name: "no-rules", lists: []),
        SnapshotSeed(
            name: "one-name",
            lists: [("ads.example.com\n", ListOptions(format: .domains))]),
        SnapshotSeed(
            name: "every-tier",
            lists: [
                (
                    """
                    ||ads.example.com^
                    ||track.example.org^
                    @@||good.track.example.org^
                    ||important.example.net^$important
                    @@||allowed.example.net^$important
                    ||typed.example.org^$dnstype=A|AAAA
                    ||example.org^$denyallow=fine.example.org
                    @@||x.typed.example.org^$dnstype=~HTTPS

                    """, ListOptions(format: .adblock)
                ),
                (
                    """
                    0.0.0.0 allowed.example.net
                    0.0.0.0 adz.example.com

                    """, ListOptions(format: .hosts)
                ),
                (
                    """
                    local-zone: "zzz.zzz" always_nodata
                    local-zone: "ads1.example.com" refuse
                    local-zone: "_dmarc.example.com" deny

                    """, ListOptions(format: .unbound)
                ),
            ]),
        SnapshotSeed(
            name: "root-and-top-level",
            lists: [
                (
                    ".\ncom\n*.zzz\n",
                    ListOptions(format: .wildcard, allowPublicSuffixes: true)
                )
            ]),
        SnapshotSeed(
            name: "several-blocks",
            lists: [(severalBlocks, ListOptions(format: .domains, scope: .subtree))]),
    ]

    /// More names than two blocks of an index hold.
    private static var severalBlocks: String {
        (0..<80).map { "ads\($0).s\($0 % 9).example.com\n" }.joined() + "xn--bcher-kva.example\n"
    }

    /// The file that these lists compile to.
    func octets() throws -> [UInt8] {
        let sources = lists.enumerated().map { number, list in
            ListSource(
                name: "l\(number)", text: .octets(Array(list.text.utf8)), origin: "corpus",
                options: list.options)
        }
        return try Compilation(lists: sources).build().image
    }
}
