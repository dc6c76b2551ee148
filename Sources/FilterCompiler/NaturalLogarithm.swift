/// The natural logarithm, without libm: the compiler needs it twice, to size the prefilter.
enum NaturalLogarithm {
    /// ln 2.
    static let ofTwo = 0.693_147_180_559_945_309_417

    /// ln x for a finite x > 0.
    ///
    /// x = m · 2ᵉ with m in [√½, √2), and ln m = 2 · artanh z with z = (m − 1) / (m + 1), whose
    /// series z + z³/3 + z⁵/5 … gains a decimal and a half with every term, |z| being below 0.172.
    static func of(_ x: Double) -> Double {
        precondition(x > 0 && x.isFinite, "only positive numbers have a logarithm")
        var mantissa = x.significand
        var exponent = Double(x.exponent)
        if mantissa > 1.414_213_562_373_095 {
            mantissa /= 2
            exponent += 1
        }
        let z = (mantissa - 1) / (mantissa + 1)
        var power = z
        var sum = 0.0
        for term in 0..<14 {
            sum += power / Double(2 * term + 1)
            power *= z * z
        }
        return exponent * ofTwo + 2 * sum
    }
}
