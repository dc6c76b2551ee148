internal import CIDN2

/// Why a Unicode name has no A-label form; the code is libidn2's.
package enum IDNAError: Error, Equatable, Sendable {
    /// More octets than any name that could be mapped into 255.
    case tooLong
    /// No mapping under IDNA2008, or no UTF-8.
    case noMapping(code: Int32)
}

extension IDNAError: CustomStringConvertible {
    /// One phrase for a person.
    package var description: String {
        switch self {
        case .tooLong: "Unicode name too long"
        case .noMapping(let code): "no A-label form (libidn2 code \(code))"
        }
    }
}

/// Internationalised names by libidn2: the only door to it.
package enum IDNA {
    /// Octets of UTF-8 text that are tried; 255 octets of A-labels come from fewer.
    static let textSize = 1024

    /// The A-label form of a UTF-8 name: IDNA2008 after the mapping of UTS #46, non-transitional
    /// (RFC 5891 §5, RFC 5895).
    /// - Throws: `IDNAError`.
    /// - Complexity: O(octets), a few allocations.
    package static func ascii(of text: Span<UInt8>) throws(IDNAError) -> [UInt8] {
        guard text.count <= textSize else { throw .tooLong }
        var terminated = text.octets(in: 0..<text.count)
        terminated.append(0)
        var result: [UInt8] = []
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        let code = unsafe terminated.withUnsafeBufferPointer { buffer -> Int32 in
            var mapped: UnsafeMutablePointer<UInt8>?
            let code = unsafe idn2_lookup_u8(buffer.baseAddress, &mapped, flags)
            // On success the library hands over one NUL-terminated string, freed here.
            if let mapped = unsafe mapped {
                var index = 0
                while unsafe mapped[index] != 0 {
                    unsafe result.append(mapped[index])
                    index += 1
                }
                unsafe idn2_free(mapped)
            }
            return code
        }
        guard code == IDN2_OK.rawValue, !result.isEmpty else { throw .noMapping(code: code) }
        return result
    }
}
