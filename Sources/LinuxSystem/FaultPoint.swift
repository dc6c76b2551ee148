import Synchronization

/// A step at which a test may end the process: before each change of a file.
///
/// In debug builds the variable `SLUICE_END_AT_STEP` counts the steps to go; the process ends at
/// the last one, at once and without cleaning up, like one that is killed there. Release builds
/// have no such thing.
enum FaultPoint {
    #if DEBUG
        private static let variable = "SLUICE_END_AT_STEP"
        private static let left = Atomic(Process.environment(variable).flatMap { Int($0) } ?? 0)

        /// Counts one step, and ends the process when it is the one asked for.
        static func pass() {
            guard left.load(ordering: .relaxed) > 0 else { return }
            if left.subtract(1, ordering: .relaxed).newValue == 0 { Process.exit(137) }
        }
    #else
        /// Nothing.
        @inline(__always) static func pass() {}
    #endif
}
