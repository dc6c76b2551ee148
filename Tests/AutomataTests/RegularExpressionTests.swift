import Automata
import Testing

/// What expressions match, and why some are refused.
@Suite struct RegularExpressionTests {
    @Test(
        arguments: [
            ("ads", ["ads.example", "my.ads", "loads"], ["ad.s", ""]),
            ("^ads", ["ads.example"], ["my.ads"]),
            ("ntent\\.com$", ["avatars1.usercontent.com"], ["content.com.org", "contentxcom"]),
            (
                "^ad[sx]?\\d+\\.", ["ad1.example", "ads22.example", "adx3.a"],
                ["ads.example", "ad1"]
            ),
            ("(^|\\.)tracker\\.", ["tracker.example", "a.tracker.b"], ["mytracker.example"]),
            ("^(?:a|b|c){2}$", ["ab", "cc"], ["a", "abc", "ad"]),
            ("^x{2,}$", ["xx", "xxxxx"], ["x", ""]),
            ("^x{0,2}?$", ["", "x", "xx"], ["xxx"]),
            ("^[^.]+\\.com$", ["a.com"], ["a.b.com", ".com"]),
            ("^[a-c_-]+$", ["a-b_c"], ["d"]),
            ("^[\\w.-]+$", ["a_b.c-d9"], ["a b"]),
            ("^\\W\\D\\S$", ["-ax"], ["aax", "-1x", "-a "]),
            ("^\\x61\\u0062\\/$", ["ab/"], ["ab"]),
            ("^[\\d-x]+$", ["1-x"], ["y"]),
            ("^a{,2}$", ["a{,2}"], ["a", "aa"]),
            ("^{$", ["{"], ["x"]),
            ("^[]-a]$", [], []),
            ("(?<name>a)b$", ["xab"], ["ba"]),
            ("^ADS$", ["ads", "ADS"], ["bds"]),
            ("^[A-C]$", ["a", "B"], ["d"]),
            ("^[^A-C]$", ["d"], ["a", "B"]),
            ("a|", ["", "x"], []),
            ("^$", [""], ["a"]),
            ("$^", [""], ["a"]),
            ("a^b", [], ["ab", "a", "b"]),
            ("^(a+)+$", ["aaaa"], ["aaab"]),
            ("^(a*)*b$", ["b", "aab"], ["aa"]),
            ("é", ["xé"], ["e"]),
        ] as [(String, [String], [String])])
    func expressionsMatchAsJavaScriptSays(
        _ expression: String, _ matching: [String], _ others: [String]
    ) throws {
        guard !matching.isEmpty || !others.isEmpty else {
            #expect(throws: PatternError.self) { try tree(expression) }
            return
        }
        let parsed = try tree(expression)
        for (texts, isMatch) in [(matching, true), (others, false)] {
            for text in texts {
                let octets = Array(text.utf8)
                var matcher = PatternMatcher(parsed)
                #expect(matcher.matches(octets.span) == isMatch, "\(expression) on \(text)")
                #expect(BacktrackingMatcher.finds(parsed, in: octets) == isMatch, "\(text)")
                for direction in [PatternSet.Direction.forward, .backward] {
                    let set = PatternSet([parsed], direction: direction)
                    #expect(set.finds(in: octets) == (isMatch ? [0] : []), "\(expression) \(text)")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("a(?=b)", .unsupported(.lookAround, offset: 1)),
            ("(?!b)", .unsupported(.lookAround, offset: 0)),
            ("x(?<=b)", .unsupported(.lookAround, offset: 1)),
            ("x(?<!b)", .unsupported(.lookAround, offset: 1)),
            ("(a)\\1", .unsupported(.backReference, offset: 3)),
            ("(?<n>a)\\k<n>", .unsupported(.backReference, offset: 7)),
            ("\\bads", .unsupported(.wordBoundary, offset: 0)),
            ("ads\\B", .unsupported(.wordBoundary, offset: 3)),
            ("(?i)ads", .unsupported(.inlineFlags, offset: 0)),
            ("\\p{L}", .unsupported(.unicode, offset: 0)),
            ("\\u0430", .unsupported(.unicode, offset: 0)),
            ("[[:alpha:]]", .unsupported(.namedClass, offset: 1)),
            ("[é]", .unsupported(.nonASCIIClass, offset: 1)),
            ("(ab", .unbalancedParenthesis(offset: 0)),
            ("ab)", .unbalancedParenthesis(offset: 2)),
            ("(?<", .unbalancedParenthesis(offset: 0)),
            ("[ab", .badClass(offset: 0)),
            ("a[]", .badClass(offset: 1)),
            ("[z-a]", .badRange(offset: 1)),
            ("ab\\", .badEscape(offset: 2)),
            ("\\q", .badEscape(offset: 0)),
            ("\\x6", .badEscape(offset: 0)),
            ("\\01", .badEscape(offset: 0)),
            ("*a", .nothingToRepeat(offset: 0)),
            ("a|+", .nothingToRepeat(offset: 2)),
            ("a**", .nothingToRepeat(offset: 2)),
            ("^*", .nothingToRepeat(offset: 1)),
            ("{2}", .nothingToRepeat(offset: 0)),
            ("a{3,2}", .badCount(offset: 1)),
            ("a{1001}", .badCount(offset: 1)),
            ("a{99999999999999999999}", .badCount(offset: 1)),
            ("(a{1000}){1000}", .tooLarge(limit: 4096)),
            ("((a{100}){100}){100}", .tooLarge(limit: 4096)),
        ] as [(String, PatternError)])
    func whatNoAutomatonDecidesIsRefusedWithItsPlace(_ expression: String, _ error: PatternError) {
        #expect(throws: error) { try tree(expression) }
        #expect(!error.description.isEmpty)
    }

    @Test func nestingIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try tree(nested(100)) == .octet(OctetSet("aA")))
        #expect(throws: PatternError.tooDeep(offset: 100)) { try tree(nested(101)) }
        #expect(throws: PatternError.tooDeep(offset: 100)) { try tree(nested(60_000)) }
    }

    @Test func aLongExpressionIsBounded() {
        let text = String(repeating: "a", count: 5000)
        #expect(throws: PatternError.tooLarge(limit: 4096)) { try tree(text) }
        let choices = String(repeating: "|", count: 60_000)
        #expect(throws: PatternError.tooLarge(limit: 4096)) { try tree(choices) }
    }
}
