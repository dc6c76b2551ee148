import LinuxSystem

/// The sample of well-known sites that comes with the program.
enum SitesFile {
    /// Where it is: beside an installed program, or in the tree that the program was built in.
    static func installed(
        own: String? = FileIO.linkTarget(path: "/proc/self/exe")
    ) -> String? {
        guard var directory = own.flatMap({ FileIO.parent(of: $0) }) else { return nil }
        let shared = "\(FileIO.parent(of: directory) ?? "")/share/sluice/sites.txt"
        if FileIO.kind(path: shared) == .file { return shared }
        while directory != "/", let parent = FileIO.parent(of: directory) {
            let file = "\(parent)/etc/sites.txt"
            // A manifest tells a checkout from other directories that the program may stand in.
            if FileIO.kind(path: "\(parent)/Package.swift") == .file,
                FileIO.kind(path: file) == .file
            {
                return file
            }
            directory = parent
        }
        return nil
    }
}
