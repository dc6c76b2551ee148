import FilterLists
import LinuxSystem
import ListUpdates
import Quantities

/// `sluice lint LIST[:FORMAT] [--json]`
enum LintCommand {
    /// Prints what every line was read as: a line each, or a JSON object a line.
    static func run(
        _ invocation: Invocation, console: Console
    ) throws(CommandError) -> CommandOutcome {
        guard let argument = invocation.argumentList else {
            preconditionFailure("the table says that lint needs a list")
        }
        let input = ListInput(argument, name: argument.file)
        var report = LintReport(console: console, isJSON: invocation.has(.json))
        do throws(SystemError) {
            var stream =
                input.path == "-"
                ? ByteStream.standardInput() : try ByteStream.open(path: input.path)
            try lint(&stream, input, &report)
        } catch {
            throw .system(error)
        }
        return report.hasErrors ? .found : .good
    }

    private static func lint(
        _ stream: inout ByteStream, _ input: ListInput, _ report: inout LintReport
    ) throws(SystemError) {
        // The format is guessed from the start of the text; a pipe gives that once only.
        var start: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: ListInput.prefixSize)
        var isAtEnd = false
        while start.count < ListInput.prefixSize, !isAtEnd {
            var span = chunk.mutableSpan
            let count = try stream.read(into: &span)
            isAtEnd = count == 0
            start.append(contentsOf: chunk[..<count])
        }
        let format = input.format(fromPrefix: start)
        var reader = ListReader(options: input.options(format))
        var splitter = LineSplitter()
        var reading = LineReading()
        splitter.split(start.span) { line, number in
            reader.read(line: line, number: number, into: &reading)
            report.add(reading, number: number)
        }
        while !isAtEnd {
            var span = chunk.mutableSpan
            let count = try stream.read(into: &span)
            isAtEnd = count == 0
            splitter.split(chunk.span.extracting(0..<count)) { line, number in
                reader.read(line: line, number: number, into: &reading)
                report.add(reading, number: number)
            }
        }
        splitter.finish { line, number in
            reader.read(line: line, number: number, into: &reading)
            report.add(reading, number: number)
        }
        report.finish(format: format, isGuessed: input.format == nil)
    }
}
