import Configuration
import Testing

@Suite struct EndpointSettingTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:53"), ("127.0.0.1:5335", "127.0.0.1:5335"),
        ("[::1]", "[::1]:53"), ("[2001:DB8::1]:65535", "[2001:db8::1]:65535"),
        ("[fe80::1%eth0]:53", "[fe80::1%eth0]:53"),
    ])
    func endpointIsRead(text: String, printed: String) throws {
        let endpoint = try #require(EndpointSetting(text: text, defaultPort: 53))
        #expect(endpoint.description == printed)
        #expect(EndpointSetting(text: printed, defaultPort: 1) == endpoint)
    }

    @Test(arguments: [
        "", "::1", "[::1", "::1]:53", "[::1]53", "[127.0.0.1]:53", "127.0.0.1:", "127.0.0.1:0",
        "127.0.0.1:65536", "127.0.0.1:053", "127.0.0.1:5 3", "127.0.0.1:53:53", "localhost:53",
        "[::1%eth0]:53", "[fe80::1%]:53", "[fe80::1%a/b]:53", "[fe80::1%aaaaaaaaaaaaaaaa]:53",
        "127.0.0.1%lo:53",
    ])
    func badEndpointIsRefused(text: String) {
        #expect(EndpointSetting(text: text, defaultPort: 53) == nil)
    }
}
