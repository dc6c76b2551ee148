import Configuration
import Cryptography
import DomainNames
import FilterCompiler
import FilterIndex
import FilterLists
import LinuxSystem
import Quantities

/// Decides whether the new text of a list may take the place of the one from before.
struct ListGuard {
    /// Names that no list may block.
    let protected: [DomainName]
    /// Whether a text that only looks doubtful is taken: one that shrank, one that blocks a
    /// protected name. What is no list at all is never taken.
    let takesDoubtful: Bool
    /// What a trial may take.
    let memory: BuildMemory

    /// What the guard saw in a text that it lets pass.
    struct Passed {
        /// Its rules.
        let rules: Int
        /// Its format.
        let format: ListFormat
    }

    /// Names that machines need to find out that they are online, and what the time is: without
    /// the time no certificate is valid, and no list comes over https any more.
    static let standing: [DomainName] = [
        "captive.apple.com", "connectivitycheck.gstatic.com", "www.msftconnecttest.com",
        "ipv4only.arpa", "pool.ntp.org", "time.apple.com",
        "time.windows.com",
    ].compactMap { try? DomainName(text: $0) }

    /// The guard of a configuration: beside the standing names, the hosts of all addresses.
    init(_ settings: Settings, takesDoubtful: Bool, memory: BuildMemory = .unbounded) {
        var protected = Self.standing
        for list in settings.lists {
            guard let url = list.url, let address = try? ListAddress(url),
                let name = try? DomainName(text: address.host), !protected.contains(name),
                IPAddress(text: address.host) == nil, !address.host.hasPrefix("[")
            else { continue }
            protected.append(name)
        }
        self.protected = protected
        self.takesDoubtful = takesDoubtful
        self.memory = memory
    }

    /// The digest of all that a decision on a text follows from.
    func judgement(
        _ inspection: ListInspection, of list: ListSettings, contentType: String,
        rulesBefore: Int?, version: String
    ) -> SHA256Digest {
        let words = [
            version, "\(inspection.digest)", contentType, list.format?.rawValue ?? "",
            list.scope.map { "\($0)" } ?? "", list.action.rawValue,
            "\(list.allowsPublicSuffixes) \(list.rewrites)",
            "\(list.shrinkLimit) \(rulesBefore ?? -1)",
            protected.map(\.description).joined(separator: " "),
        ]
        var hash = SHA256()
        for word in words {
            let octets = Array(word.utf8) + [0]
            hash.update(octets.span)
        }
        return hash.finish()
    }

    /// Looks at the text of `list` in the file at `path`.
    /// - Parameters:
    ///   - directory: whose file system holds the trial snapshot; nothing is left there.
    ///   - rules: how many the text in force has.
    /// - Throws: a fault that holds the text back.
    /// - Complexity: as compiling the list.
    func judge(
        _ inspection: ListInspection, at path: String, of list: ListSettings, contentType: String,
        directory: String, rulesBefore: Int?
    ) throws(ListFault) -> Passed {
        if inspection.isEmpty { throw .empty }
        if inspection.isWebPage(contentType: contentType) { throw .webPage }
        let input = ListInput(list)
        let format = input.format(fromPrefix: inspection.prefix)
        let source = ListSource(
            name: list.name, text: .file(path: path), origin: list.url,
            options: input.options(format)
        )
        let trial: PendingFile
        do {
            trial = try PendingFile(directory: directory, mode: Compilation.fileMode)
        } catch {
            throw .unreadable(error)
        }
        let result: CompilationResult
        do throws(CompilationError) {
            let compilation = Compilation(
                lists: [source], memory: memory, scratchDirectory: directory)
            result = try compilation.prepare().write(to: trial)
        } catch {
            throw .uncompilable("\(error)")
        }
        guard let facts = result.lists.first else { throw .empty }
        switch ListSuspicion(facts) {
        case .webPage: throw .webPage
        case .mostlyWrong(let lines): throw .mostlyWrong(lines: lines, format: format.rawValue)
        case .withoutRules: throw .withoutRules(format: format.rawValue)
        case nil: break
        }
        let rules = facts.ruleCount
        if !takesDoubtful {
            try refuseShrunken(rules, before: rulesBefore, limit: list.shrinkLimit)
            try refuseProtected(in: trial.path)
        }
        return Passed(rules: rules, format: format)
    }

    private func refuseShrunken(_ rules: Int, before: Int?, limit: Int) throws(ListFault) {
        guard let before, rules < before else { return }
        // In whole numbers: lost / before > limit / 100.
        guard 100 * (before - rules) > limit * before else { return }
        throw .shrunken(before: before, after: rules, limit: limit)
    }

    private func refuseProtected(in path: String) throws(ListFault) {
        let snapshot: Snapshot
        do { snapshot = try Snapshot(path: path) } catch { throw .uncompilable("\(error)") }
        var scratch = MatchScratch()
        for name in protected {
            // A and AAAA: rules may be on one type alone.
            for type: UInt16 in [1, 28] {
                let verdict = snapshot.match(
                    CanonicalName(name), type: type, on: .nobody, into: &scratch)
                switch verdict {
                case .blocked, .rewritten: throw .blocksProtected(name)
                case .none, .allowed: break
                }
            }
        }
    }
}
