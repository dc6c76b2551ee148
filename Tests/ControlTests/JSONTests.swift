import Foundation
import Testing

@testable import Control

@Suite struct JSONWriterTests {
    @Test func textIsWrittenOnOneLine() {
        var writer = JSONWriter()
        writer.object {
            $0.member("state", "serving")
            $0.member("count", 3)
            $0.member("rate", 0.25)
            $0.member("isPaused", false)
            $0.member("none") { $0.null() }
            $0.member("policies") {
                $0.array {
                    $0.object { $0.member("name", "default") }
                    $0.object { _ in }
                    $0.array { _ in }
                    $0.integer(UInt64.max)
                    $0.double(.infinity)
                }
            }
            $0.member("last", true)
        }
        #expect(
            writer.text == """
                {"state":"serving","count":3,"rate":0.25,"isPaused":false,"none":null,\
                "policies":[{"name":"default"},{},[],18446744073709551615,null],"last":true}
                """)
    }

    /// RFC 8259 §7
    @Test func stringIsEscaped() {
        var writer = JSONWriter()
        writer.string("\"\\/\n\r\t\u{0}\u{1B}\u{7F}\u{2028}äß😀")
        #expect(writer.text == "\"\\\"\\\\/\\n\\r\\t\\u0000\\u001b\\u007f\\u2028äß😀\"")
    }

    /// Foundation reads what we write, and so do we.
    @Test func everyStringComesBack() throws {
        var state: UInt64 = 0x5EED
        for round in 0..<500 {
            var string = ""
            for _ in 0..<20 {
                // Knuth's MMIX generator; its upper bits are the good ones.
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let code = UInt32(truncatingIfNeeded: state >> 40) % 0x11_000
                if let scalar = Unicode.Scalar(code) { string.unicodeScalars.append(scalar) }
            }
            var writer = JSONWriter()
            writer.array { $0.string(string) }
            let foreign = try JSONSerialization.jsonObject(with: Data(writer.octets)) as? [String]
            #expect(
                foreign?.first?.unicodeScalars.elementsEqual(string.unicodeScalars) == true,
                "round \(round)")
            let octets = writer.octets
            #expect(try JSONValue(text: octets.span) == .array([.string(string)]))
        }
    }
}

@Suite struct JSONValueTests {
    @Test(
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("-0", .integer(0)), ("12", .integer(12)),
            ("-9223372036854775808", .integer(.min)), ("1.5", .double(1.5)), ("1e3", .double(1000)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("\"a\\u00e4\\ud83d\\ude00\\/\"", .string("aä😀/")), ("[]", .array([])),
            ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])), ("{ }", .object([])),
            ("{\"a\" : 1}", .object([.init(name: "a", value: .integer(1))])),
        ] as [(String, JSONValue)])
    func textIsRead(text: String, value: JSONValue) throws {
        let octets = Array(text.utf8)
        #expect(try JSONValue(text: octets.span) == value)
    }

    @Test(arguments: [
        ("", 0), ("nul", 3), ("01", 2), ("1.", 2), ("-", 1), ("+1", 0), ("1e", 2), ("\"a", 2),
        ("\"\\x\"", 3), ("\"\\ud800\"", 7), ("\"\\udc00\"", 7), ("\"a\nb\"", 2), ("[1,]", 3),
        ("[1 2]", 3), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{\"a\" 1}", 5), ("1 x", 2), ("NaN", 0),
        ("1e999", 0),
    ])
    func badTextIsRefusedWhereItStops(text: String, offset: Int) {
        let octets = Array(text.utf8)
        #expect(throws: ControlError.malformedReply(offset: offset)) {
            try JSONValue(text: octets.span)
        }
    }

    @Test func octetsThatAreNoUTF8AreRefused() {
        let octets: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
        #expect(throws: ControlError.malformedReply(offset: 0)) { try JSONValue(text: octets.span) }
    }

    @Test func depthAndSizeAreBounded() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "["), count: depth)
                + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        }
        let most = nested(16)
        #expect(throws: Never.self) { try JSONValue(text: most.span) }
        let more = nested(100_000)
        #expect(throws: ControlError.malformedReply(offset: 16)) { try JSONValue(text: more.span) }
        let large = [UInt8](repeating: 0x20, count: (1 << 20) + 1)
        #expect(throws: ControlError.tooLong(limit: 1 << 20)) { try JSONValue(text: large.span) }
    }
}
