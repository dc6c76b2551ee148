import FilterCompiler
import LinuxSystem
import Quantities

/// A line on the terminal that tells how far work over a second has come.
struct ProgressLine {
    private let console: Console
    private let columns: Int?
    private let started = Clock.now()
    private var shown: MonotonicInstant?

    /// Work shorter than this shows nothing.
    private static let patience = Duration.seconds(1)
    /// Time between two drawings.
    private static let interval = Duration.milliseconds(100)
    /// Columns of the bar.
    private static let barWidth = 24

    /// Nothing shown yet.
    init(console: Console) {
        self.console = console
        columns = console.progressColumns
    }

    /// Shows what is done of `total`; of an unknown total the octets alone.
    /// - Complexity: most calls do nothing but ask the clock.
    mutating func show(_ what: @autoclosure () -> String, done: ByteCount, of total: ByteCount?) {
        draw { Self.line(what(), done: done, of: total, columns: $0) }
    }

    /// Shows how far a compilation has come.
    mutating func show(_ progress: CompilationProgress) {
        show(progress.work, done: ByteCount(progress.done), of: ByteCount(progress.total))
    }

    private mutating func draw(_ line: (Int) -> String) {
        guard let columns else { return }
        let now = Clock.now()
        guard now - started >= Self.patience else { return }
        if let shown, now - shown < Self.interval { return }
        shown = now
        console.progress(line(columns))
    }

    /// Takes the line away.
    mutating func end() {
        if shown != nil { console.progress("") }
        shown = nil
    }

    /// The text of the line, cut to the terminal.
    static func line(
        _ what: String, done: ByteCount, of total: ByteCount?, columns: Int
    ) -> String {
        var text = Console.printable(what)
        if let total, total.octets > 0 {
            let share = min(1, Double(done.octets) / Double(total.octets))
            let filled = Int(share * Double(barWidth))
            text += " [" + String(repeating: "=", count: filled)
            text += String(repeating: " ", count: barWidth - filled)
            text += "] \(Int(share * 100)) %"
        } else {
            text += " \(done)"
        }
        return String(text.prefix(max(0, columns - 1)))
    }
}
