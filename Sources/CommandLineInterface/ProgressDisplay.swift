import FilterCompiler
import ListUpdates
import Quantities

/// A line of progress that what works can be handed, and that is taken away at the end.
final class ProgressDisplay {
    private var line: ProgressLine

    /// Nothing shown yet.
    init(console: Console) { line = ProgressLine(console: console) }

    /// Shows how far something has come.
    func show(_ progress: UpdateProgress) {
        line.show(progress.work, done: progress.done, of: progress.total)
    }

    /// Shows how far a compilation has come.
    func show(_ progress: CompilationProgress) { line.show(progress) }

    /// Shows how far other work has come.
    func show(_ work: String, done: ByteCount, of total: ByteCount?) {
        line.show(work, done: done, of: total)
    }

    /// Takes the line away.
    func end() { line.end() }
}
