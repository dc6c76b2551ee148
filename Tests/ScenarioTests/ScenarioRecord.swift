import Configuration
import DomainNames
import Quantities

/// A resource record as a scenario writes it.
struct ScenarioRecord: Sendable {
    /// RDATA in parts, since names in it may be compressed and differ in case.
    enum Part: Sendable {
        case octets([UInt8])
        case name([UInt8], isCompressible: Bool)
    }

    var owner: [UInt8]
    var type: UInt16
    var recordClass: UInt16
    var ttl: UInt32
    var rdata: [Part]

    static let types: [String: UInt16] = [
        "A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "HINFO": 13, "MX": 15, "TXT": 16,
        "AAAA": 28, "SRV": 33, "DNAME": 39, "DS": 43, "DNSKEY": 48, "SVCB": 64, "HTTPS": 65,
        "ANY": 255,
    ]
    static let classes: [String: UInt16] = ["IN": 1, "CH": 3, "HS": 4, "ANY": 255]

    /// The number of a type's name or of `TYPEnnn` (RFC 3597 §5).
    static func type(_ text: String) throws(ScenarioError.RecordFault) -> UInt16 {
        if let known = types[text] { return known }
        guard text.hasPrefix("TYPE"), let number = UInt16(text.dropFirst(4)) else {
            throw .badType(text)
        }
        return number
    }

    /// The wire form of an absolute name; the dot at its end may be left out.
    static func name(_ text: String) throws(ScenarioError.RecordFault) -> [UInt8] {
        guard let name = try? DomainName(text: text) else { throw .badName(text) }
        return name.wire
    }

    /// A record from `OWNER [TTL] [CLASS] TYPE RDATA…`, quoted texts as one word each.
    init(words: [String]) throws(ScenarioError.RecordFault) {
        var words = words[...]
        guard let first = words.popFirst() else { throw .tooFewFields }
        owner = try ScenarioRecord.name(first)
        ttl = 0
        recordClass = 1
        while let word = words.first {
            if let number = UInt32(word) {
                ttl = number
            } else if let number = ScenarioRecord.classes[word] {
                recordClass = number
            } else {
                break
            }
            words.removeFirst()
        }
        guard let typeText = words.popFirst() else { throw .tooFewFields }
        type = try ScenarioRecord.type(typeText)
        rdata = try RdataText.parts(Array(words), type: type)
    }

    /// RDATA without compression, names in lower case: for comparing.
    var canonicalRdata: [UInt8] {
        rdata.flatMap { part in
            switch part {
            case .octets(let octets): octets
            case .name(let wire, _): wire.map(\.asciiLowercased)
            }
        }
    }
}

/// RDATA in presentation form.
enum RdataText {
    typealias Fault = ScenarioError.RecordFault
    typealias Part = ScenarioRecord.Part

    /// The parts of the RDATA that `words` write for a type.
    static func parts(_ words: [String], type: UInt16) throws(Fault) -> [Part] {
        if words.first == "\\#" { return [.octets(try generic(words))] }
        switch type {
        case 1, 28:
            return [.octets(try address(try word(words, 0), octetCount: type == 1 ? 4 : 16))]
        case 2, 5, 12:
            return [try name(words, 0, isCompressible: true)]
        case 39:
            return [try name(words, 0, isCompressible: false)]
        case 15:
            return [.octets(try number16(words, 0)), try name(words, 1, isCompressible: true)]
        case 33:
            let numbers = try number16(words, 0) + number16(words, 1) + number16(words, 2)
            return [.octets(numbers), try name(words, 3, isCompressible: false)]
        case 6:
            return try soa(words)
        case 16:
            guard !words.isEmpty else { throw .tooFewFields }
            var octets: [UInt8] = []
            for word in words { octets += try characterString(word) }
            return [.octets(octets)]
        case 64, 65:
            let target = try name(words, 1, isCompressible: false)
            let parameters = try serviceParameters(words.dropFirst(2))
            return [.octets(try number16(words, 0)), target, .octets(parameters)]
        default:
            throw .badOctets(words.joined(separator: " "))
        }
    }

    private static func word(_ words: [String], _ index: Int) throws(Fault) -> String {
        guard index < words.count else { throw .tooFewFields }
        return words[index]
    }

    private static func name(
        _ words: [String], _ index: Int, isCompressible: Bool
    ) throws(Fault) -> Part {
        let wire = try ScenarioRecord.name(try word(words, index))
        return .name(wire, isCompressible: isCompressible)
    }

    private static func number16(_ words: [String], _ index: Int) throws(Fault) -> [UInt8] {
        let text = try word(words, index)
        guard let number = UInt16(text) else { throw .badNumber(text) }
        return number.bigEndianOctets
    }

    private static func soa(_ words: [String]) throws(Fault) -> [Part] {
        var octets: [UInt8] = []
        for index in 2..<7 {
            let text = try word(words, index)
            guard let number = UInt32(text) else { throw .badNumber(text) }
            octets += number.bigEndianOctets
        }
        return [
            try name(words, 0, isCompressible: true), try name(words, 1, isCompressible: true),
            .octets(octets),
        ]
    }

    private static func address(_ text: String, octetCount: Int) throws(Fault) -> [UInt8] {
        guard let address = IPAddress(text: text), address.octets.count == octetCount else {
            throw .badAddress(text)
        }
        return address.octets
    }

    /// `"text"` or `text`, as one character string (RFC 1035 §3.3).
    private static func characterString(_ word: String) throws(Fault) -> [UInt8] {
        var text = word[...]
        if text.first == "\"", text.last == "\"", text.count >= 2 {
            text = text.dropFirst().dropLast()
        }
        guard text.utf8.count <= 255 else { throw .badOctets(word) }
        return [UInt8(text.utf8.count)] + Array(text.utf8)
    }

    /// `\# SIZE HEX…` (RFC 3597 §5).
    private static func generic(_ words: [String]) throws(Fault) -> [UInt8] {
        let sizeText = try word(words, 1)
        guard let size = Int(sizeText) else { throw .badNumber(sizeText) }
        let digits = Array(words.dropFirst(2).joined())
        let octets = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        guard digits.count == 2 * size, octets.count == size else {
            throw .badOctets(String(digits))
        }
        return octets
    }

    /// `alpn=h2,h3` and `port=443`, ascending by key (RFC 9460 §2.2, §7).
    private static func serviceParameters(_ words: ArraySlice<String>) throws(Fault) -> [UInt8] {
        var octets: [UInt8] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw .badOctets(word) }
            var value: [UInt8] = []
            switch parts[0] {
            case "alpn":
                for protocolName in parts[1].split(separator: ",") {
                    value += try characterString(String(protocolName))
                }
                octets += UInt16(1).bigEndianOctets
            case "port":
                value = try number16([parts[1]], 0)
                octets += UInt16(3).bigEndianOctets
            default:
                throw .badOctets(word)
            }
            octets += UInt16(value.count).bigEndianOctets + value
        }
        return octets
    }
}

extension FixedWidthInteger {
    /// The octets of this number, the highest first.
    var bigEndianOctets: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: self >> Self($0))
        }
    }
}
