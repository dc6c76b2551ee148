/// The version of this build.
package enum ProgramVersion {
    /// By semver.org.
    package static let text = "0.1.0"
}
