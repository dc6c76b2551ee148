import DNSCache
import Quantities

/// Questions in flight and the clients that wait for each.
///
/// Two slabs that grow up to their limits and reuse freed slots, so that an idle resolver is small:
/// ```
/// questions  key · first waiter · next of the same bucket      buckets by hash
/// waiters    asker · next waiter of the same question
/// ```
/// At most one question in flight has a given key (RFC 5452 §5).
struct PendingTable {
    /// One question in flight.
    struct Question {
        /// What is asked.
        var key: QuestionKey
        /// Tells this use of the slot from earlier ones.
        var generation: UInt32
        /// When it was sent on.
        var asked: MonotonicInstant
        /// The client that joined last.
        var firstWaiter: Int32
        /// The next question of the same bucket.
        var nextInBucket: Int32
        /// Whether the slot is in use.
        var isLive: Bool
        /// Clients over TCP that were added, those answered meanwhile too.
        var streamWaiters = 0
    }

    private struct Waiter {
        var asker: Asker
        var next: Int32
    }

    private static let none: Int32 = -1
    /// Clients over TCP that wait for one question: their copies of a long answer, 64 KiB each, are
    /// made at the same moment.
    private static let streamWaiterLimit = 128
    private static let bucketCount = 1024

    private var questions: [Question] = []
    private var waiters: [Waiter] = []
    private var freeQuestions: [Int32] = []
    private var freeWaiters: [Int32] = []
    private var buckets = [Int32](repeating: PendingTable.none, count: PendingTable.bucketCount)
    private let questionLimit: Int
    private let waiterLimit: Int

    /// An empty table; a question or a client beyond the limits is turned down.
    init(questionLimit: Int, waiterLimit: Int) {
        self.questionLimit = questionLimit
        self.waiterLimit = waiterLimit
    }

    /// Questions in flight.
    var questionCount: Int { questions.count - freeQuestions.count }
    private var waiterCount: Int { waiters.count - freeWaiters.count }

    /// Octets of memory held.
    var heldOctets: Int {
        questions.capacity * MemoryLayout<Question>.stride
            + waiters.capacity * MemoryLayout<Waiter>.stride
            + (freeQuestions.capacity + freeWaiters.capacity + buckets.capacity) * 4
    }

    /// The question in flight with this key.
    func find(_ key: QuestionKey) -> QuestionToken? {
        var index = buckets[bucket(key)]
        while index != PendingTable.none {
            let question = questions[Int(index)]
            if question.key.hash == key.hash, question.key.matches(key.span) {
                return QuestionToken(slot: UInt32(index), generation: question.generation)
            }
            index = question.nextInBucket
        }
        return nil
    }

    /// The question of a token, unless it has ended.
    func question(_ token: QuestionToken) -> Question? {
        guard Int(token.slot) < questions.count else { return nil }
        let question = questions[Int(token.slot)]
        return question.isLive && question.generation == token.generation ? question : nil
    }

    /// Starts a question without waiters; `nil` when the table is full.
    mutating func insert(_ key: QuestionKey, now: MonotonicInstant) -> QuestionToken? {
        guard questionCount < questionLimit else { return nil }
        let bucket = bucket(key)
        var question = Question(
            key: key, generation: 0, asked: now, firstWaiter: PendingTable.none,
            nextInBucket: buckets[bucket], isLive: true)
        let index: Int32
        if let free = freeQuestions.popLast() {
            index = free
            question.generation = questions[Int(free)].generation &+ 1
            questions[Int(free)] = question
        } else {
            index = Int32(questions.count)
            questions.append(question)
        }
        buckets[bucket] = index
        return QuestionToken(slot: UInt32(index), generation: question.generation)
    }

    /// Adds a client to a question in flight.
    /// - Returns: `false` when the table is full.
    mutating func wait(_ asker: Asker, for token: QuestionToken) -> Bool {
        guard waiterCount < waiterLimit else { return false }
        let slot = Int(token.slot)
        if asker.limit > Asker.udpLimit {
            guard questions[slot].streamWaiters < PendingTable.streamWaiterLimit else {
                return false
            }
            questions[slot].streamWaiters += 1
        }
        let waiter = Waiter(asker: asker, next: questions[slot].firstWaiter)
        let index: Int32
        if let free = freeWaiters.popLast() {
            index = free
            waiters[Int(free)] = waiter
        } else {
            index = Int32(waiters.count)
            waiters.append(waiter)
        }
        questions[slot].firstWaiter = index
        return true
    }

    /// Gives every waiting client that is filtered another policy.
    mutating func mapPolicies(_ map: (Int) -> Int) {
        for index in waiters.indices {
            waiters[index].asker.policy = waiters[index].asker.policy.map(map)
        }
    }

    /// Whether a client waits for a question.
    func hasWaiters(_ token: QuestionToken) -> Bool {
        questions[Int(token.slot)].firstWaiter != PendingTable.none
    }

    /// Takes the next waiting client of a question, the latest first.
    mutating func takeWaiter(_ token: QuestionToken) -> Asker? {
        let slot = Int(token.slot)
        let index = questions[slot].firstWaiter
        guard index != PendingTable.none else { return nil }
        questions[slot].firstWaiter = waiters[Int(index)].next
        freeWaiters.append(index)
        let asker = waiters[Int(index)].asker
        waiters[Int(index)].asker.rewrite = nil
        return asker
    }

    /// Ends a question that no client waits for any more.
    mutating func remove(_ token: QuestionToken) {
        let slot = Int(token.slot)
        precondition(
            questions[slot].firstWaiter == PendingTable.none, "every client was taken first")
        questions[slot].isLive = false
        freeQuestions.append(Int32(slot))
        let bucket = bucket(questions[slot].key)
        let next = questions[slot].nextInBucket
        if buckets[bucket] == Int32(slot) {
            buckets[bucket] = next
            return
        }
        var index = buckets[bucket]
        while index != PendingTable.none {
            if questions[Int(index)].nextInBucket == Int32(slot) {
                questions[Int(index)].nextInBucket = next
                return
            }
            index = questions[Int(index)].nextInBucket
        }
    }

    private func bucket(_ key: QuestionKey) -> Int {
        Int(key.hash & UInt64(PendingTable.bucketCount - 1))
    }
}
