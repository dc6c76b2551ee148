import Testing

/// The checker itself on small good and bad texts: each habit can fail, and fails on the line.
@Suite struct SampleTests {
    static func file(_ text: String, path: String = "Sources/Sample/Sample.swift") -> TreeFile {
        TreeFile(path: path, text: text)
    }

    static func undocumented(_ text: String) -> [String] {
        Habits.missingDocComments(file(text), SourceText(text)).map { line in
            String(line.split(separator: " ")[1])
        }
    }

    static func forced(_ text: String) -> Int {
        Habits.forcedSteps(file(text), SourceText(text)).count
    }

    static func shared(_ text: String) -> Int {
        Habits.concurrencyAndExistentials(file(text), SourceText(text)).count
    }

    @Test func commentsAndStringsAreNoCode() {
        let text = """
            let a = "} try! // no comment" // } as!
            let b = #"a "quoted" \\(brace {"# /* { /* nested { */ { */
            let c = "\\(d("}") + e!)"
            """
        let code = String(decoding: SourceText(text).code, as: UTF8.self)
        #expect(code.utf8.count == text.utf8.count)
        #expect(!code.contains("{") && !code.contains("}"))
        #expect(!code.contains("try") && !code.contains("comment") && !code.contains("quoted"))
        #expect(code.contains("e!"))
    }

    @Test func stringsOfSeveralLinesKeepTheirLines() {
        let text = "let a = \"\"\"\n    {\"x\"\n    \"\"\"\nlet b = \"\"\nlet c = 1\n"
        let tokens = SourceText(text).tokens
        #expect(tokens.first { $0.text == "c" }?.line == 5)
        #expect(!tokens.contains { $0.text == "x" || $0.text == "{" })
    }

    @Test func documentedDeclarationsPass() {
        let text = """
            import Other
            /// A thing.
            /// ```
            @frozen
            package struct Thing: Sendable {
                /// State.
                @usableFromInline var state: [Int] { didSet { check() } }
                private var hidden = { (x: Int) in let y = x; return y }(1)
                fileprivate struct Inner { var free: Int; init() {} }
                /// Makes one.
                init?(_ x: Int = Int.init(), _ body: () -> Void = { let z = 1 }) {
                    let local = x
                    func inner() { var deeper = local }
                    struct Local { var free: Int }
                }
                deinit { let x = 1 }
                /// Order.
                static func < (left: Thing, right: Thing) -> Bool { left.state < right.state }
            }
            extension Inner { func free() {} }
            private extension Thing { func free() {} }
            enum Cases { case one, two(Int) }
            """
        // The last enum is internal: itself undocumented, its cases free.
        #expect(Self.undocumented(text) == ["Cases"])
    }

    @Test func everyKindOfUndocumentedDeclarationIsFound() {
        let text = """
            struct A {
                var b: Int { 1 }
                let c = 2
                init() {}
                func d() {}
                subscript(e: Int) -> Int { e }
                private(set) var f = 3
                typealias G = Int
                @inlinable package static var h: Int { 4 }
                //// Four slashes are no doc comment.
                ///
                func i() {}
                // A comment that is no doc comment.
                class func j() {}
            }
            package enum K {
                case l
                case m(n: Int)
            }
            protocol O { func p() throws
                var q: Int { get }
                associatedtype R
            }
            extension A { func s() {} }
            func t<X>(_ x: X) where X: Equatable {}
            let u = [1].map { v in v }
            """
        #expect(
            Self.undocumented(text) == [
                "A", "b", "c", "init", "d", "subscript", "f", "G", "h", "i", "j", "K", "l", "m",
                "O", "p", "q", "R", "s", "t", "u",
            ])
    }

    @Test func casesNamedLikeKeywordsAreRead() {
        let text = """
            /// Doc.
            package enum Access {
                /// Doc.
                case `private`, open
                /// Doc.
                case optional
                case package
            }
            """
        #expect(Self.undocumented(text) == ["package"])
    }

    @Test func bindingsInStatementsAreNoDeclarations() {
        let text = "if let x = f(), let y = g() { print(x, y) }\nfor case let z? in [1] { h(z) }\n"
        #expect(Self.undocumented(text) == [])
    }

    @Test(arguments: [(70, 0), (71, 1)])
    func functionsAreMeasured(lines: Int, found: Int) {
        let body = Array(repeating: "    f(\"}\") // }", count: lines - 2).joined(separator: "\n")
        for head in ["func a() {", "init() {", "var b: Int {", "subscript(c: Int) -> Int {"] {
            let text = "struct S {\n\(head)\n\(body)\n}\n}\n"
            #expect(Habits.overlongFunctions(Self.file(text), SourceText(text)).count == found)
        }
    }

    @Test(arguments: [(100, 0), (101, 1)])
    func linesAreMeasured(columns: Int, found: Int) {
        let text = "a\n" + String(repeating: "→", count: columns) + "\n"
        #expect(Habits.overlongLines(Self.file(text)).count == found)
    }

    @Test(arguments: [
        "try! f()", "x as! Int", "a!", "f()!.b", "a[0]!", "\"a\"!", "var a: Int!", "a!\n= b",
        "x! = 3", "\"\\(a!)\"", "do { try f() } catch { }", "do {} catch let e as E { /* no */ }",
    ])
    func forcedStepsAreFound(text: String) {
        #expect(Self.forced(text) == 1)
    }

    @Test(arguments: [
        "!a", "a != b", "a!=b", "if !f() {}", "\"a!\"", "// a!", "#if !DEBUG", "try? f()", "(!a)",
        "do {} catch { f() }", "f {}", "init() {}", "a ? !b : c",
    ])
    func plainCodeIsNotForced(text: String) {
        #expect(Self.forced(text) == 0)
    }

    @Test(arguments: [
        "let x: any P", "func f() async {", "Task { }", "actor A {}", "await f()", "[any P]",
        "@MainActor f()", "throws(any Error)",
    ])
    func concurrencyAndExistentialsAreFound(text: String) {
        #expect(Self.shared(text) == 1)
    }

    @Test(arguments: [
        "static var any: Int { 1 }", "RecordType.any", "f(any: 1)", "case any", "// Task",
        "\"await any P\"", "if x == .any { y() }",
    ])
    func wordsThatOnlyLookLikeItPass(text: String) {
        #expect(Self.shared(text) == 0)
    }

    @Test func namesAreJudgedByTheirWords() {
        for name in ["Helpers", "StringUtils", "ListManager", "CommonName", "Types", "Core"] {
            #expect(Habits.isBanned(name), "\(name)")
        }
        for name in ["RecordType", "Score", "LongestCommonPrefix", "Managers", "CodePoints"] {
            #expect(!Habits.isBanned(name), "\(name)")
        }
        let text = "struct Sample { struct Sample {} }"
        #expect(Habits.bannedNames(Self.file(text), SourceText(text)).count == 1)
        let file = Self.file("", path: "Sources/Sample/Name+Extensions.swift")
        #expect(Habits.bannedNames(file, SourceText("")).count == 1)
    }

    @Test func unsafeCodeIsFound() {
        let text =
            "// unsafe\nlet a = unsafe b\nfunc c(_ d: UnsafeRawPointer) {}\nlet e = \"unsafe\""
        #expect(Habits.unsafeLines(SourceText(text)) == [2, 3])
    }

    @Test func importsAreRead() {
        let text = "@testable import A\nimport struct B.C\npublic import D // import E\n"
        #expect(ImportTable.imports(in: SourceText(text)).map(\.module) == ["A", "B", "D"])
    }

    @Test func manifestsAreRead() {
        let text = """
            func module(_ name: String, _ imports: [String] = []) -> Target { .target(name: name) }
            .target(name: "CA", linkerSettings: [.linkedLibrary("x")]), wall("CB", "b-0.1"),
            module("C"), module(
                "D",
                [
                    "C", "CA",
                ]),
            program("e", ["D"]), tests("CTests", ["C"]),
            """
        let expected: [String: Set<String>] = [
            "CA": [], "CB": [], "C": [], "D": ["C", "CA"], "e": ["D"],
        ]
        #expect(ImportTable.dependencies(inManifest: text) == expected)
    }

    @Test func citationsAreRead() {
        #expect(
            Habits.citedRFCs("RFC 1035 §4, RFC6891; RFC-8914. rfc 1, RFC x") == [1035, 6891, 8914])
    }

    @Test func machinePathsAreFound() {
        let (work, temporary) = ("/" + "work/", "/" + "tmp/")
        let text =
            "cd \(work)a\nok\n\"\(temporary)b\"\nhttps://a.example\(work)c\n/var\(temporary)d\n"
        #expect(Habits.machinePaths(text) == [1, 3])
    }
}
