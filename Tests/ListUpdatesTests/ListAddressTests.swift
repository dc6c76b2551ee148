import Testing

@testable import ListUpdates

@Suite struct ListAddressTests {
    @Test(arguments: [
        ("https://Lists.Example/a?b#c", "https", "lists.example", UInt16(443)),
        ("http://lists.example:8080", "http", "lists.example", 8080),
        ("http://[2001:db8::1]:81/x", "http", "[2001:db8::1]", 81),
        ("https://user:secret@lists.example/", "https", "lists.example", 443),
    ])
    func addressIsTakenApart(text: String, scheme: String, host: String, port: UInt16) throws {
        let address = try ListAddress(text)
        #expect(address.scheme == scheme)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.isWeb)
    }

    @Test(arguments: ["", "lists.example", "http://", "https://a b/", "http://x:99999/"])
    func whatIsNoAddressIsAFault(text: String) {
        #expect(throws: ListFault.badAddress(text)) { try ListAddress(text) }
    }

    @Test func aRedirectNeverLeadsToLessSafety() throws {
        let (secure, plain) = (try ListAddress("https://a/"), try ListAddress("http://b/"))
        #expect(secure.mayLead(to: secure) && plain.mayLead(to: secure))
        #expect(plain.mayLead(to: plain))
        #expect(!secure.mayLead(to: plain))
        #expect(!plain.mayLead(to: try ListAddress("ftp://c/")))
    }

    /// RFC 8089 §2, RFC 3986 §2.1
    @Test func pathsOfFilesAreDecoded() {
        #expect(ListAddress.path(ofFileURL: "file:///a/b%20c.txt") == "/a/b c.txt")
        #expect(ListAddress.path(ofFileURL: "file:///%C3%A4") == "/ä")
        for bad in ["file://host/x", "file:///a%", "file:///a%2", "file:///a%zz", "file:///%00"] {
            #expect(ListAddress.path(ofFileURL: bad) == nil)
        }
    }
}
