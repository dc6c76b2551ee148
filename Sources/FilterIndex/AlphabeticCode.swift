/// The code of a context that no listed name has.
enum AlphabeticCode {
    /// Sizes of codewords for symbols of equal weight: 24 of 5 bits, then 16 of 6.
    static let flat = [UInt8](repeating: 5, count: 24) + [UInt8](repeating: 6, count: 16)
}
