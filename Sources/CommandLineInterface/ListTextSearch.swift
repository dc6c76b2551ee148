import Cryptography
import DomainNames
import Explanation
import FilterIndex
import FilterLists
import LinuxSystem
import ListUpdates
import Quantities

/// A text that rules were made from, and where it may be read again.
struct RuleSource {
    /// Its name, which reports show.
    let name: String
    /// Where it came from, for people.
    let origin: String
    /// How it is read; `nil` when its format is one that this program does not know.
    let options: ListOptions?
    /// Where it may be, the best place first.
    let places: [String]
    /// What it must be; `nil` takes it as it is.
    let digest: SHA256Digest?
    /// Octets of it, for showing how far reading has come.
    let size: ByteCount
    /// Its block rules, as the compiler counted them.
    let blockRules: Int

    /// The text of a list of a snapshot: kept in a library, or where it came from.
    init(_ list: SnapshotManifest.List, libraries: [ListLibrary]) {
        name = list.name
        origin = list.source
        options = ListFormat(rawValue: list.format).map {
            ListOptions(
                format: $0, scope: list.scope, action: list.isAllowList ? .allow : .block,
                allowPublicSuffixes: list.allowsPublicSuffixes, rewrites: list.takesRewrites)
        }
        places = libraries.map { $0.path(of: list.digest) } + [list.source]
        digest = list.digest
        size = ByteCount(list.textSize)
        blockRules = list.blockRules
    }
}

/// Reads texts again and gathers what they say of one or more questions, all in one pass.
///
/// The texts are streamed: memory holds a chunk, the rules found and bounded counts.
struct ListTextSearch {
    /// Why a text could not be read again.
    enum Absence: Equatable {
        /// Neither kept nor at its source.
        case gone
        /// The source has another text by now.
        case changed
        /// Its format is one that this program does not know.
        case unknownFormat
    }

    /// What is looked for, and what was found of it.
    struct Subject {
        /// The question.
        let question: Question
        /// The blocked names below, as far as counted; `nil` when they are not wanted.
        private(set) var below: NamesBelow?
        /// What each text says, in their order; `nil` for those that could not be read.
        private(set) var findings: [ListFindings?] = []
        private let wantsNearest: Bool

        /// Nothing found yet of a question and of what is around its name.
        init(_ question: Question, _ surroundings: Surroundings) {
            self.question = question
            switch surroundings {
            case .ignored: (wantsNearest, below) = (false, nil)
            case .nearest: (wantsNearest, below) = (true, nil)
            case .below(let names): (wantsNearest, below) = (false, names)
            }
        }

        /// A collector that goes on where the last text ended.
        fileprivate func collector(list: Int, options: ListOptions) -> RuleCollector {
            let surroundings: Surroundings =
                below.map { .below($0) } ?? (wantsNearest ? .nearest : .ignored)
            return RuleCollector(
                question: question, list: list, options: options, surroundings: surroundings)
        }

        /// Takes what the next text says; `nil` when it could not be read.
        fileprivate mutating func take(_ collector: RuleCollector?) {
            findings.append(collector?.findings)
            if let collector { below = collector.below }
        }
    }

    /// What is looked for.
    private(set) var subjects: [Subject]
    /// Why texts could not be read, in their order; `nil` for those that were.
    private(set) var absences: [Absence?] = []

    /// A search for these.
    init(_ subjects: [Subject]) { self.subjects = subjects }

    /// Reads the next text.
    mutating func read(_ source: RuleSource, progress: (ByteCount) -> Void) {
        let list = absences.count
        guard let options = source.options else { return finish(nil, because: .unknownFormat) }
        var absence = Absence.gone
        for path in source.places where FileIO.kind(path: path) == .file {
            var collectors = subjects.map { $0.collector(list: list, options: options) }
            var digest: SHA256Digest?
            var isDone = false
            while !isDone {
                digest = try? Self.read(path, into: &collectors, progress)
                isDone = true
                for index in collectors.indices where collectors[index].needsAnotherPass() {
                    isDone = false
                }
            }
            if let digest, digest == source.digest ?? digest {
                return finish(collectors, because: nil)
            }
            absence = .changed
        }
        finish(nil, because: absence)
    }

    private mutating func finish(_ collectors: [RuleCollector]?, because absence: Absence?) {
        for index in subjects.indices { subjects[index].take(collectors.map { $0[index] }) }
        absences.append(absence)
    }

    private static func read(
        _ path: String, into collectors: inout [RuleCollector], _ progress: (ByteCount) -> Void
    ) throws(SystemError) -> SHA256Digest {
        var hash = SHA256()
        var size = 0
        try ListLibrary.read(path) { chunk throws(SystemError) in
            hash.update(chunk)
            for index in collectors.indices { collectors[index].read(chunk) }
            size += chunk.count
            progress(ByteCount(size))
        }
        return hash.finish()
    }
}
