import Configuration
import Control
import DNSCache
import DNSListener
import DNSResolver
import DNSUpstream
import FilterIndex
import LinuxSystem
import Metrics
import Quantities

/// The members of `status`, gathered from the parts that count.
struct StatusReport {
    /// The parts.
    let context: ServerContext
    /// What went wrong at the last reload; `nil` when it went well.
    let lastError: String?

    /// Writes the members into an object.
    func write(to json: inout JSONWriter) {
        let now = Clock.now()
        let state = context.state.load()
        json.member("state", stateWord(state, now: now))
        json.member("lastError") { value in
            if let lastError { value.string(lastError) } else { value.null() }
        }
        json.member("processID", Process.id)
        json.member("uptimeSeconds", (now - context.started).components.seconds)
        writePolicies(state, to: &json)
        writeCounters(to: &json)
        writePauses(now: now, to: &json)
        writeMemory(state, to: &json)
        writeUpstreams(to: &json)
    }

    private func stateWord(_ state: ActiveState, now: MonotonicInstant) -> String {
        if !state.unfiltered.isEmpty || context.upstreams.isEmpty { return "degraded" }
        return context.pauses.list(now: now).contains { $0.client == nil } ? "paused" : "serving"
    }

    private func writePolicies(_ state: ActiveState, to json: inout JSONWriter) {
        let policies = state.filters.policies
        json.member("policies") { value in
            value.array { array in
                for policy in policies {
                    array.object { object in
                        object.member("name", policy.name)
                        StatusReport.writeSnapshot(policy.snapshot, to: &object)
                        object.member("ownRules", policy.ownRuleCount)
                    }
                }
            }
        }
        StatusReport.writeSnapshot(policies.first?.snapshot, to: &json)
    }

    private static func writeSnapshot(_ snapshot: Snapshot?, to json: inout JSONWriter) {
        json.member("snapshotID") { value in
            if let snapshot { value.string("\(snapshot.snapshotID)") } else { value.null() }
        }
        json.member("names", snapshot?.nameCount ?? 0)
    }

    private func writeCounters(to json: inout JSONWriter) {
        func sum(_ read: (WorkerStatus) -> UInt64) -> UInt64 {
            context.workers.reduce(0) { $0 &+ read($1) }
        }
        let byAlias = sum { $0.resolver.blockedByAlias.load() }
        json.member("queries", sum { $0.resolver.queries.load() })
        json.member("blocked", sum { $0.resolver.blocked.load() } &+ byAlias)
        json.member("blockedByAlias", byAlias)
        json.member("rewritten", sum { $0.resolver.rewritten.load() })
        json.member("cacheHits", sum { $0.resolver.cacheHits.load() })
        json.member("staleHits", sum { $0.resolver.staleHits.load() })
        json.member("forwarded", sum { $0.resolver.forwarded.load() })
        json.member("coalesced", sum { $0.resolver.coalesced.load() })
        json.member("failed", sum { $0.resolver.failed.load() })
        json.member("refused", sum { $0.resolver.refused.load() })
        json.member("malformed", sum { $0.resolver.malformed.load() })
        json.member("dropped", sum { $0.resolver.dropped.load() })
        json.member("prefilterHits", sum { $0.resolver.prefilterHits.load() })
        json.member(
            "prefilterFalsePositives", sum { $0.resolver.prefilterFalsePositives.load() })
        json.member("upstreamSends", sum { $0.forwarder.sends.load() })
        json.member("upstreamAnswers", sum { $0.forwarder.answers.load() })
        json.member("upstreamMismatched", sum { $0.forwarder.mismatched.load() })
        json.member("upstreamFailures", sum { $0.forwarder.failures.load() })
        json.member("tcpAccepted", sum { $0.streams.accepted.load() })
        json.member("tcpRefused", sum { $0.streams.refused.load() })
        json.member("tcpIdleClosed", sum { $0.streams.idleClosed.load() })
        json.member("repliesLost", sum { $0.repliesLost.load() })
        json.member("cacheEntries", context.cache.entryCount)
    }

    private func writePauses(now: MonotonicInstant, to json: inout JSONWriter) {
        json.member("pauses") { value in
            value.array { array in
                for pause in context.pauses.list(now: now) {
                    array.object { object in
                        object.member("client", pause.client.map { "\($0)" } ?? "*")
                        object.member("secondsLeft") { value in
                            if let left = pause.left {
                                value.integer(left.components.seconds)
                            } else {
                                value.null()
                            }
                        }
                    }
                }
            }
        }
    }

    private func writeMemory(_ state: ActiveState, to json: inout JSONWriter) {
        let use = MemoryUse(context: context, state: state)
        json.member("memory") { value in
            value.object { object in use.write(to: &object) }
        }
    }

    private func writeUpstreams(to json: inout JSONWriter) {
        json.member("upstreams") { value in
            value.array { array in
                for (index, address) in context.upstreams.enumerated() {
                    let gauges = context.workers.map { $0.upstreams[index] }
                    let times = gauges.map(\.roundTrip).filter { $0 > .zero }
                    array.object { object in
                        object.member("address", address.description)
                        object.member(
                            "state",
                            gauges.allSatisfy(\.isDown)
                                ? "down" : times.isEmpty ? "unknown" : "up")
                        object.member("latencyMicroseconds") { value in
                            if let least = times.min() {
                                value.integer(least.wholeNanoseconds / 1000)
                            } else {
                                value.null()
                            }
                        }
                    }
                }
            }
        }
    }
}
