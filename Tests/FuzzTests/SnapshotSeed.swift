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
            name: "rewrites",
            lists: [
                (
                    """
                    ||example.com^$dnsrewrite=192.0.2.1
                    ||example.com^$dnsrewrite=2001:db8::1
                    @@||b.a.ads.example.com^$dnsrewrite
                    @@|ad.example.com^$dnsrewrite=192.0.2.1
                    |zzz.zzz^$dnsrewrite=NOERROR;CNAME;www.track.example.org
                    ||important.example.net^$dnsrewrite=SERVFAIL,important
                    ||allowed.example.net^$dnsrewrite=NOERROR;MX;10 mail.example,dnstype=MX
                    ||allowed.example.net^$client=192.0.2.7,dnsrewrite=192.0.2.8

                    """, ListOptions(format: .adblock)
                ),
                (
                    """
                    address=/example.org/192.0.2.3
                    address=/track.example.org/
                    server=/good.track.example.org/#
                    address=/typed.example.org/::5

                    """, ListOptions(format: .dnsmasq)
                ),
            ]),
        SnapshotSeed(
            name: "patterns",
            lists: [
                (
                    """
                    ||ad*.example.com^$denyallow=adz.example.com
                    /^track\\.[a-e]+/$dnstype=A
                    @@||good.*^$important

                    """, ListOptions(format: .adblock)
                )
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
