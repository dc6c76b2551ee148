/// The habits of STYLE that can be read off one Swift file; each returns what breaks it.
enum Habits {
    static let fileCap = 600
    static let fileReport = 400
    static let functionCap = 70
    static let columnCap = 100
    static let mainCap = 20

    static let bannedWords: Set<String> = [
        "Util", "Utils", "Utility", "Utilities", "Helper", "Helpers", "Common", "Core",
        "Extensions", "Types", "Models", "Constants", "Misc", "Manager",
    ]

    static func overlongLines(_ file: TreeFile) -> [String] {
        file.lines.enumerated().compactMap { index, line in
            let columns = line.unicodeScalars.count
            return columns > columnCap ? "\(file.path):\(index + 1): \(columns) columns" : nil
        }
    }

    static func overlongFunctions(_ file: TreeFile, _ source: SourceText) -> [String] {
        source.declarations.compactMap { declaration in
            guard declaration.kind != .type, declaration.kind != .extension else { return nil }
            let lines = declaration.lastLine - declaration.line + 1
            guard lines > functionCap else { return nil }
            return "\(file.path):\(declaration.line): \(declaration.name) has \(lines) lines"
        }
    }

    static func missingDocComments(_ file: TreeFile, _ source: SourceText) -> [String] {
        source.declarations.compactMap { declaration in
            switch declaration.kind {
            case .extension, .deinitializer: return nil
            case .enumCase where declaration.access < .package: return nil
            default: break
            }
            guard declaration.access > .private, !source.hasDocComment(declaration) else {
                return nil
            }
            return "\(file.path):\(declaration.line): \(declaration.name) has no doc comment"
        }
    }

    static func bannedNames(_ file: TreeFile, _ source: SourceText) -> [String] {
        let stem = file.name.split(separator: ".").first.map(String.init) ?? ""
        var found: [String] = []
        for part in stem.split(separator: "+") where isBanned(String(part)) {
            found.append("\(file.path): a file is not named \(stem)")
        }
        for declaration in source.declarations where declaration.kind == .type {
            if isBanned(declaration.name) {
                found.append("\(file.path):\(declaration.line): no type \(declaration.name)")
            }
            if declaration.isTopLevel && declaration.name == file.module {
                found.append("\(file.path):\(declaration.line): a type bears its module's name")
            }
        }
        return found
    }

    /// Whether the last word of a name in camel case, or the first of several, is banned.
    static func isBanned(_ name: String) -> Bool {
        var words: [String] = []
        for letter in name {
            if letter.isUppercase || words.isEmpty { words.append("") }
            words[words.count - 1].append(letter)
        }
        guard let last = words.last, let first = words.first else { return false }
        return bannedWords.contains(last) || ["Common", "Core", "Misc"].contains(first)
    }

    /// `try!`, `as!`, a forced unwrap, a type `T!`, an empty `catch`.
    static func forcedSteps(_ file: TreeFile, _ source: SourceText) -> [String] {
        let tokens = source.tokens
        var found: [String] = []
        for (index, token) in tokens.enumerated() where index > 0 {
            let before = tokens[index - 1]
            let after = index + 1 < tokens.count ? tokens[index + 1] : nil
            if token.text == "!", token.isGlued, after?.text != "=" || after?.isGlued == false,
                before.isWord || isNumber(before)
                    || [")", "]", "}", ">", "?", "\""].contains(before.text)
            {
                found.append("\(file.path):\(token.line): \(before.text)!")
            }
            if token.text == "}", before.text == "{", isCatch(tokens, brace: index - 1) {
                found.append("\(file.path):\(token.line): an empty catch")
            }
        }
        return found
    }

    private static func isNumber(_ token: Token) -> Bool {
        token.text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
    }

    /// Whether the brace opens the body of a `catch`, with or without a pattern.
    private static func isCatch(_ tokens: [Token], brace: Int) -> Bool {
        var index = brace - 1
        while index >= 0, !["{", "}"].contains(tokens[index].text) {
            if tokens[index].text == "catch" { return true }
            index -= 1
        }
        return false
    }

    /// What the daemon does without: existentials, tasks, actors, `async`.
    static func concurrencyAndExistentials(_ file: TreeFile, _ source: SourceText) -> [String] {
        let tokens = source.tokens
        var found: [String] = []
        for (index, token) in tokens.enumerated() {
            let before = index > 0 ? tokens[index - 1].text : ""
            let after = index + 1 < tokens.count ? tokens[index + 1] : nil
            guard before != ".", before != "func", before != "var", before != "let",
                before != "case"
            else { continue }
            let isUsed: Bool
            switch token.text {
            case "any", "actor": isUsed = after?.isWord == true || after?.text == "("
            case "async", "await": isUsed = after?.text != ":"
            case "Task", "TaskGroup", "MainActor": isUsed = true
            default: isUsed = false
            }
            if isUsed { found.append("\(file.path):\(token.line): \(token.text)") }
        }
        return found
    }

    /// Lines that step out of memory safety.
    static func unsafeLines(_ source: SourceText) -> [Int] {
        source.tokens.filter { $0.text == "unsafe" || $0.text.contains("Unsafe") }.map(\.line)
    }

    /// The RFC numbers that a text cites.
    static func citedRFCs(_ text: String) -> Set<Int> {
        Set(text.matches(of: #/RFCs?[ -]?(\d{3,5})/#).compactMap { Int($0.output.1) })
    }

    /// Lines with an absolute path of one machine: a folder of work in progress or a temporary
    /// one. A path inside a URL or below another folder is none.
    static func machinePaths(_ text: String) -> [Int] {
        let folders = ["work", "tmp"].map { "/" + $0 + "/" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .compactMap { index, line in
                folders.contains { folder in
                    line.ranges(of: folder).contains { range in
                        guard range.lowerBound > line.startIndex else { return true }
                        let before = line[line.index(before: range.lowerBound)]
                        return !(before.isLetter || before.isNumber || "._-)}*".contains(before))
                    }
                } ? index + 1 : nil
            }
    }
}
