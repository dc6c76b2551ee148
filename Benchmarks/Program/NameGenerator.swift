import LinuxSystem
import WireFixtures

/// Names shaped like those of block lists and of traffic; the same ones for the same seed.
///
/// A registered name is two to four syllables, at times with a hyphen or digits, under a top-level
/// domain drawn by weight. Half of the names are below it: a service word, a number, an identifier.
/// A third go on with the registered name before, as lists do.
struct NameGenerator {
    private var random: SeededGenerator
    private let fewestSyllables: Int
    private var registered: [UInt8] = []

    private static let consonants = Array("bcdfghjklmnprstvwz".utf8)
    private static let vowels = Array("aeiouy".utf8)
    private static let digits = Array("0123456789abcdef".utf8)
    private static let services: [[UInt8]] = [
        "ads", "adserver", "analytics", "api", "banner", "cdn", "click", "collect", "count",
        "events", "img", "log", "m", "metrics", "pixel", "s", "static", "stats", "t", "tag",
        "track", "tracking", "www",
    ].map { Array($0.utf8) }
    /// The first field is how many of a hundred.
    private static let tops: [(Int, [UInt8])] = [
        (52, "com"), (10, "net"), (6, "org"), (5, "de"), (5, "ru"), (4, "info"), (4, "xyz"),
        (3, "io"), (3, "top"), (3, "co.uk"), (2, "com.br"), (2, "cn"), (1, "club"),
    ].map { ($0.0, Array($0.1.utf8)) }

    /// A generator; more syllables make names of one seed rare in those of another.
    init(seed: UInt64, fewestSyllables: Int = 2) {
        random = SeededGenerator(seed: seed)
        self.fewestSyllables = fewestSyllables
    }

    /// Appends the next name as text.
    mutating func appendNext(to text: inout [UInt8]) {
        if registered.isEmpty || random.chance(65) { drawRegistered() }
        if random.chance(50) {
            if random.chance(20) { appendIdentifier(to: &text) }
            text += NameGenerator.services[random.number(0..<NameGenerator.services.count)]
            if random.chance(30) { text += Array(String(random.number(1..<100)).utf8) }
            text.append(UInt8(ascii: "."))
        }
        text += registered
    }

    private mutating func appendIdentifier(to text: inout [UInt8]) {
        for _ in 0..<random.number(6..<13) {
            text.append(NameGenerator.digits[random.number(0..<16)])
        }
        text.append(UInt8(ascii: "."))
    }

    private mutating func drawRegistered() {
        registered.removeAll(keepingCapacity: true)
        appendWord()
        if random.chance(12) {
            registered.append(UInt8(ascii: "-"))
            appendWord()
        }
        if random.chance(10) { registered += Array(String(random.number(1..<1000)).utf8) }
        registered.append(UInt8(ascii: "."))
        var left = random.number(0..<100)
        for (weight, top) in NameGenerator.tops {
            if left < weight {
                registered += top
                return
            }
            left -= weight
        }
    }

    private mutating func appendWord() {
        for _ in 0..<random.number(fewestSyllables..<6) {
            let consonants = NameGenerator.consonants
            registered.append(consonants[random.number(0..<consonants.count)])
            registered.append(NameGenerator.vowels[random.number(0..<NameGenerator.vowels.count)])
            if random.chance(40) {
                registered.append(consonants[random.number(0..<consonants.count)])
            }
        }
    }
}

extension NameGenerator {
    private static let outputSize = 1 << 16

    /// Prints a list, a name a line.
    static func printList(count: Int, seed: UInt64) {
        var generator = NameGenerator(seed: seed)
        printLines(count) { _, text in generator.appendNext(to: &text) }
    }

    /// Prints names that the list of this seed blocks when it reaches below its names: by turns
    /// one of the list and one below one, spread over the list.
    static func printListed(count: Int, listCount: Int, listSeed: UInt64) {
        var generator = NameGenerator(seed: listSeed)
        let step = max(1, listCount / max(1, count))
        var skipped: [UInt8] = []
        printLines(min(count, listCount)) { index, text in
            if index % 2 == 1 { text += Array("www.".utf8) }
            generator.appendNext(to: &text)
            for _ in 1..<step {
                skipped.removeAll(keepingCapacity: true)
                generator.appendNext(to: &skipped)
            }
        }
    }

    /// Prints names of traffic that no list of these generators is likely to hold.
    static func printUnlisted(count: Int, seed: UInt64) {
        var generator = NameGenerator(seed: seed, fewestSyllables: 4)
        printLines(count) { _, text in generator.appendNext(to: &text) }
    }

    private static func printLines(_ count: Int, _ append: (Int, inout [UInt8]) -> Void) {
        var text: [UInt8] = []
        for index in 0..<count {
            append(index, &text)
            text.append(UInt8(ascii: "\n"))
            if text.count >= outputSize || index == count - 1 {
                StandardStream.write(text.span, to: .output)
                text.removeAll(keepingCapacity: true)
            }
        }
    }
}
