/// A declaration that is not local to a function.
struct Declaration: Equatable {
    enum Kind: String {
        case function, initializer, deinitializer, `subscript`, variable, alias, type, `extension`
        case enumCase
    }

    enum Access: Int, Comparable {
        case `private`, `internal`, package, `public`

        static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
    }

    let kind: Kind
    let name: String
    /// The line of its first attribute, modifier or keyword.
    let line: Int
    /// The line where its body closes; `line` when it has none.
    var lastLine: Int
    /// What it says itself, cut to what surrounds it.
    let access: Access
    /// Whether it stands in no other type.
    let isTopLevel: Bool
}

extension SourceText {
    /// All declarations outside function bodies, in the order of the text.
    var declarations: [Declaration] {
        var finder = DeclarationFinder(tokens: tokens)
        finder.walk(inside: .file)
        return finder.found
    }

    /// Whether a doc comment with a word ends on the line before `declaration`.
    func hasDocComment(_ declaration: Declaration) -> Bool {
        var line = declaration.line - 1
        while let hasWord = docLines[line] {
            if hasWord { return true }
            line -= 1
        }
        return false
    }
}

/// Reads tokens at file and type level; bodies of functions are skipped whole.
private struct DeclarationFinder {
    struct Scope {
        var isTopLevel: Bool
        var access: Declaration.Access
        /// What a member without a modifier has.
        var standard: Declaration.Access

        static var file: Scope { Scope(isTopLevel: true, access: .public, standard: .internal) }
    }

    struct Prefix {
        var line: Int
        var access: Declaration.Access?
    }

    static let typeWords: Set<String> = ["struct", "enum", "class", "actor", "protocol"]
    static let modifiers: Set<String> = [
        "static", "class", "final", "mutating", "nonmutating", "borrowing", "consuming", "lazy",
        "weak", "unowned", "override", "required", "convenience", "indirect", "nonisolated",
        "prefix", "postfix", "infix", "dynamic", "optional", "unsafe", "distributed",
    ]
    static let accesses: [String: Declaration.Access] = [
        "private": .private, "fileprivate": .private, "internal": .internal,
        "package": .package, "public": .public, "open": .public,
    ]

    static let keywords: Set<String> = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "typealias",
        "associatedtype", "extension", "import",
    ]
    /// What stands before a binding that is part of a statement.
    static let conditions: Set<String> = ["if", "guard", "while", "for", "case", ","]

    let tokens: [Token]
    /// Types that say `private`: their extensions are no more visible than they are.
    let privateTypes: Set<String>
    var found: [Declaration] = []
    var position = 0

    init(tokens: [Token]) {
        self.tokens = tokens
        var names: Set<String> = []
        for index in tokens.indices where Self.accesses[tokens[index].text] == .private {
            var next = index + 1
            while next < tokens.count, ["final", "indirect"].contains(tokens[next].text) {
                next += 1
            }
            if next + 1 < tokens.count, Self.typeWords.contains(tokens[next].text) {
                names.insert(tokens[next + 1].text)
            }
        }
        privateTypes = names
    }

    var before: String { position > 0 ? tokens[position - 1].text : "" }

    func text(_ offset: Int = 0) -> String {
        position + offset < tokens.count ? tokens[position + offset].text : ""
    }

    /// Reads declarations up to the `}` that closes the scope, which stays unread.
    mutating func walk(inside scope: Scope) {
        while position < tokens.count, text() != "}" {
            let prefix = readPrefix()
            if !readDeclaration(prefix, in: scope), text() != "}" { skipGroupOrToken() }
        }
    }

    /// Attributes and modifiers; nothing when a plain expression stands here.
    mutating func readPrefix() -> Prefix {
        var prefix = Prefix(line: position < tokens.count ? tokens[position].line : 0)
        while position < tokens.count {
            if text() == "@", position + 1 < tokens.count {
                position += 2
                if text() == "(", tokens[position].isGlued { skipGroupOrToken() }
            } else if let access = Self.accesses[text()], !isAfterDot {
                position += 1
                // `private(set)` says nothing about who may read.
                if text() == "(" {
                    skipGroupOrToken()
                } else {
                    prefix.access = access
                }
            } else if Self.modifiers.contains(text()), !isAfterDot, isModifierHere {
                position += 1
                if text() == "(", tokens[position].isGlued { skipGroupOrToken() }
            } else {
                break
            }
        }
        return prefix
    }

    var isAfterDot: Bool { before == "." }

    /// `class` is a modifier before `func`, `var`, `subscript` or another modifier, else a type.
    var isModifierHere: Bool {
        guard text() == "class" else { return text(1) != "." && text(1) != "=" }
        return ["func", "var", "let", "subscript", "final", "override"].contains(text(1))
    }

    mutating func readDeclaration(_ prefix: Prefix, in scope: Scope) -> Bool {
        guard position < tokens.count, !isAfterDot else { return false }
        let word = text()
        if Self.typeWords.contains(word) || word == "extension" {
            return readType(word, prefix, in: scope)
        }
        let kind: Declaration.Kind
        switch word {
        case "func": kind = .function
        case "init": kind = .initializer
        case "deinit": kind = .deinitializer
        case "subscript": kind = .subscript
        case "var", "let":
            guard !Self.conditions.contains(before) else { return false }
            kind = .variable
        case "typealias", "associatedtype": kind = .alias
        case "case": kind = .enumCase
        default: return false
        }
        position += 1
        let named = kind == .initializer || kind == .deinitializer || kind == .subscript
        let access = min(prefix.access ?? scope.standard, scope.access)
        found.append(
            Declaration(
                kind: kind, name: named ? word : text(), line: prefix.line, lastLine: prefix.line,
                access: access, isTopLevel: scope.isTopLevel))
        switch kind {
        case .function, .initializer, .deinitializer, .subscript: skipBody(of: found.count - 1)
        default: skipValue(of: found.count - 1)
        }
        return true
    }

    mutating func readType(_ word: String, _ prefix: Prefix, in scope: Scope) -> Bool {
        guard position + 1 < tokens.count, tokens[position + 1].isWord else { return false }
        let isHidden = word == "extension" && privateTypes.contains(text(1))
        let own = isHidden ? .private : min(prefix.access ?? scope.standard, scope.access)
        let index = found.count
        found.append(
            Declaration(
                kind: word == "extension" ? .extension : .type, name: text(1), line: prefix.line,
                lastLine: prefix.line, access: own, isTopLevel: scope.isTopLevel))
        position += 2
        while position < tokens.count, text() != "{" { skipGroupOrToken() }
        position += 1
        // Cases and requirements have the access of their type; so have members of an extension
        // that says one.
        var inner = Scope(isTopLevel: false, access: own, standard: .internal)
        if word == "extension" {
            inner.access = isHidden ? .private : prefix.access ?? .public
            inner.standard = prefix.access ?? .internal
        }
        if word == "protocol" { inner.standard = own }
        let first = found.count
        walk(inside: inner)
        if word == "enum" { raiseCases(from: first, to: own) }
        found[index].lastLine = position < tokens.count ? tokens[position].line : prefix.line
        position += 1
        return true
    }

    /// Gives the cases read since `first`, but not those of nested enums, the access of their enum.
    mutating func raiseCases(from first: Int, to access: Declaration.Access) {
        var nestedEnd = 0
        for position in first..<found.count {
            let declaration = found[position]
            if declaration.kind == .type { nestedEnd = max(nestedEnd, declaration.lastLine) }
            guard declaration.kind == .enumCase, declaration.line > nestedEnd else { continue }
            found[position] = Declaration(
                kind: .enumCase, name: declaration.name, line: declaration.line,
                lastLine: declaration.lastLine, access: access, isTopLevel: false)
        }
    }

    /// Skips a signature and the braces after it, if it has any.
    mutating func skipBody(of index: Int) {
        // An operator's name may hold signs; the parameters open the signature.
        while position < tokens.count, text() != "(", text() != "{", text() != "}" {
            position += 1
        }
        while position < tokens.count {
            if text() == "{" {
                skipGroupOrToken()
                found[index].lastLine = tokens[position - 1].line
                return
            }
            if text() == "}" || startsAnother { return }
            skipGroupOrToken()
        }
    }

    /// Skips the rest of a property, a case or an alias: type, value, accessors.
    mutating func skipValue(of index: Int) {
        position += 1
        while position < tokens.count, text() != "}", !startsAnother {
            let isBrace = text() == "{"
            skipGroupOrToken()
            if isBrace { found[index].lastLine = tokens[position - 1].line }
        }
    }

    /// Whether a new declaration starts here: a requirement without a body has just ended.
    var startsAnother: Bool {
        guard position > 0, tokens[position].line > tokens[position - 1].line,
            ![".", ",", "=", ":", "&", "->"].contains(before)
        else { return false }
        let word = text()
        return word == "@" || word == "#" || Self.accesses[word] != nil
            || Self.modifiers.contains(word) || Self.typeWords.contains(word)
            || Self.keywords.contains(word)
    }

    /// Skips one token, or all from an opening sign to its closing one.
    mutating func skipGroupOrToken() {
        let opening = text()
        guard opening == "(" || opening == "[" || opening == "{" else {
            position += 1
            return
        }
        var depth = 0
        repeat {
            switch text() {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            default: break
            }
            position += 1
        } while depth > 0 && position < tokens.count
    }
}
