import DomainNames
import FilterIndex
import FilterLists
import Foundation
import LinuxSystem
import Quantities
import Testing
import WireFixtures

@testable import FilterCompiler

/// The same octets whatever the memory, the order of the lists and the place of the output.
@Suite struct BoundedCompilationTests {
    /// A folder that is gone with the value; empty unless something was left behind.
    private final class Folder {
        let path = NSTemporaryDirectory() + "sluice-bounded-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }

        deinit {
            let removed: Void? = try? FileManager.default.removeItem(atPath: path)
            if removed == nil { print("\(path) could not be removed") }
        }

        var names: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["unreadable"]
        }
    }

    /// So little that everything is spilled, merged early and read in many windows.
    private static func tiny(fanIn: Int = 3, window: Int = 97) -> BuildMemory {
        var memory = BuildMemory.unbounded
        memory.arenaSize = 600
        memory.retainedSize = 100
        memory.mergeSize = 1
        memory.fanIn = fanIn
        memory.windowSize = window
        return memory
    }

    // MARK: Rules

    /// Formats by list number: each way of settling rules is there.
    private static let formats: [ListFormat] = [.adblock, .dnsmasq, .unbound, .rpz, .hosts]

    private static func name(_ generator: inout SeededGenerator) -> NaiveFilter.Labels {
        let labels = ["a", "b", "ab", "com"].map { Array($0.utf8) }
        return (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            labels.randomElement(using: &generator) ?? []
        }
    }

    private static func rule(
        list: Int, _ generator: inout SeededGenerator
    ) -> PolicyRule {
        let key = PolicyRules.key(of: domainName(name(&generator)))
        let scope = NameScope.allCases.randomElement(using: &generator) ?? .exact
        let isAdblock = formats[list] == .adblock
        return PolicyRule(
            key: key, scope: scope, isAllow: generator.chance(30),
            isImportant: isAdblock && generator.chance(20),
            answer: generator.chance(6) ? .noData : .standard,
            types: generator.chance(5) ? [28] : [],
            exceptions: isAdblock && generator.chance(5)
                ? [RuleException(key: key + [0x7A, 0], scope: .subtree)] : [],
            list: UInt16(list))
    }

    private static func rewrite(
        list: Int, _ generator: inout SeededGenerator
    ) -> PolicyRewrite {
        let isException = formats[list] == .adblock && generator.chance(20)
        let rule = PolicyRule(
            key: PolicyRules.key(of: domainName(name(&generator))),
            scope: NameScope.allCases.randomElement(using: &generator) ?? .exact,
            isAllow: isException, list: UInt16(list))
        let record = RewriteRecord(type: 1, data: [192, 0, 2, UInt8(generator.next() % 3)])
        return PolicyRewrite(rule, answer: .records([record]))
    }

    private struct Lines {
        var rules: [[PolicyRule]]
        var rewrites: [[PolicyRewrite]]
        var disabled: [PolicyRule]

        init(_ generator: inout SeededGenerator) {
            rules = formats.indices.map { list in
                (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                    rule(list: list, &generator)
                }
            }
            rewrites = formats.indices.map { list in
                (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                    rewrite(list: list, &generator)
                }
            }
            disabled = (0..<4).map { _ in rule(list: 0, &generator) }
        }

        func policy(_ memory: BuildMemory, directory: String) throws -> PolicyRules {
            var policy = PolicyRules(memory: memory, scratchDirectory: directory)
            for (list, format) in formats.enumerated() {
                policy.beginList(UInt16(list), format: format)
                for rule in rules[list] {
                    policy.add(rule)
                    try policy.spillWhenFull(listName: "l\(list)")
                }
                for rewrite in rewrites[list] { policy.add(rewrite) }
                policy.endList()
            }
            for rule in disabled { policy.disable(rule) }
            return policy
        }
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func spilledRulesOfEveryKindGiveTheOctetsOfUnspilledOnes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let lines = Lines(&generator)
        let folder = try Folder()
        let manifest = SnapshotFixture.manifest(lists: Self.formats.count)
        let builder = SnapshotBuilder()
        let whole = try builder.image(
            of: lines.policy(.unbounded, directory: "/nonexistent"), manifest: manifest)
        for fanIn in [2, 3, 64] {
            let policy = try lines.policy(Self.tiny(fanIn: fanIn), directory: folder.path)
            let prepared = try builder.prepare(policy, manifest: manifest)
            if lines.rules.joined().count > 150 {
                #expect(prepared.spillCount > 3)
                #expect((prepared.earlyMergeCount > 0) == (fanIn < 64))
            }
            #expect(try prepared.image().octets == whole, "seed \(seed), fan-in \(fanIn)")
        }
        #expect(folder.names.isEmpty)
    }

    /// Per name the longest entry of the list decides, be it a block, an allow or a rewrite.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func theMoreSpecificRewriteWinsAlsoAcrossRuns(seed: UInt64) throws {
        enum Entry { case block, allow, rewrite }
        var generator = SeededGenerator(seed: seed)
        let folder = try Folder()
        var policy = PolicyRules(memory: Self.tiny(), scratchDirectory: folder.path)
        policy.beginList(0, format: .dnsmasq)
        var entries: [String: (labels: NaiveFilter.Labels, entry: Entry)] = [:]
        for _ in 0..<60 {
            let labels = Self.name(&generator)
            let text = "\(domainName(labels))"
            guard entries[text] == nil else { continue }
            let entry = [Entry.block, .allow, .rewrite].randomElement(using: &generator) ?? .block
            entries[text] = (labels, entry)
            let rule = NaiveFilter.Rule(name: labels, scope: .subtree, isAllow: entry == .allow)
            if entry == .rewrite {
                policy.add(PolicyRewrite(rule.policyRule, answer: .rcode(3)))
            } else {
                policy.add(rule.policyRule)
            }
            try policy.spillWhenFull(listName: "l")
        }
        policy.endList()
        let snapshot = try SnapshotFixture.open(
            SnapshotBuilder().image(of: policy, manifest: SnapshotFixture.manifest(lists: 1)))
        let asked = entries.values.map(\.labels) + (0..<60).map { _ in Self.name(&generator) }
        for query in asked {
            let best = entries.values.filter { entry in
                NaiveFilter.Rule(name: entry.labels, scope: .subtree, isAllow: false)
                    .applies(to: query, type: 1)
            }.max { $0.labels.count < $1.labels.count }
            let decision = snapshot.verdict(domainName(query)).decision
            let found: Entry =
                decision.isBlocked ? .block : decision.isRewritten ? .rewrite : .allow
            #expect(found == best?.entry ?? .allow, "seed \(seed): \(domainName(query))")
        }
    }

    @Test(arguments: [ListFormat.dnsmasq, .rpz], 0..<100 as Range<UInt64>)
    func theMoreSpecificEntryWinsAlsoAcrossRuns(format: ListFormat, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let folder = try Folder()
        var policy = PolicyRules(memory: Self.tiny(), scratchDirectory: folder.path)
        policy.beginList(0, format: format)
        var rules: [NaiveFilter.Rule] = []
        var seen: Set<String> = []
        for _ in 0..<60 {
            let scope: NameScope =
                format == .dnsmasq ? .subtree : generator.chance(50) ? .exact : .below
            let rule = NaiveFilter.Rule(
                name: Self.name(&generator), scope: scope, isAllow: generator.chance(40))
            guard seen.insert("\(domainName(rule.name)) \(scope)").inserted else { continue }
            rules.append(rule)
            policy.add(rule.policyRule)
            try policy.spillWhenFull(listName: "l")
        }
        policy.endList()
        let snapshot = try SnapshotFixture.open(
            SnapshotBuilder().image(of: policy, manifest: SnapshotFixture.manifest(lists: 1)))
        for query in rules.map(\.name) + (0..<60).map({ _ in Self.name(&generator) }) {
            let best = rules.filter { $0.applies(to: query, type: 1) }.max { left, right in
                left.name.count == right.name.count
                    ? left.scope != .exact && right.scope == .exact
                    : left.name.count < right.name.count
            }
            let isBlocked = snapshot.verdict(domainName(query)).decision.isBlocked
            #expect(
                isBlocked == (best.map { !$0.isAllow } ?? false),
                "seed \(seed), \(format): \(domainName(query))")
        }
    }

    // MARK: Lists

    /// Lists in five formats, of some hundred thousand octets together.
    private static func sources(_ count: Int) -> [ListSource] {
        var generator = SeededGenerator(seed: 3)
        func host(_ number: Int) -> String {
            let sub = generator.chance(30) ? "s\(number % 7)." : ""
            return "\(sub)n\(generator.next() % 5000).z\(number % 50).example"
        }
        var lines: [ListFormat: [String]] = [:]
        for number in 0..<count {
            lines[.adblock, default: []].append(
                (number % 11 == 0 ? "@@" : "") + "||\(host(number))^"
                    + (number % 29 == 0 ? "$important" : number % 31 == 0 ? "$dnstype=A" : ""))
            lines[.dnsmasq, default: []].append(
                number % 13 == 0
                    ? "server=/\(host(number))/#"
                    : "address=/\(host(number))/" + (number % 17 == 0 ? "192.0.2.1" : ""))
            lines[.unbound, default: []].append(
                "local-zone: \"\(host(number))\" "
                    + (number % 5 == 0 ? "redirect" : number % 37 == 0 ? "refuse" : "always_null"))
            lines[.unbound, default: []].append(
                "local-data: \"\(host(number)) A 192.0.2.\(number % 2)\"")
            lines[.rpz, default: []].append(
                "\(host(number)) CNAME " + (number % 9 == 0 ? "rpz-passthru." : "."))
            lines[.hosts, default: []].append("0.0.0.0 \(host(number))")
        }
        return formats.map { format in
            ListSource(
                name: "list-\(format.rawValue)",
                text: .octets(Array((lines[format] ?? []).joined(separator: "\n").utf8)),
                options: ListOptions(format: format))
        }
    }

    @Test func listsGiveTheSameOctetsWhateverBoundAndOrder() throws {
        let sources = Self.sources(1500)
        let folder = try Folder()
        let (whole, result) = try Compilation(lists: sources).build()
        #expect(result.lists.map(\.name) == result.lists.map(\.name).sorted())
        var generator = SeededGenerator(seed: 9)
        for memory in [
            BuildMemory.unbounded, BuildMemory(bound: BuildMemory.least),
            Self.tiny(fanIn: 8, window: 10_007),
        ] {
            let compilation = Compilation(
                lists: sources.shuffled(using: &generator), memory: memory,
                scratchDirectory: folder.path)
            let prepared = try compilation.prepare()
            #expect((prepared.snapshot.spillCount > 0) == (memory.arenaSize < 1000))
            #expect(try prepared.snapshot.image().octets == whole)
            let path = "\(folder.path)/o.sluice"
            let written = try compilation.write(to: path)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(whole))
            #expect(written.snapshotID == result.snapshotID && written.size == result.size)
            #expect(folder.names == ["o.sluice"])
        }
        let contents = try SnapshotContents(verifying: whole.span, path: "")
        #expect(contents.identity == result.snapshotID)
        #expect(contents.manifest.namesKept == result.namesAfterCovering)
    }

    @Test func theLeastBoundSpillsWhatItCannotHold() throws {
        let text = (0..<90_000).map { "name\($0 * 7919 % 1_000_003).example" }
        let source = ListSource(
            name: "l", text: .octets(Array(text.joined(separator: "\n").utf8)),
            options: ListOptions(format: .domains))
        let folder = try Folder()
        let compilation = Compilation(
            lists: [source], memory: BuildMemory(bound: BuildMemory.least),
            scratchDirectory: folder.path)
        let prepared = try compilation.prepare()
        #expect(prepared.snapshot.spillCount >= 1)
        #expect(prepared.snapshot.earlyMergeCount == 0)
        #expect(try prepared.snapshot.image().octets == Compilation(lists: [source]).build().image)
    }

    @Test func theForecastIsWhatIsWritten() throws {
        let prepared = try Compilation(lists: Self.sources(300)).prepare()
        let (image, facts) = try prepared.snapshot.image()
        #expect(prepared.snapshot.prefilterSize.octets == facts.sections[.prefilter].count)
        let snapshot = try SnapshotFixture.open(image)
        #expect(prepared.snapshot.directorySize == snapshot.directorySize)
        #expect(prepared.snapshot.directorySize.octets > 0)
    }

    @Test func progressNamesEachStageAndComesToItsEnd() throws {
        var ends: [String: (done: Int, total: Int)] = [:]
        let folder = try Folder()
        _ = try Compilation(lists: Self.sources(50)).write(to: "\(folder.path)/o") { progress in
            let stage =
                switch progress.stage {
                case .reading(let list): list
                case .sorting: "sorting"
                case .writing: "writing"
                }
            #expect(progress.done <= progress.total)
            ends[stage] = (progress.done, progress.total)
        }
        #expect(ends.count == Self.formats.count + 2)
        for (stage, end) in ends { #expect(end.done == end.total, "\(stage)") }
    }

    // MARK: Errors

    @Test func aDirectoryThatCannotBeWrittenIsAnErrorOnlyWhenItIsNeeded() throws {
        let sources = Self.sources(100)
        let missing = "/nonexistent/scratch"
        _ = try Compilation(lists: sources, scratchDirectory: missing).build()
        let spilling = Compilation(lists: sources, memory: Self.tiny(), scratchDirectory: missing)
        let error = #expect(throws: CompilationError.self) { try spilling.build() }
        guard case .scratch(missing, let cause)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.code == 2)
        #expect(error?.description.contains("raise --build-memory") == true)
    }

    @Test func anOutputThatCannotBeWrittenLeavesNothing() throws {
        let folder = try Folder()
        let blocked = "\(folder.path)/directory"
        try FileManager.default.createDirectory(
            atPath: blocked, withIntermediateDirectories: false)
        let compilation = Compilation(lists: Self.sources(10))
        #expect(throws: CompilationError.self) { try compilation.write(to: blocked) }
        #expect(throws: CompilationError.self) {
            try compilation.write(to: "\(folder.path)/missing/o.sluice")
        }
        #expect(folder.names == ["directory"])
    }

    @Test func rulesThatMustStayInMemoryAreBoundedAndTheListNamed() throws {
        var memory = BuildMemory.unbounded
        memory.valuesSize = 20_000
        func error(_ text: [String], _ format: ListFormat) -> CompilationError? {
            let lists = [
                ListSource(
                    name: "good", text: .octets(Array("a.example".utf8)),
                    options: .init(format: .domains)),
                ListSource(
                    name: "many", text: .octets(Array(text.joined(separator: "\n").utf8)),
                    options: ListOptions(format: format)),
            ]
            do throws(CompilationError) {
                _ = try Compilation(lists: lists, memory: memory).build()
                return nil
            } catch {
                return error
            }
        }
        let numbers = 0..<400
        let expected = CompilationError.tooManyRulesInMemory(list: "many")
        #expect(error(numbers.map { "||n\($0).example^$dnstype=A" }, .adblock) == expected)
        #expect(error(numbers.map { "||n\($0).example^" }, .adblock) == nil)
        // One rule with an answer of its own keeps all below it single.
        let zones = numbers.map { "local-zone: \"n\($0).test.example\" always_nxdomain" }
        let refusal = "local-zone: \"test.example\" refuse"
        #expect(error(zones + [refusal], .unbound) == expected)
        let elsewhere = "local-zone: \"other.example\" refuse"
        #expect(error(zones + [elsewhere], .unbound) == nil)
        // Allow entries with blocks below them become exceptions.
        let nested = numbers.flatMap {
            ["server=/n\($0).test.example/#", "address=/x.n\($0).test.example/"]
        }
        #expect(error(nested, .dnsmasq) == expected)
        #expect(error(numbers.map { "||n\($0).example^$dnsrewrite=1.2.3.4" }, .adblock) == expected)
        // Blocks below a rewrite become its exceptions.
        let below = numbers.map { "address=/n\($0).test.example/" }
        #expect(error(below, .dnsmasq) == nil)
        #expect(error(below + ["address=/other.example/1.2.3.4"], .dnsmasq) == nil)
        #expect(error(below + ["address=/test.example/1.2.3.4"], .dnsmasq) == expected)
    }
}
