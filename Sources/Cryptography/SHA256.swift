import COpenSSL

/// A SHA-256 computation in progress (FIPS 180-4), by libcrypto.
///
/// Feed it in any number of pieces, then `finish`. A failure of the library here means that there
/// is no memory, or a libcrypto without SHA-256; neither leaves anything to go on with.
@safe package struct SHA256: ~Copyable {
    private let state: OpaquePointer

    /// Nothing hashed yet.
    package init() {
        guard let started = unsafe copenssl_sha256_start() else {
            preconditionFailure("libcrypto gives no SHA-256")
        }
        unsafe state = started
    }

    deinit { unsafe copenssl_sha256_free(state) }

    /// Adds octets.
    /// - Complexity: O(octets); no allocation.
    package mutating func update(_ octets: Span<UInt8>) {
        let isAdded = unsafe octets.withUnsafeBufferPointer { buffer in
            unsafe copenssl_sha256_add(state, buffer.baseAddress, buffer.count) == 1
        }
        precondition(isAdded, "libcrypto hashes what it is given")
    }

    /// The digest of everything added.
    package consuming func finish() -> SHA256Digest {
        var octets = InlineArray<32, UInt8>(repeating: 0)
        var span = octets.mutableSpan
        let isFinished = unsafe span.withUnsafeMutableBufferPointer { buffer in
            unsafe copenssl_sha256_finish(state, buffer.baseAddress) == 1
        }
        precondition(isFinished, "libcrypto finishes what it started")
        return SHA256Digest(octets: octets)
    }

    /// The digest of `octets` in one go.
    package static func digest(of octets: Span<UInt8>) -> SHA256Digest {
        var computation = SHA256()
        computation.update(octets)
        return computation.finish()
    }
}
