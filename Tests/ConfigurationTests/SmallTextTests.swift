import Quantities
import Testing

@testable import Configuration

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            ("0s", 0), ("1800ms", 1800), ("10s", 10_000), ("5m", 300_000), ("3h", 10_800_000),
            ("1d", 86_400_000), ("106751d", 9_223_286_400_000),
        ] as [(String, Int64)])
    func durationIsRead(text: String, milliseconds: Int64) {
        #expect(DurationText.duration(of: text) == .milliseconds(milliseconds))
        #expect(DurationText.text(of: .milliseconds(milliseconds)) == text)
    }

    @Test(arguments: [
        "", "10", "s", "-1s", "1.5s", "1 s", "1S", "1w", "106752d", "1h30m",
        "99999999999999999999s",
    ])
    func badDurationIsRefused(text: String) {
        #expect(DurationText.duration(of: text) == nil)
    }

    @Test(arguments: [
        ("0B", 0), ("512B", 512), ("8KiB", 8192), ("64MiB", 67_108_864), ("1TiB", 1 << 40),
    ])
    func sizeIsRead(text: String, octets: Int) {
        #expect(ByteCountText.byteCount(of: text) == ByteCount(octets))
        #expect(ByteCountText.text(of: ByteCount(octets)) == text)
    }

    @Test(arguments: ["", "64", "64MB", "64mib", "1PiB", "9000000TiB", "-1B"])
    func badSizeIsRefused(text: String) {
        #expect(ByteCountText.byteCount(of: text) == nil)
    }
}

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("upstrems", "upstreams"), ("upstraems", "upstreams"), ("Listen", "listen"),
        ("blok-ttl", "block-ttl"), ("cachesize", "cache-size"),
    ])
    func typingErrorFindsItsKey(word: String, key: String) {
        let keys = ["listen", "upstreams", "block-ttl", "cache-size", "ttl"]
        #expect(NearestName.of(word, among: keys) == key)
    }

    @Test(arguments: ["zzz", "", "completely-different"])
    func strangeWordFindsNone(word: String) {
        #expect(NearestName.of(word, among: ["listen", "upstreams", "tcp"]) == nil)
    }

    @Test(arguments: [
        ("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("abcd", "acbd", 1),
        ("same", "SAME", 0),
    ])
    func editsAreCounted(left: String, right: String, edits: Int) {
        #expect(NearestName.editDistance(Array(left.utf8), Array(right.utf8)) == edits)
        #expect(NearestName.editDistance(Array(right.utf8), Array(left.utf8)) == edits)
    }
}
