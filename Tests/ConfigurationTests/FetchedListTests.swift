import Quantities
import Testing

@testable import Configuration

/// Lists with an address, and `update`.
@Suite struct FetchedListTests {
    @Test func aListWithAnAddressHasItsDefaults() throws {
        let (settings, problems) = load(
            "lists: { a: { url: \"https://lists.example/a.txt\" }, b: { file: /b } }")
        #expect(problems == [])
        let lists = try #require(settings).lists
        #expect(lists[0].source == .url("https://lists.example/a.txt"))
        #expect(lists[0].timeout == .seconds(30))
        #expect(lists[0].sizeLimit == .mebibytes(64))
        #expect(lists[0].shrinkLimit == 50)
        // A list from elsewhere may not send names where it likes unless someone says so.
        #expect(lists.map(\.rewrites) == [false, true])
        #expect(lists.map(\.file) == [nil, "/b"])
    }

    @Test func everyLimitCanBeSet() throws {
        let (settings, problems) = load(
            """
            lists:
              a: { url: "https://x/a", timeout: 2m, size-limit: 1MiB, shrink-limit: 5%,
                rewrites: true }
            update: { retries: 0, redirects: 20 }
            """)
        #expect(problems == [])
        let list = try #require(settings?.lists.first)
        #expect(list.timeout == .seconds(120) && list.sizeLimit == .mebibytes(1))
        #expect(list.shrinkLimit == 5 && list.rewrites)
        #expect(settings?.update.retries == 0 && settings?.update.redirects == 20)
    }

    @Test func plainHTTPWarns() {
        let (settings, problems) = load("lists: { a: { url: \"http://x/a\" } }")
        #expect(settings != nil)
        #expect(problems.count == 1)
        #expect(problems.allSatisfy { $0.contains("warning: list 'a' comes over http") })
    }

    @Test(arguments: [
        ("lists: { a: { url: \"ftp://x/y\" } }", "expected an https://, http:// or file:///"),
        ("lists: { a: { url: \"https:///y\" } }", "bad value"),
        ("lists: { a: { url: \"file://host/y\" } }", "bad value"),
        ("lists: { a: { url: \"file:///\" } }", "bad value"),
        ("lists: { a: { file: /a, timeout: 5s } }", "'lists.a.timeout' is for lists with 'url'"),
        ("lists: { a: { file: /a, shrink-limit: 5% } }", "'lists.a.shrink-limit' is for lists"),
        (
            "lists: { a: { url: \"https://x\", shrink-limit: 101% } }",
            "expected a share such as 50%"
        ),
        ("lists: { a: { url: \"https://x\", shrink-limit: 50 } }", "expected a share such as 50%"),
        ("lists: { a: { url: \"https://x\", timeout: 0s } }", "from 1s to 1h"),
        ("lists: { a: { url: \"https://x\", size-limit: 2GiB } }", "from 1KiB to 1GiB"),
        ("update: { retries: 11 }", "from 0 to 10"),
        ("update: { redirects: 21 }", "from 0 to 20"),
        ("update: { redirect: 1 }", "did you mean 'redirects'?"),
    ])
    func aBadValueShows(text: String, part: String) {
        #expect(load(text).problems.contains { $0.contains(part) }, "\(load(text).problems)")
    }
}
