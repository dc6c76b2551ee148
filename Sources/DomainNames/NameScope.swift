/// Which names a rule on a name speaks of.
@frozen
public enum NameScope: UInt8, CaseIterable, Hashable, Sendable {
    /// The name alone.
    case exact = 0
    /// The name and all names below it.
    case subtree = 1
    /// All names below it, not the name itself.
    case below = 2

    /// Whether a rule of this scope speaks of its own name.
    @inlinable
    public var includesName: Bool { self != .below }

    /// Whether a rule of this scope speaks of the names below its own.
    @inlinable
    public var includesBelow: Bool { self != .exact }
}
