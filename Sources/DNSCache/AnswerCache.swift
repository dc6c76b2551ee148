import DNSWire
import DomainNames
import Quantities
import Synchronization

/// Answers of the upstreams, kept as wire octets, shared by all workers.
///
/// Sixteen shards by the top bits of the key's hash, each behind its own lock, which is held for
/// the copy of one message. A hit is that copy with its TTLs counted down (RFC 1035 §3.2.1).
public final class AnswerCache: Sendable {
    private static let shardBits = 4
    private let shards: [LockedShard]
    /// The seed for `QuestionKey.assign`.
    public let seed: UInt64
    /// The most octets that the cache may hold, tables included.
    public let size: ByteCount

    /// A cache of `size` octets, tables included; below 64 KiB it holds nothing.
    public init(size: ByteCount, seed: UInt64) {
        self.size = size
        self.seed = seed
        let count = 1 << AnswerCache.shardBits
        let share = size.octets < 64 << 10 ? 0 : size.octets / count
        shards = (0..<count).map { _ in LockedShard(size: share) }
    }

    /// Looks a question up and appends its message, TTLs counted down, to `output`.
    ///
    /// An answer past its time counts as found for `staleAge` longer; its TTLs are then `staleTTL`
    /// (RFC 8767 §4).
    /// - Complexity: O(octets of the message).
    public func find(
        _ key: QuestionKey, now: MonotonicInstant, staleAge: Duration,
        staleTTL: UInt32, into output: inout [UInt8]
    ) -> CacheHit? {
        let shard = shards[index(key.hash)]
        return shard.state.withLock { state in
            state.find(key, now: now, staleAge: staleAge, staleTTL: staleTTL, into: &output)
        }
    }

    /// Stores an answer, in place of one to the same question.
    public func store(
        _ answer: CachedAnswer, for key: QuestionKey, now: MonotonicInstant
    ) {
        shards[index(key.hash)].state.withLock { $0.store(answer, for: key, now: now) }
    }

    /// Notes that the targets of the answer that `hit` found are clean under a filter state.
    ///
    /// An answer that another worker has stored since is not meant: nobody judged that one.
    public func markJudged(_ key: QuestionKey, _ hit: CacheHit, judgement: UInt64) {
        shards[index(key.hash)].state.withLock {
            $0.markJudged(key, serial: hit.serial, judgement: judgement)
        }
    }

    /// Forgets the answer to a question.
    public func remove(_ key: QuestionKey) {
        shards[index(key.hash)].state.withLock { $0.remove(key) }
    }

    /// Forgets all answers, or those to questions on `name`.
    /// - Returns: how many.
    /// - Complexity: O(entries).
    public func flush(name: DomainName?) -> Int {
        let wire = name?.lowercased.wire
        return shards.reduce(0) { $0 + $1.state.withLock { $0.flush(name: wire) } }
    }

    /// Entries now held.
    public var entryCount: Int { shards.reduce(0) { $0 + $1.state.withLock(\.entryCount) } }

    /// Octets of messages and keys now held.
    public var octetCount: Int { shards.reduce(0) { $0 + $1.state.withLock(\.octetCount) } }

    /// Octets of memory held, tables and free room included.
    public var heldOctets: Int { shards.reduce(0) { $0 + $1.state.withLock(\.heldOctets) } }

    private func index(_ hash: UInt64) -> Int { Int(hash >> UInt64(64 - AnswerCache.shardBits)) }
}

/// A shard behind its lock.
private final class LockedShard: Sendable {
    let state: Mutex<CacheShard>

    init(size: Int) { state = Mutex(CacheShard(size: size)) }
}
