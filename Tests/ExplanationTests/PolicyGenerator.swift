import DomainNames
import FilterLists

/// Draws lists of all formats on few names, so that their rules meet.
struct PolicyGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    mutating func pick(_ words: [String]) -> String {
        words.randomElement(using: &self) ?? ""
    }

    /// Few labels, so that names meet.
    mutating func name(fewest: Int = 1) -> String {
        (0..<Int.random(in: fewest...4, using: &self)).map { _ in pick(["a", "b", "ab"]) }
            .joined(separator: ".")
    }

    mutating func line(_ format: ListFormat) -> String {
        switch format {
        case .hosts: "0.0.0.0 \(name(fewest: 2)) \(name(fewest: 2))"
        case .domains: (chance(20) ? "." : "") + name()
        case .wildcard: (chance(50) ? "*." : "") + name()
        case .adblock: adblockLine()
        case .dnsmasq: dnsmasqLine()
        case .unbound: unboundLine()
        case .rpz: zoneLine()
        }
    }

    /// An address that rules name, one beside it, or none.
    mutating func client() -> String? {
        ["10.0.0.1", "10.0.0.0", "::ffff:10.0.0.1", "::1", nil].randomElement(using: &self) ?? nil
    }

    private mutating func adblockLine() -> String {
        let start = (chance(30) ? "@@" : "") + pick(["||", "||", "|", "||*."])
        var modifiers: [String] = []
        if chance(20) { modifiers.append("important") }
        if chance(15) { modifiers.append("dnstype=" + pick(["A", "~A", "AAAA|TXT"])) }
        if chance(15) { modifiers.append("denyallow=\(name())|\(name())") }
        if chance(25) {
            modifiers.append(
                "dnsrewrite"
                    + pick([
                        "=REFUSED", "=NOERROR", "=1.2.3.4", "=1.2.3.4", "=::1", "=b.a", "",
                        "=0.0.0.0", "=SERVFAIL", "=NOERROR;MX;1 a.b",
                    ]))
        }
        if chance(15) {
            modifiers.append(
                "client=" + pick(["10.0.0.1", "~10.0.0.1", "10.0.0.0/31|~::1", "::1", "'x'"]))
        }
        if chance(15) { modifiers.append("badfilter") }
        if chance(5) { modifiers.append("third-party") }
        let end = modifiers.isEmpty ? "" : "$" + modifiers.joined(separator: ",")
        if chance(30) { return (chance(40) ? "@@" : "") + pattern() + end }
        return start + name() + "^" + end
    }

    private mutating func pattern() -> String {
        pick([
            "||a*b", "||x*^", "|a*", "*b.a^", "a.b", "*a*x*", "/^(a|x)\\.b/", "/b\\.[ax]+$/",
            "/a.x/", "/^b+/",
        ])
    }

    private mutating func dnsmasqLine() -> String {
        switch Int.random(in: 0..<6, using: &self) {
        case 0: chance(30) ? "server=/*\(name())/#" : "server=/\(name())/#"
        case 1: "address=/\(name())/\(pick(["1.2.3.4", "::5"]))"
        case 2: chance(30) ? "address=/*\(name())/#" : "local=/\(name())/"
        default: "address=/\(name())/" + pick(["", "#", "0.0.0.0"])
        }
    }

    private mutating func unboundLine() -> String {
        let type = pick([
            "always_nxdomain", "always_null", "redirect", "redirect", "transparent",
            "always_nodata", "block_a", "refuse",
        ])
        if chance(30) {
            return "local-data: \"\(name()) A \(pick(["0.0.0.0", "1.2.3.4"]))\""
        }
        return "local-zone: \"\(name())\" \(type)"
    }

    private mutating func zoneLine() -> String {
        let owner = (chance(50) ? "*." : "") + name()
        return "\(owner) CNAME "
            + pick([".", ".", "*.", "rpz-passthru.", "rpz-drop.", "other.example.", "x.y."])
    }

    mutating func policy() -> [PolicyFixture.List] {
        (0..<Int.random(in: 1...4, using: &self)).map { _ in
            let format = ListFormat.allCases.randomElement(using: &self) ?? .adblock
            let count = Int.random(in: 0...25, using: &self)
            let lines = (0..<count).map { _ in line(format) }
            return PolicyFixture.List(
                format: format, text: lines.joined(separator: chance(50) ? "\n" : "\r\n"),
                action: chance(15) ? .allow : .block,
                rewrites: chance(80),
                scope: chance(20)
                    ? NameScope.allCases.randomElement(using: &self) : nil)
        }
    }
}
