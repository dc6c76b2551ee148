import DomainNames
import FilterCompiler
import FilterIndex
import Foundation
import Testing
import WireFixtures

/// The NEURLFilter prefilter format, bit for bit: Tests/Vectors/pir/bloom.json.
@Suite struct BloomVectorTests {
    private struct Vectors: Decodable {
        struct Sample: Decodable {
            let items: [String]
            let bitCount: UInt32
            let hashCount: UInt32
            let murmurSeed: UInt32
            let falsePositiveTolerance: Double
            let bitsBase64: String
            let bitsHex: String
        }
        struct Variant: Decodable {
            let fnv: String
            let indexArithmetic: String
            let bitOrder: String
            let bitsHex: String
        }
        struct Hashes: Decodable {
            let string: String
            let fnvMultiplyThenXor: UInt32
            let fnv1aXorThenMultiply: UInt32
            let murmur3Seed0: UInt32
            let murmur3Seed9747B28C: UInt32
            let indicesBitcount14377588Hashcount10AppleVariant: [UInt32]
        }
        struct Thousand: Decodable {
            let bitCount: UInt32
            let hashCount: UInt32
            let murmurSeed: UInt32
            let sha256OfBits: String
            let first32Hex: String
            let setBits: Int
        }
        let appleSample: Sample
        let variantsForTheSameInput: [Variant]
        let hashes: [Hashes]
        let n1000: Thousand
    }

    private let vectors: Vectors

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Vectors/pir/bloom.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        vectors = try decoder.decode(Vectors.self, from: Data(contentsOf: file))
    }

    private func parameters(
        bits: UInt32, hashes: UInt32, seed: UInt32, names: Int,
        order: PrefilterHashes.FNVOrder = .multiplyFirst
    ) -> Prefilter.Parameters {
        Prefilter.Parameters(
            order: order, isEmpty: false, hasOneLabelNames: false, hasRoot: false,
            nameCount: UInt32(names), bitCount: bits, hashCount: hashes, seed: seed,
            falsePositiveRate: 0.001)
    }

    private func filter(_ items: [String], _ parameters: Prefilter.Parameters) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: (Int(parameters.bitCount) + 7) / 8)
        for item in items {
            let octets = Array(item.utf8)
            PrefilterBuilder.insert(octets.span, parameters: parameters, into: &bits)
        }
        return bits
    }

    private func hex(_ octets: some Sequence<UInt8>) -> String {
        octets.map { String(format: "%02x", $0) }.joined()
    }

    @Test func theSampleFilterComesOutBitForBit() throws {
        let sample = vectors.appleSample
        let size = try #require(
            PrefilterBuilder.size(
                names: sample.items.count, falsePositiveRate: sample.falsePositiveTolerance))
        #expect(size.bitCount == sample.bitCount)
        #expect(size.hashCount == sample.hashCount)
        let bits = filter(
            sample.items,
            parameters(
                bits: size.bitCount, hashes: size.hashCount, seed: sample.murmurSeed,
                names: sample.items.count))
        #expect(hex(bits) == sample.bitsHex)
        #expect(Data(bits).base64EncodedString() == sample.bitsBase64)
    }

    @Test func theThousandNamesComeOutBitForBit() throws {
        let thousand = vectors.n1000
        let size = try #require(PrefilterBuilder.size(names: 1000, falsePositiveRate: 0.001))
        #expect(size.bitCount == thousand.bitCount)
        #expect(size.hashCount == thousand.hashCount)
        let items = (0..<1000).map { "host\($0).example" }
        let bits = filter(
            items,
            parameters(
                bits: size.bitCount, hashes: size.hashCount, seed: thousand.murmurSeed,
                names: 1000))
        #expect(SHA256Text.digest(of: bits) == thousand.sha256OfBits)
        #expect(hex(bits.prefix(32)) == thousand.first32Hex)
        #expect(bits.reduce(0) { $0 + $1.nonzeroBitCount } == thousand.setBits)
    }

    @Test func theHashesAndIndicesAreThoseOfTheVectors() {
        for vector in vectors.hashes {
            let text = Array(vector.string.utf8)
            let fnv = PrefilterHashes.fnv(text.span, order: .multiplyFirst)
            #expect(fnv == vector.fnvMultiplyThenXor)
            #expect(
                PrefilterHashes.fnv(text.span, order: .xorFirst) == vector.fnv1aXorThenMultiply)
            #expect(PrefilterHashes.murmur3(text.span, seed: 0) == vector.murmur3Seed0)
            #expect(
                PrefilterHashes.murmur3(text.span, seed: 0x9747_B28C)
                    == vector.murmur3Seed9747B28C)
            let indices = Set(vector.indicesBitcount14377588Hashcount10AppleVariant)
            let bits = filter(
                [vector.string],
                parameters(bits: 14_377_588, hashes: 10, seed: 0x9747_B28C, names: 1))
            for index in indices { #expect(bits[Int(index / 8)] & 1 << UInt8(index % 8) != 0) }
            var count = 0
            for octet in bits where octet != 0 { count += octet.nonzeroBitCount }
            #expect(count == indices.count, "no other bit is set")
        }
    }

    @Test func ofTheEightVariantsOnlyTheWrappingLeastBitFirstOnesAreOurs() {
        let sample = vectors.appleSample
        for variant in vectors.variantsForTheSameInput {
            let order: PrefilterHashes.FNVOrder =
                variant.fnv.hasPrefix("multiply") ? .multiplyFirst : .xorFirst
            let ours = filter(
                sample.items,
                parameters(
                    bits: sample.bitCount, hashes: sample.hashCount, seed: sample.murmurSeed,
                    names: sample.items.count, order: order))
            let isOurs = variant.indexArithmetic == "u32 wrap" && variant.bitOrder == "lsb"
            #expect((hex(ours) == variant.bitsHex) == isOurs, "\(variant)")
        }
    }

    @Test func theFilterNeverDeniesAMember() throws {
        var rules: [NaiveFilter.Rule] = []
        for number in 0..<3000 {
            let name = [Array("h\(number)".utf8), Array("example".utf8)]
            rules.append(.init(name: name, scope: .exact))
        }
        let snapshot = try SnapshotFixture.open(
            SnapshotFixture.image(rules, options: .init(falsePositiveRate: 0.01)))
        for rule in rules {
            #expect(snapshot.prefilterMightMatch(CanonicalName(domainName(rule.name))))
        }
        var falsePositives = 0
        for number in 0..<10_000 {
            let name = CanonicalName(try DomainName(text: "other\(number).test"))
            if snapshot.prefilterMightMatch(name) { falsePositives += 1 }
        }
        #expect((40...200).contains(falsePositives), "about 100 of 10,000 at p = 0.01")
    }

    @Test func aFilterBeyondThirtyTwoBitsIsRefused() {
        #expect(PrefilterBuilder.size(names: 298_000_000, falsePositiveRate: 0.001) != nil)
        #expect(PrefilterBuilder.size(names: 299_000_000, falsePositiveRate: 0.001) == nil)
        #expect(throws: CompilationError.rateOutOfRange(0)) {
            try SnapshotFixture.image([], options: .init(falsePositiveRate: 0))
        }
    }

    @Test func sizesAgreeWithTheFormulaByLibm() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let names = Int.random(in: 1...50_000_000, using: &generator)
            let rate = pow(10, Double.random(in: -9 ... -0.302, using: &generator))
            guard let size = PrefilterBuilder.size(names: names, falsePositiveRate: rate) else {
                continue
            }
            let bits = (-Double(names) * log(rate) / (log(2) * log(2))).rounded(.up)
            #expect(abs(Double(size.bitCount) - bits) <= 1)
            #expect(size.hashCount >= 1)
        }
    }
}
