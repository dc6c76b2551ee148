import Foundation
import LoopbackFixtures
import Testing

@testable import CommandLineInterface

/// An update that is ended at any step, as by a power cut or `kill -9`.
///
/// The program of the debug build ends itself before the n-th change of a file; n goes up until an
/// update comes through.
@Suite struct InterruptedUpdateTests {
    /// The program beside this test's own.
    private static func program() -> URL? {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let file = tests.deletingLastPathComponent().appending(path: "sluice")
        return FileManager.default.isExecutableFile(atPath: file.path) ? file : nil
    }

    private func run(
        _ program: URL, _ words: [String], endingAt step: Int? = nil
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = words
        process.standardOutput = output
        process.standardError = output
        if let step {
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["SLUICE_END_AT_STEP": "\(step)"]) { $1 }
        }
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    private func shop() throws -> UpdateWorkshop {
        let shop = try UpdateWorkshop(
            lists: """
                ads: { url: 'http://HOST/ads.txt', format: domains }
                own: { file: own.txt, format: domains }
                """,
            extra: "policies: { default: { lists: [ads, own] }, kids: { lists: [ads] } }")
        shop.put("/ads.txt", "old.example\nkept.example\n", tag: "\"1\"")
        try shop.workshop.write("own.txt", "own.example\n")
        return shop
    }

    /// The files of the state directory. Ids of snapshots differ from shop to shop, as their ports
    /// do, so how many there are is what counts.
    private func files(_ shop: UpdateWorkshop) throws -> [String] {
        let root = shop.workshop.path("state")
        return try FileManager.default.subpathsOfDirectory(atPath: root)
            .map { $0.replacing(#/[0-9a-f]{64}\.sluice/#, with: "ID.sluice") }.sorted()
    }

    @Test func anUpdateThatIsEndedAnywhereLeavesAServingSnapshotAndTheNextOneHealsIt() throws {
        guard let program = Self.program() else {
            print("interrupted update: SKIPPED, no debug build of sluice beside the tests")
            return
        }
        // What an undisturbed pair of updates leaves.
        let model = try shop()
        #expect(model.update().outcome == .good)
        model.put("/ads.txt", "new.example\nkept.example\n", tag: "\"2\"")
        #expect(model.update().outcome == .good)
        let goal = try files(model)
        var step = 1
        while true {
            let shop = try shop()
            #expect(shop.update().outcome == .good)
            shop.put("/ads.txt", "new.example\nkept.example\n", tag: "\"2\"")
            let update = ["update", "--config", shop.configuration]
            let (status, text) = try run(program, update, endingAt: step)
            guard status == 137 else {
                #expect(status == 0, "\(text)")
                break
            }
            for policy in ["default", "kids"] {
                let path = shop.workshop.path("state/policies/\(policy)/current")
                let (status, text) = try run(program, ["inspect", path])
                #expect(status == 0, "step \(step): \(text)")
            }
            let names = Set(shop.blocked())
            #expect(
                names == ["old.example", "kept.example", "own.example"]
                    || names == ["new.example", "kept.example", "own.example"], "step \(step)")
            let (again, errors) = try run(program, update)
            #expect(again == 0, "step \(step): \(errors)")
            #expect(
                Set(shop.blocked()) == ["new.example", "kept.example", "own.example"],
                "step \(step)")
            #expect(try files(shop) == goal, "step \(step)")
            step += 1
        }
        // Two texts, records, snapshots and links: it takes many steps to come through.
        #expect(step > 20)
    }

    @Test func theFirstUpdateMayBeEndedAnywhereToo() throws {
        guard let program = Self.program() else {
            print("interrupted update: SKIPPED, no debug build of sluice beside the tests")
            return
        }
        let model = try shop()
        #expect(model.update().outcome == .good)
        let goal = try files(model)
        var step = 1
        while true {
            let shop = try shop()
            let update = ["update", "--config", shop.configuration]
            let (status, text) = try run(program, update, endingAt: step)
            guard status == 137 else {
                #expect(status == 0, "\(text)")
                break
            }
            let (again, errors) = try run(program, update)
            #expect(again == 0, "step \(step): \(errors)")
            #expect(try files(shop) == goal, "step \(step)")
            step += 1
        }
        #expect(step > 20)
    }

    @Test func aRollbackThatIsEndedAnywhereHasTurnedTheLinkOrHasNot() throws {
        guard let program = Self.program() else {
            print("interrupted rollback: SKIPPED, no debug build of sluice beside the tests")
            return
        }
        var step = 1
        while true {
            let shop = try shop()
            #expect(shop.update().outcome == .good)
            shop.put("/ads.txt", "new.example\nkept.example\n", tag: "\"2\"")
            #expect(shop.update().outcome == .good)
            let rollback = ["rollback", "--config", shop.configuration]
            let (status, text) = try run(program, rollback, endingAt: step)
            let names = Set(shop.blocked())
            let isBack = names.contains("old.example")
            #expect(isBack != names.contains("new.example"), "step \(step)")
            guard status == 137 else {
                #expect(status == 0 && isBack, "\(text)")
                break
            }
            if !isBack {
                let (again, errors) = try run(program, rollback)
                #expect(again == 0, "step \(step): \(errors)")
            }
            #expect(shop.update().outcome == .good)
            #expect(shop.blocked().contains("old.example"), "step \(step)")
            step += 1
        }
        #expect(step > 4)
    }

    @Test func twoUpdatesDoNotRunAtOnce() throws {
        guard let program = Self.program() else {
            print("interrupted update: SKIPPED, no debug build of sluice beside the tests")
            return
        }
        let shop = try shop()
        shop.put("/ads.txt", "old.example\n") { $0.pause = 3 }
        let first = Process()
        first.executableURL = program
        first.arguments = ["update", "--config", shop.configuration]
        first.standardOutput = FileHandle.nullDevice
        first.standardError = FileHandle.nullDevice
        try first.run()
        while shop.server.requests.isEmpty, first.isRunning { Thread.sleep(forTimeInterval: 0.01) }
        for command in ["update", "compile", "rollback"] {
            let (status, text) = try run(program, [command, "--config", shop.configuration])
            #expect(status == 3)
            #expect(text.contains("process \(first.processIdentifier) is at work on"))
        }
        first.waitUntilExit()
        #expect(first.terminationStatus == 0)
        #expect(Set(shop.blocked()) == ["old.example", "own.example"])
    }
}
