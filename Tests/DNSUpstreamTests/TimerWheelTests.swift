import Quantities
import Testing
import WireFixtures

@testable import DNSUpstream

/// The wheel against a dictionary of deadlines.
@Suite struct TimerWheelTests {
    private static let start = MonotonicInstant(nanoseconds: 3_000_000_000)

    private static func fired(_ wheel: inout TimerWheel, _ now: MonotonicInstant) -> [Int] {
        var fired: [Int] = []
        wheel.advance(to: now, fired: &fired)
        return fired
    }

    @Test func nothingFiresEarlyAndNothingLate() {
        var wheel = TimerWheel(now: Self.start)
        wheel.set(3, due: Self.start + .milliseconds(20))
        #expect(wheel.next == Self.start + .milliseconds(20))
        #expect(Self.fired(&wheel, Self.start + .milliseconds(20) + .nanoseconds(-1)).isEmpty)
        #expect(Self.fired(&wheel, Self.start + .milliseconds(20)) == [3])
        #expect(wheel.next == nil && Self.fired(&wheel, Self.start + .seconds(9)).isEmpty)
    }

    @Test func aDeadlineIsReplacedOrForgotten() {
        var wheel = TimerWheel(now: Self.start)
        wheel.set(0, due: Self.start + .milliseconds(5))
        wheel.set(0, due: Self.start + .milliseconds(50))
        wheel.set(1, due: Self.start + .milliseconds(50))
        wheel.cancel(1)
        wheel.cancel(1)
        wheel.cancel(99)
        #expect(Self.fired(&wheel, Self.start + .milliseconds(49)).isEmpty)
        #expect(Self.fired(&wheel, Self.start + .milliseconds(50)) == [0])
    }

    @Test func whatIsDueAlreadyFiresAtTheNextLook() {
        var wheel = TimerWheel(now: Self.start)
        _ = Self.fired(&wheel, Self.start + .seconds(1))
        wheel.set(0, due: Self.start)
        #expect(Self.fired(&wheel, Self.start + .seconds(1)) == [0])
    }

    /// Deadlines past the wheel's horizon, and looks that come late.
    @Test func deadlinesBeyondATurnAreKept() {
        var wheel = TimerWheel(now: Self.start)
        wheel.set(0, due: Self.start + .seconds(30))
        wheel.set(1, due: Self.start + .seconds(2))
        #expect(Self.fired(&wheel, Self.start + .seconds(3)) == [1])
        #expect(wheel.next == Self.start + .seconds(30))
        #expect(Self.fired(&wheel, Self.start + .seconds(29)).isEmpty)
        #expect(Self.fired(&wheel, Self.start + .seconds(31)) == [0])
    }

    @Test(arguments: 1..<16 as Range<UInt64>)
    func theWheelFiresWhatADictionarySays(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var now = Self.start
        var wheel = TimerWheel(now: now)
        var twin: [Int: MonotonicInstant] = [:]
        for _ in 0..<4000 {
            let number = random.number(0..<40)
            switch random.number(0..<10) {
            case 0..<5:
                let longest = random.chance(5) ? 40_000 : 4300
                let due = now + .microseconds(random.number(-5000..<(longest * 1000)))
                wheel.set(number, due: due)
                twin[number] = due
            case 5:
                wheel.cancel(number)
                twin[number] = nil
            default:
                let longest = random.chance(3) ? 20_000 : 60
                now = now + .microseconds(random.number(0..<(longest * 1000)))
                let fired = Self.fired(&wheel, now)
                let due = twin.filter { $0.value <= now }.map(\.key)
                #expect(fired.sorted() == due.sorted(), "seed \(seed)")
                for number in due { twin[number] = nil }
            }
            if let least = twin.values.min() {
                let next = wheel.next ?? .distantFuture
                #expect(next <= least, "seed \(seed): a deadline would be missed")
            } else {
                #expect(wheel.next == nil, "seed \(seed)")
            }
        }
    }
}
