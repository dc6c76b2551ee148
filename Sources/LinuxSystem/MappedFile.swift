import CLinux

/// A whole file mapped read-only and shared: its pages are the page cache's.
///
/// Invariant: the octets stay readable as long as the object lives. Files that are mapped are
/// replaced by rename, never written in place or cut. Should one be cut all the same, or its disk
/// fail, a process that called `surviveLostPages` reads zeros from then on, in the whole file.
public final class MappedFile: Sendable {
    private let address: UInt
    /// Octets of the file.
    public let count: Int
    /// What stands for the mapping in the shim.
    private let slot: Int32

    private static let pageSize = Int(linux_page_size())

    /// Maps the file at `path`.
    /// - Throws: `SystemError` of `open`, `fstat` or `mmap`.
    package convenience init(path: String) throws(SystemError) {
        try self.init(try FileIO.open(path: path), path: path)
    }

    /// Maps an open file; `path` is for errors.
    /// - Throws: `SystemError` of `fstat` or `mmap`.
    package init(_ file: borrowing FileDescriptor, path: String) throws(SystemError) {
        let size = Int(try checked(linux_file_size(file.number), "fstat", path))
        var slot: Int32 = -1
        count = size
        guard size > 0 else {
            address = 0
            self.slot = slot
            return
        }
        var error: Int32 = 0
        guard let mapped = unsafe linux_map(file.number, size, &slot, &error) else {
            throw SystemError("mmap", code: error, subject: path)
        }
        address = UInt(bitPattern: mapped)
        self.slot = slot
    }

    deinit {
        if count > 0, let pointer = unsafe UnsafeRawPointer(bitPattern: address) {
            unsafe linux_unmap(pointer, count, slot)
        }
    }

    /// The octets of the file, readable as long as this object lives.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            // The mapping holds `count` octets until deinit, and the span cannot outlive `self`.
            let pointer = unsafe UnsafeRawPointer(bitPattern: address)
            let buffer = unsafe UnsafeBufferPointer(
                start: pointer?.assumingMemoryBound(to: UInt8.self), count: count)
            let span = unsafe Span(_unsafeElements: buffer)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    // MARK: Lost pages

    /// From now on a page that cannot be read (SIGBUS) turns its whole file to zeros, instead of
    /// ending the process, and signals `wakeUp`, which must live as long as the process.
    package static func surviveLostPages(waking wakeUp: WakeUp) throws(SystemError) {
        _ = try checked(linux_survive_lost_pages(wakeUp.number), "sigaction")
    }

    /// Whether pages were lost and the octets are zeros now.
    package var isDamaged: Bool { slot >= 0 && linux_is_damaged(slot) != 0 }

    // MARK: Memory

    /// Has no pages read that were not asked for.
    package func expectRandomAccess() { _ = advise(0..<count, LINUX_RANDOM) }

    /// Brings the pages of a range into memory, before somebody waits for them.
    /// - Complexity: O(octets).
    package func makeResident(_ range: Range<Int>) {
        // Kernels before 5.14 cannot map them at once: there they are only read ahead.
        if advise(range, LINUX_POPULATE) < 0 { _ = advise(range, LINUX_WILL_NEED) }
    }

    /// Gives the pages that lie wholly in a range back to the system; they are read again when
    /// they are used again.
    package func drop(_ range: Range<Int>) {
        let page = MappedFile.pageSize
        let start = (range.lowerBound + page - 1) / page * page
        let end = range.upperBound == count ? count : range.upperBound / page * page
        guard start < end else { return }
        _ = advise(start..<end, LINUX_DROP)
    }

    /// Which pages of the file are in the memory of this process, from the first on; `nil` when
    /// the system does not tell.
    /// - Complexity: O(pages).
    package func residentPages() -> [Bool]? {
        let pages = (count + MappedFile.pageSize - 1) / MappedFile.pageSize
        guard pages > 0, let pointer = unsafe UnsafeRawPointer(bitPattern: address) else {
            return []
        }
        var states = [UInt8](repeating: 0, count: pages)
        let result = unsafe states.withUnsafeMutableBufferPointer { buffer in
            unsafe linux_resident_pages(pointer, pages, buffer.baseAddress)
        }
        return result < 0 ? nil : states.map { $0 != 0 }
    }

    /// Pages that hold octets of a range.
    package static func pages(of range: Range<Int>) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        return (range.lowerBound / pageSize)..<((range.upperBound - 1) / pageSize + 1)
    }

    /// Octets of so many pages.
    package static func octets(ofPages count: Int) -> Int { count * pageSize }

    /// Advice on the pages that hold a range; the negative errno when the system refuses it.
    private func advise(_ range: Range<Int>, _ advice: Int) -> Int32 {
        let start = range.lowerBound / MappedFile.pageSize * MappedFile.pageSize
        guard !range.isEmpty, range.upperBound <= count,
            let pointer = unsafe UnsafeRawPointer(bitPattern: address + UInt(start))
        else { return 0 }
        return unsafe linux_advise(pointer, range.upperBound - start, Int32(advice))
    }
}
