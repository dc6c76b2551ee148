import FilterLists
import Foundation
import FuzzFixtures
import Testing

/// Every file of the fuzzer's corpora, pushed at the door that the fuzzer pushes at: whatever it
/// has found stays mended. A door that does not hold ends the test process.
@Suite struct FuzzCorpusTests {
    @Test func everyDoorHasACorpus() throws {
        #expect(try FuzzCorpus.targets() == Set(FuzzTarget.all.map(\.name)))
        for target in FuzzTarget.all {
            #expect(try !FuzzCorpus.files(of: target.name).isEmpty, "\(target)")
        }
    }

    @Test func messagesOfTheCorpusDoNotTrap() throws {
        var outcomes: Set<Bool> = []
        for (name, octets) in try FuzzCorpus.files(of: "message") {
            let records = MessageDoor.push(octets.span)
            outcomes.insert(records > 0)
            #expect(name != "answer-cname" || records > 1)
            for count in 0..<octets.count { MessageDoor.push(octets.span.extracting(0..<count)) }
        }
        #expect(outcomes.count == 2)
    }

    @Test(arguments: ListFormat.allCases)
    func listsOfTheCorpusDoNotTrap(format: ListFormat) throws {
        for (name, octets) in try FuzzCorpus.files(of: format.rawValue) {
            let rules = ListDoor.push(octets.span, as: format)
            #expect(name != "plain" || rules > 2, "\(format) \(name): \(rules) rules")
            for count in 0..<octets.count {
                ListDoor.push(octets.span.extracting(0..<count), as: format)
            }
            // Every list is read as every other format, too: users choose wrongly.
            for other in ListFormat.allCases { ListDoor.push(octets.span, as: other) }
        }
    }

    @Test func snapshotsOfTheCorpusDoNotTrap() throws {
        let folder = try Scratch()
        var door = SnapshotDoor(directory: folder.path)
        let seeds = Set(SnapshotSeed.all.map(\.name))
        for (name, octets) in try FuzzCorpus.files(of: "snapshot") {
            let isTaken = door.push(octets.span)
            #expect(isTaken || !seeds.contains(name), "\(name)")
        }
    }

    /// Each octet of each seed, behind a checksum that is right.
    @Test func snapshotsWithAnyOctetChangedDoNotTrap() throws {
        let folder = try Scratch()
        var door = SnapshotDoor(directory: folder.path)
        var taken = 0
        for seed in SnapshotSeed.all {
            var octets = try seed.octets()
            for index in octets.indices {
                let whole = octets[index]
                octets[index] = [whole ^ 1, whole ^ 0x80, 0xFF][index % 3]
                if door.push(octets.span) { taken += 1 }
                octets[index] = whole
            }
        }
        #expect(taken > 500)
    }

    /// The corpus of snapshots is of the format that is read today.
    ///
    /// With SLUICE_REGENERATE=1 it is written anew.
    @Test func snapshotsOfTheCorpusAreThoseOfTheirLists() throws {
        for seed in SnapshotSeed.all {
            let octets = try seed.octets()
            if ProcessInfo.processInfo.environment["SLUICE_REGENERATE"] != nil {
                try FuzzCorpus.write(octets, as: seed.name, of: "snapshot")
            }
            let files = try FuzzCorpus.files(of: "snapshot")
            #expect(files.first { $0.name == seed.name }?.octets == octets, "\(seed.name)")
        }
    }

    /// The patch of the fuzzer's mutator: taken apart and laid anew, a file is what it was.
    @Test func aFileLaidAnewFromItsSectionsIsTheSame() throws {
        for seed in SnapshotSeed.all {
            let octets = try seed.octets()
            let parts = SnapshotPatch.sections(of: octets.span)
            var sections = try #require(parts)
            let again = SnapshotPatch.file(headedLike: octets.span, sections: sections)
            #expect(again == octets, "\(seed.name)")
            sections[1].append(7)
            let grown = SnapshotPatch.file(headedLike: octets.span, sections: sections)
            #expect(grown != octets)
            let read = SnapshotPatch.sections(of: grown.span)
            #expect(read?[1] == sections[1])
        }
    }
}

/// A directory of its own that goes with its last user.
final class Scratch {
    let path: String

    init() throws {
        // Each push writes a file and forces it out: in memory that costs nothing.
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        let parent = isThere ? memory : FileManager.default.temporaryDirectory
        let url = parent.appendingPathComponent("sluice-fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            print("left behind: \(path): \(error)")
        }
    }
}
