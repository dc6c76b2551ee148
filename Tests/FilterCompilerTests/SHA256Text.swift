import Cryptography

/// SHA-256 in hexadecimal, for comparing with vectors.
enum SHA256Text {
    static func digest(of octets: [UInt8]) -> String { SHA256.digest(of: octets.span).description }
}
