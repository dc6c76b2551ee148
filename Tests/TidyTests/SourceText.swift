/// Swift text with comments and string contents taken out, octet by octet.
///
/// `code` has the size of the text: what lay in a comment or in a string is spaces there, line
/// ends stay, and so do the quotes and the code inside `\( … )`. Offsets and lines of `code` are
/// those of the text. Raw strings, strings of several lines, nested comments and `#/…/#` are
/// understood; a regex between bare slashes is not (the project has none).
struct SourceText {
    let code: [UInt8]
    /// Lines (from 1) that are a `///` comment, or the last of a `/** … */`; `true` with a word.
    let docLines: [Int: Bool]

    init(_ text: String) {
        var scanner = Scanner(text: Array(text.utf8))
        scanner.scanCode(untilClosingParenthesis: false)
        code = scanner.code
        docLines = scanner.docLines
    }
}

/// The walk over the text that fills a `SourceText`.
private struct Scanner {
    let text: [UInt8]
    var code: [UInt8]
    var docLines: [Int: Bool] = [:]
    var position = 0
    var line = 1

    init(text: [UInt8]) {
        self.text = text
        code = text
    }

    func at(_ offset: Int) -> UInt8 { offset < text.count ? text[offset] : 0 }

    func starts(with prefix: String, at offset: Int) -> Bool {
        var offset = offset
        for octet in prefix.utf8 {
            guard at(offset) == octet else { return false }
            offset += 1
        }
        return true
    }

    mutating func blank(_ count: Int) {
        for _ in 0..<count where position < text.count {
            if text[position] == UInt8(ascii: "\n") {
                line += 1
            } else {
                code[position] = UInt8(ascii: " ")
            }
            position += 1
        }
    }

    mutating func keep() {
        if at(position) == UInt8(ascii: "\n") { line += 1 }
        position += 1
    }

    mutating func scanCode(untilClosingParenthesis nested: Bool) {
        var depth = 0
        while position < text.count {
            if starts(with: "//", at: position) {
                scanLineComment()
            } else if starts(with: "/*", at: position) {
                scanBlockComment()
            } else if starts(with: "#/", at: position) {
                repeat { blank(1) } while position < text.count && !starts(with: "/#", at: position)
                blank(2)
            } else if let hashes = stringOpening() {
                scanString(hashes: hashes)
            } else {
                if at(position) == UInt8(ascii: "(") { depth += 1 }
                if at(position) == UInt8(ascii: ")") {
                    if nested && depth == 0 { return }
                    depth -= 1
                }
                keep()
            }
        }
    }

    mutating func scanLineComment() {
        let isDoc = starts(with: "///", at: position) && !starts(with: "////", at: position)
        var hasWord = false
        while position < text.count, at(position) != UInt8(ascii: "\n") {
            hasWord = hasWord || isLetter(at(position))
            blank(1)
        }
        if isDoc { docLines[line] = hasWord }
    }

    mutating func scanBlockComment() {
        let isDoc = starts(with: "/**", at: position)
        var depth = 0
        repeat {
            if starts(with: "/*", at: position) {
                depth += 1
                blank(2)
            } else if starts(with: "*/", at: position) {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && position < text.count
        if isDoc { docLines[line] = true }
    }

    /// The number of `#` before the quote that opens a string here; `nil` when none does.
    func stringOpening() -> Int? {
        var hashes = 0
        while at(position + hashes) == UInt8(ascii: "#") { hashes += 1 }
        return at(position + hashes) == UInt8(ascii: "\"") ? hashes : nil
    }

    func closes(_ quotes: Int, hashes: Int) -> Bool {
        for index in 0..<quotes where at(position + index) != UInt8(ascii: "\"") { return false }
        for index in 0..<hashes where at(position + quotes + index) != UInt8(ascii: "#") {
            return false
        }
        return true
    }

    mutating func scanString(hashes: Int) {
        position += hashes
        // Three quotes open a string of several lines; `"""` right away closed is the empty `""`
        // followed by a quote nowhere in Swift.
        let quotes = starts(with: "\"\"\"", at: position) ? 3 : 1
        position += quotes
        while position < text.count {
            if closes(quotes, hashes: hashes) {
                position += quotes + hashes
                return
            }
            if quotes == 1 && at(position) == UInt8(ascii: "\n") { return }
            guard at(position) == UInt8(ascii: "\\"), isEscape(hashes: hashes) else {
                blank(1)
                continue
            }
            if at(position + 1 + hashes) == UInt8(ascii: "(") {
                blank(1 + hashes)
                position += 1
                scanCode(untilClosingParenthesis: true)
                position += 1
            } else {
                blank(2 + hashes)
            }
        }
    }

    func isEscape(hashes: Int) -> Bool {
        for index in 0..<hashes where at(position + 1 + index) != UInt8(ascii: "#") {
            return false
        }
        return true
    }
}

/// One word or sign of the code.
struct Token: Equatable {
    let text: String
    let line: Int
    /// Whether nothing stands between this token and the one before.
    let isGlued: Bool

    var isWord: Bool { text.utf8.first.map { isLetter($0) || $0 == UInt8(ascii: "`") } ?? false }
}

extension SourceText {
    /// The code as words (letters, digits, `_`, back quotes) and single signs.
    var tokens: [Token] {
        var tokens: [Token] = []
        var line = 1
        var position = 0
        var lastEnd = -1
        while position < code.count {
            let octet = code[position]
            if octet == UInt8(ascii: "\n") { line += 1 }
            guard octet > UInt8(ascii: " ") else {
                position += 1
                continue
            }
            var end = position + 1
            if isWordOctet(octet) {
                while end < code.count, isWordOctet(code[end]) { end += 1 }
            }
            let text = String(decoding: code[position..<end], as: UTF8.self)
            tokens.append(Token(text: text, line: line, isGlued: lastEnd == position))
            lastEnd = end
            position = end
        }
        return tokens
    }
}

func isLetter(_ octet: UInt8) -> Bool {
    (octet | 0x20) &- UInt8(ascii: "a") < 26 || octet == UInt8(ascii: "_") || octet >= 0x80
}

private func isWordOctet(_ octet: UInt8) -> Bool {
    isLetter(octet) || octet &- UInt8(ascii: "0") < 10 || octet == UInt8(ascii: "`")
}
