/// A place in the configuration text.
package struct SourcePosition: Hashable, Sendable, Comparable {
    /// The line, from 1.
    package let line: Int
    /// The character in the line, from 1.
    package let column: Int

    /// Line `line`, character `column`.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Order in the text.
    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
