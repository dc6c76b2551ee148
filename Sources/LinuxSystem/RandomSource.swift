import CLinux

/// Unpredictable numbers from the kernel's generator, drawn 4 KiB at a time.
///
/// Message ids and ports come from here (RFC 5452 §9.2): nothing a guesser sees helps to guess the
/// next. A draw costs a few nanoseconds; each octet is used once.
public struct RandomSource: ~Copyable {
    private var pool: [UInt8]
    private var used: Int

    /// A source with an empty pool.
    public init() {
        pool = [UInt8](repeating: 0, count: 4096)
        used = pool.count
    }

    /// Sixteen random bits.
    public mutating func next16() -> UInt16 {
        if used + 2 > pool.count { refill() }
        used += 2
        return UInt16(pool[used - 2]) << 8 | UInt16(pool[used - 1])
    }

    /// Thirty-two random bits.
    public mutating func next32() -> UInt32 {
        UInt32(next16()) << 16 | UInt32(next16())
    }

    /// A number in `0..<bound`, each equally likely; `bound` is at least 1.
    public mutating func next(below bound: UInt32) -> UInt32 {
        // Rejection keeps it uniform: values past the last whole multiple are drawn again.
        let limit = UInt32.max - UInt32.max % bound
        while true {
            let value = next32()
            if value < limit { return value % bound }
        }
    }

    private mutating func refill() {
        let result = unsafe pool.withUnsafeMutableBytes { bytes in
            unsafe linux_random(bytes.baseAddress, bytes.count)
        }
        precondition(result == 0, "the kernel gives random octets at any time after boot")
        used = 0
    }
}
