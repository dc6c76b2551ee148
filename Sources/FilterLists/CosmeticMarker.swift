/// Element-hiding and scriptlet rules of the adblock syntax, which speak of pages, not of names.
enum CosmeticMarker {
    /// Where a marker of such a rule (`##`, `#@#`, `#?#`, `#$#`, `#%#`, `$$` …) stands in a line.
    static func index(in line: Span<UInt8>, _ text: Range<Int>) -> Int? {
        var index = text.lowerBound
        while index < text.upperBound {
            if line[index] == .hash, starts(line, at: index, end: text.upperBound) { return index }
            if line[index] == .dollar, startsHTMLFilter(line, index..<text.upperBound) {
                return index
            }
            index += 1
        }
        return nil
    }

    /// Whether a marker with something to select starts here.
    ///
    /// Between the two `#` stand at most three of `@ ? $ %`. A rule of only `#`, or one followed by
    /// a blank, is a comment's ornament.
    static func starts(_ line: Span<UInt8>, at offset: Int, end: Int) -> Bool {
        var index = offset + 1
        while index < end, index <= offset + 4 {
            switch line[index] {
            case UInt8(ascii: "@"), UInt8(ascii: "?"), .dollar, UInt8(ascii: "%"): index += 1
            case .hash:
                guard index + 1 < end else { return false }
                let next = line[index + 1]
                if next != .hash { return !next.isBlank }
                // `###name` selects by id.
                return index + 2 < end && line[index + 2].isLetter
            default: return false
            }
        }
        return false
    }

    /// Whether `$$` and a tag, or `$@$`, starts here (HTML filtering of AdGuard).
    private static func startsHTMLFilter(_ line: Span<UInt8>, _ text: Range<Int>) -> Bool {
        guard text.count > 2 else { return false }
        let start = text.lowerBound
        if line.hasPrefix("$@$", in: text) { return text.count > 3 && line[start + 3].isLetter }
        return line.hasPrefix("$$", in: text) && line[start + 2].isLetter
    }
}
