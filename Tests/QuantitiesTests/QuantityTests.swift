import Quantities
import Testing

/// Durations, sizes and instants.
@Suite struct QuantityTests {
    @Test func durationsAreReadAndWrittenAlike() {
        let cases: [(String, Duration)] = [
            ("0s", .zero), ("1ms", .milliseconds(1)), ("1800ms", .milliseconds(1800)),
            ("10s", .seconds(10)), ("5m", .seconds(300)), ("3h", .seconds(10_800)),
            ("1d", .seconds(86_400)), ("90m", .seconds(5400)),
        ]
        for (text, duration) in cases {
            #expect(DurationText.duration(of: text) == duration)
            #expect(DurationText.text(of: duration) == text)
        }
        #expect(DurationText.duration(of: "60s") == .seconds(60))
        #expect(DurationText.text(of: .seconds(60)) == "1m")
    }

    @Test(arguments: [
        "", "s", "5", "-1s", "+1s", "1.5s", "1 s", "1S", "1sec", " 1s", "1s ", "0x1s", "١s",
        "9223372036854775807d", "99999999999999999999s", "106752d",
    ])
    func textThatIsNoDurationIsNone(text: String) {
        #expect(DurationText.duration(of: text) == nil)
    }

    @Test func sizesAreReadAndWrittenAlike() {
        for (text, octets) in [
            ("0B", 0), ("1023B", 1023), ("1KiB", 1024), ("64MiB", 64 << 20), ("1GiB", 1 << 30),
            ("1025KiB", 1025 << 10),
        ] {
            #expect(ByteCountText.byteCount(of: text) == ByteCount(octets))
            #expect(ByteCountText.text(of: ByteCount(octets)) == text)
        }
        for text in ["", "1", "1kb", "1 MiB", "-1B", "9223372036854775807KiB", "8388608TiB"] {
            #expect(ByteCountText.byteCount(of: text) == nil, "\(text)")
        }
    }

    @Test func sizesForPeopleHaveOneDecimal() {
        #expect(ByteCount(0).description == "0 B" && ByteCount(1023).description == "1023 B")
        #expect(ByteCount.kibibytes(1).description == "1.0 KiB")
        #expect(ByteCount(1536).description == "1.5 KiB")
        #expect(ByteCount.mebibytes(64).description == "64.0 MiB")
        #expect(ByteCount.mebibytes(2048).description == "2.0 GiB")
        #expect(ByteCount.mebibytes(4_194_304).description == "4096.0 GiB")
    }

    @Test func instantsDifferByDurations() {
        let start = MonotonicInstant(nanoseconds: 5)
        let later = start + .seconds(2) + .nanoseconds(-1)
        #expect(later - start == .nanoseconds(1_999_999_999) && start < later)
        #expect(later.wholeSeconds(since: start) == 1)
        #expect(MonotonicInstant.distantPast < start && start < .distantFuture)
        // Room for every duration on both sides.
        #expect(MonotonicInstant.distantFuture + .seconds(1) > .distantFuture)
    }

    /// A timer that fires early would find nothing due and spin.
    @Test func millisecondsAreRoundedUp() {
        #expect(Duration.zero.wholeMillisecondsRoundedUp == 0)
        #expect(Duration.nanoseconds(1).wholeMillisecondsRoundedUp == 1)
        #expect(Duration.milliseconds(7).wholeMillisecondsRoundedUp == 7)
        #expect(Duration.microseconds(7001).wholeMillisecondsRoundedUp == 8)
    }
}
