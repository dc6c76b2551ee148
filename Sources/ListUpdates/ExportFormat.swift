/// The formats that a snapshot's names can be written in.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// `0.0.0.0 name`: exact names only.
    case hosts
    /// `name`, and `.name` for a name with all below it.
    case domains
    /// A response policy zone, with exceptions.
    case rpz
}
