import Cryptography
import Testing

/// FIPS 180-4 by the well-known answers of its example messages.
@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func knownMessagesHaveKnownDigests(message: String, digest: String) {
        let octets = Array(message.utf8)
        #expect(SHA256.digest(of: octets.span).description == digest)
    }

    @Test func piecesHashLikeTheWhole() {
        let octets = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var computation = SHA256()
        for start in stride(from: 0, to: octets.count, by: 77) {
            let piece = Array(octets[start..<min(start + 77, octets.count)])
            computation.update(piece.span)
        }
        let digest = computation.finish()
        #expect(digest == SHA256.digest(of: octets.span))
    }

    @Test func aDigestNeedsExactlyThirtyTwoOctets() {
        let short = [UInt8](repeating: 1, count: 31)
        let exact = [UInt8](repeating: 1, count: 32)
        #expect(SHA256Digest(short.span) == nil)
        #expect(SHA256Digest(exact.span)?.description == String(repeating: "01", count: 32))
    }
}
