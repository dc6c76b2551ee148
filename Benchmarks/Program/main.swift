import LinuxSystem

do {
    try Benchmark.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    StandardStream.write("benchmark: \(error)\n", to: .error)
    Process.exit(error.status)
}
