// swift-tools-version: 6.2
import PackageDescription

/// Flags of every Swift target: strict memory safety as an error, lifetimes for borrowed views.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatWarning("StrictMemorySafety", as: .error),
    .enableExperimentalFeature("Lifetimes"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module under `Sources/NAME`; its imports are those of the table in ARCHITECTURE.md.
func module(_ name: String, _ imports: [String] = []) -> Target {
    .target(name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: strict)
}

/// A C library of the system behind a module map, found by pkg-config.
func wall(_ name: String, _ pkgConfig: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig)
}

func program(_ name: String, _ imports: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: strict)
}

func tests(_ name: String, _ imports: [String]) -> Target {
    .testTarget(
        name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: strict)
}

/// Code that several test targets share; no product links it.
func fixtures(_ name: String, _ imports: [String]) -> Target {
    .target(
        name: name, dependencies: imports.map { .byName(name: $0) }, path: "Tests/\(name)",
        swiftSettings: strict)
}

let package = Package(
    name: "sluice",
    products: [
        .executable(name: "sluiced", targets: ["sluiced"]),
        .executable(name: "sluice", targets: ["sluice"]),
    ],
    targets: [
        // C walls
        .target(name: "CLinux"),
        .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl")]),
        wall("CYAML", "yaml-0.1"),
        wall("CIDN2", "libidn2"),
        // 1
        module("Quantities"),
        module("LinuxSystem", ["CLinux", "Quantities"]),
        module("Metrics"),
        module("DomainNames"),
        module("Cryptography", ["COpenSSL"]),
        // 2
        module("DNSWire", ["DomainNames"]),
        module("FilterIndex", ["DomainNames", "LinuxSystem", "Cryptography", "Quantities"]),
        module("FilterLists", ["DomainNames", "CIDN2", "Quantities"]),
        module("QueryEvents", ["DomainNames"]),
        module("Configuration", ["DomainNames", "CYAML", "Quantities"]),
        module("Control", ["LinuxSystem", "Quantities"]),
        // 3
        module("DNSCache", ["DNSWire", "DomainNames", "Metrics", "Quantities"]),
        module("DNSListener", ["DNSWire", "LinuxSystem", "Metrics", "Quantities"]),
        module(
            "FilterCompiler",
            [
                "FilterLists", "FilterIndex", "DomainNames", "LinuxSystem", "Cryptography",
                "Quantities",
            ]),
        module("DNSClient", ["DNSWire", "DomainNames", "LinuxSystem", "Quantities"]),
        // 4
        module("DNSUpstream", ["DNSWire", "LinuxSystem", "Metrics", "Quantities"]),
        module(
            "DNSResolver",
            [
                "DNSWire", "DNSCache", "FilterIndex", "QueryEvents", "DomainNames", "Metrics",
                "Quantities",
            ]),
        module(
            "ListUpdates",
            [
                "CCurl", "Configuration", "Control", "Cryptography", "DNSClient", "DomainNames",
                "FilterCompiler", "FilterIndex", "FilterLists", "LinuxSystem", "Quantities",
            ]),
        module("Explanation", ["FilterLists", "FilterIndex", "DomainNames", "Quantities"]),
        module("ListImpact", ["FilterLists", "FilterIndex", "DomainNames"]),
        // 5
        module(
            "Daemon",
            [
                "Configuration", "Control", "DNSWire", "DomainNames", "DNSListener", "DNSUpstream",
                "DNSResolver", "DNSCache", "FilterIndex", "QueryEvents", "Metrics", "LinuxSystem",
                "Quantities",
            ]),
        // 6
        program("sluiced", ["Daemon", "LinuxSystem"]),
        module(
            "CommandLineInterface",
            [
                "Configuration", "Control", "Cryptography", "DNSClient", "DNSWire", "DomainNames",
                "Explanation", "FilterCompiler", "FilterIndex", "FilterLists", "LinuxSystem",
                "ListImpact", "ListUpdates", "Quantities",
            ]),
        program("sluice", ["CommandLineInterface"]),
        // tests
        fixtures("WireFixtures", ["DNSWire", "DomainNames"]),
        tests("QuantitiesTests", ["Quantities", "WireFixtures"]),
        tests("LinuxSystemTests", ["LinuxSystem", "Quantities"]),
        tests("DomainNamesTests", ["DomainNames", "WireFixtures"]),
        tests("DNSWireTests", ["DNSWire", "DomainNames", "WireFixtures"]),
        tests(
            "DNSCacheTests", ["DNSCache", "DNSWire", "DomainNames", "Quantities", "WireFixtures"]),
        tests(
            "DNSResolverTests",
            [
                "DNSResolver", "DNSCache", "DNSWire", "DomainNames", "FilterCompiler",
                "FilterIndex", "FilterLists", "QueryEvents", "Metrics", "Quantities",
                "WireFixtures",
            ]),
        tests(
            "DNSUpstreamTests",
            [
                "DNSUpstream", "DNSWire", "DomainNames", "LinuxSystem", "Metrics", "Quantities",
                "WireFixtures",
            ]),
        tests(
            "DNSClientTests",
            [
                "DNSClient", "DNSWire", "DomainNames", "LinuxSystem", "LoopbackFixtures",
                "Quantities", "WireFixtures",
            ]),
        tests(
            "ListUpdatesTests",
            [
                "Cryptography", "DNSClient", "DNSWire", "DomainNames", "FilterLists", "LinuxSystem",
                "ListUpdates", "Quantities",
            ]),
        tests("DNSListenerTests", ["DNSListener", "LinuxSystem", "Metrics", "Quantities"]),
        tests(
            "ConfigurationTests", ["Configuration", "DomainNames", "Quantities", "WireFixtures"]),
        tests("ControlTests", ["Control"]),
        tests(
            "CommandLineInterfaceTests",
            [
                "CommandLineInterface", "Configuration", "Control", "Cryptography", "DNSWire",
                "DomainNames", "FilterIndex", "LinuxSystem", "ListUpdates", "LoopbackFixtures",
                "Quantities", "WireFixtures", "sluice",
            ]),
        tests(
            "ExplanationTests",
            [
                "Explanation", "FilterCompiler", "FilterIndex", "FilterLists", "DomainNames",
                "Quantities",
            ]),
        tests(
            "ListImpactTests",
            [
                "ListImpact", "FilterCompiler", "FilterIndex", "FilterLists", "DomainNames",
                "WireFixtures",
            ]),
        tests("TidyTests", []),
        // Benchmarks/run and Benchmarks/daemon measure with it.
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "DomainNames", "FilterIndex", "LinuxSystem", "Quantities", "WireFixtures",
            ], path: "Benchmarks/Program", swiftSettings: strict),
        // Fuzz/run links it with the fuzzer; see there.
        .target(
            name: "FuzzFixtures",
            dependencies: [
                "Cryptography", "DNSWire", "DomainNames", "FilterIndex", "FilterLists",
                "LinuxSystem", "Quantities",
            ], path: "Fuzz/Doors", swiftSettings: strict),
        .target(
            name: "FuzzProgram",
            dependencies: ["FuzzFixtures", "FilterIndex", "FilterLists", "LinuxSystem"],
            path: "Fuzz/Program", swiftSettings: strict),
        tests(
            "FuzzTests",
            [
                "FuzzFixtures", "DomainNames", "FilterCompiler", "FilterIndex", "FilterLists",
                "LinuxSystem",
            ]),
        .target(
            name: "LoopbackFixtures", path: "Tests/LoopbackFixtures", swiftSettings: strict),
        tests("EndToEndTests", ["LoopbackFixtures", "Control", "DNSWire", "DomainNames"]),
        tests(
            "ScenarioTests",
            [
                "Configuration", "DNSCache", "DNSResolver", "DNSUpstream", "DNSWire", "DomainNames",
                "FilterCompiler", "FilterIndex", "FilterLists", "LinuxSystem", "LoopbackFixtures",
                "Metrics", "Quantities",
            ]),
        tests("FilterListsTests", ["FilterLists", "DomainNames", "WireFixtures"]),
        tests("CryptographyTests", ["Cryptography"]),
        tests("FilterIndexTests", ["FilterIndex", "DomainNames", "Cryptography"]),
        tests(
            "FilterCompilerTests",
            [
                "FilterCompiler", "FilterIndex", "FilterLists", "DomainNames", "Cryptography",
                "LinuxSystem", "Quantities", "WireFixtures",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
