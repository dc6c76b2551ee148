import FuzzFixtures
import LinuxSystem

/// What libFuzzer calls. The program is one for all doors; the name that it is started under says
/// which door it pushes at, so that every door keeps a corpus of its own.
struct FuzzProgram: ~Copyable {
    /// The door.
    let target: FuzzTarget
    /// Where snapshots are written.
    var snapshots: SnapshotDoor

    /// The program under the name that it was started by.
    init() {
        let path = CommandLine.arguments.first ?? ""
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        guard let target = FuzzTarget(name: name) else {
            preconditionFailure("\(name) is no door; Fuzz/run starts this under the name of one")
        }
        self.target = target
        snapshots = SnapshotDoor(directory: Process.environment("FUZZ_SCRATCH") ?? ".")
    }

    /// Pushes one input.
    mutating func push(_ octets: Span<UInt8>) {
        switch target {
        case .message: MessageDoor.push(octets)
        case .list(let format): ListDoor.push(octets, as: format)
        case .snapshot: snapshots.push(octets)
        }
    }
}

/// libFuzzer is one thread.
nonisolated(unsafe) private var program = FuzzProgram()

/// The fuzzer's call for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func pushInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start = unsafe start else { return 0 }
    let input = unsafe UnsafeBufferPointer(start: start, count: count)
    unsafe program.push(input.span)
    return 0
}

/// libFuzzer's own ways of changing an input in place; returns the new size.
@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

/// The fuzzer's call for a new input: one section of a snapshot is changed and the frame laid
/// anew around it, so that the change gets past the section table. All else is changed as it is.
@_cdecl("LLVMFuzzerCustomMutator")
public func changeInput(
    _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
) -> Int {
    let input = unsafe UnsafeMutableBufferPointer(start: start, count: limit)
    let octets = unsafe Array(input[..<count])
    guard unsafe program.target == .snapshot, seed % 8 != 0,
        var sections = SnapshotPatch.sections(of: octets.span)
    else { return unsafe mutate(start, count, limit) }
    let position = Int(seed / 8) % sections.count
    let room = max(16, sections[position].count + 64)
    let size = sections[position].count
    sections[position] += [UInt8](repeating: 0, count: room - size)
    let changed = unsafe sections[position].withUnsafeMutableBufferPointer { section in
        guard let base = section.baseAddress else { return size }
        return unsafe mutate(base, size, room)
    }
    sections[position].removeSubrange(changed...)
    let file = SnapshotPatch.file(headedLike: octets.span, sections: sections)
    guard file.count <= limit else { return unsafe mutate(start, count, limit) }
    for index in file.indices { unsafe input[index] = file[index] }
    return file.count
}
