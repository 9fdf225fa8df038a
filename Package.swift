// swift-tools-version: 6.2
import PackageDescription

/// One set of settings for every Swift target: a warning is an error, imports are explicit.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  // Hot loops call across module borders; without this each call costs five times as much.
  .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

/// Installed programs are built without the regular expression library, which would be linked entirely, and so that the
/// linker can drop unused functions.
let lean: [SwiftSetting] =
  house + [
    .unsafeFlags(
      [
        "-Xfrontend", "-disable-implicit-string-processing-module-import", "-Xfrontend",
        "-function-sections", "-Xfrontend", "-internalize-at-link",
        // Tests run with these checks; they would take a thirtieth of the time of a run's loops.
        "-enforce-exclusivity=unchecked",
      ],
      .when(configuration: .release))
  ]

/// Modules without hot loops over records or images: smaller code is better.
let unhurried: Set = ["Jobs", "Drafting", "Translation", "Crawl", "Commands"]

let compact: [SwiftSetting] = lean + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// The toolchain's linker: packs relocations, merges equal functions, exports no symbols.
let small: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
      "--icf=all", "-Xlinker", "--no-export-dynamic",
    ], .when(configuration: .release))
]

/// A library module; it may only import its dependencies.
func module(
  _ name: String, _ uses: [Target.Dependency] = [], in folder: String? = nil,
  linkerSettings: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: uses, path: folder.map { "\($0)/\(name)" },
    swiftSettings: (folder != nil ? house : unhurried.contains(name) ? compact : lean)
      // Every module calls it, so the tests run faster with -O. Its assertions and bounds checks stay on.
      + (name == "Base"
        ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []),
    linkerSettings: linkerSettings)
}

func tests(
  _ name: String, _ uses: [Target.Dependency], beside: [String] = [], in folder: String? = nil
) -> Target {
  // `beside`: folders of texts that tests read in place; nothing is built from them.
  .testTarget(
    name: name + "Tests", dependencies: uses + ["TestSupport"],
    path: folder.map { "\($0)/\(name)Tests" }, exclude: beside, swiftSettings: house)
}

/// The local server for demo and tests; nothing that is installed needs it.
let sandbox = "Tests/Sandbox"
let simulation = "Tests/Simulation"

let package = Package(
  name: "trawl",
  products: [
    .executable(name: "trawl", targets: ["trawl"]),
    .executable(name: "trawl-translate", targets: ["trawl-translate"]),
    .executable(name: "trawl-sandbox", targets: ["trawl-sandbox"]),
    // For Tests/Fuzz, a package of its own.
    .library(name: "TrawlParts", targets: ["Base", "Jobs", "Walk", "Media", "Store"]),
  ],
  targets: [
    // The outside world, as thin as possible.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CLinux"),
    .target(
      name: "CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),

    // The top-level folder `jobs`, embedded.
    .target(name: "CBuiltInJobs"),

    // Each knows only modules above it.
    module("Base", ["CSimdjson", "CSQLite", "CLinux"]),
    module("Jobs", ["Base", "CBuiltInJobs"]),
    module("Transport", ["Base", "CCurl", "CCrypto", "CZlib"]),
    module("Bucket", ["Base", "Transport"]),
    module("Walk", ["Base", "CExpat"]),
    module("Drafting", ["Base", "Jobs", "Walk"]),
    module("Store", ["Base", "Walk"]),
    module("Media", ["Base", "CCrypto", "CLinux"]),
    module("Crawl", ["Base", "Walk", "Store", "Media"]),
    module(
      "Commands",
      [
        "Base", "Jobs", "Transport", "Bucket", "Walk", "Drafting", "Store", "Media", "Crawl",
        "CLinux",
      ]),
    .executableTarget(
      name: "trawl", dependencies: ["Commands"], swiftSettings: lean, linkerSettings: small),

    // A separate program: nothing above knows it, and it includes libyaml.
    module(
      "Translation", ["Base", "Jobs", "Drafting", "CYAML"],
      linkerSettings: [.linkedLibrary(":libyaml.a")]),
    .executableTarget(
      name: "trawl-translate", dependencies: ["Base", "Translation"], swiftSettings: lean,
      linkerSettings: small),

    module("SandboxKit", ["Base", "CCrypto", "CLinux", "CZlib"], in: sandbox),
    .executableTarget(
      name: "trawl-sandbox", dependencies: ["SandboxKit", "Base"],
      path: "\(sandbox)/trawl-sandbox", swiftSettings: house, linkerSettings: small),

    // Stand-ins and scratch folders for the tests.
    .target(
      name: "TestSupport", dependencies: ["Base", "Transport", "CLinux"], path: "Tests/TestSupport",
      swiftSettings: house),
    tests("Base", ["Base"]),
    tests("Transport", ["Base", "Transport", "SandboxKit"]),
    tests("Bucket", ["Base", "Transport", "Bucket"]),
    tests("Jobs", ["Base", "Jobs", "Store"], beside: ["Golden"]),
    tests("Drafting", ["Base", "Jobs", "Drafting"]),
    tests("Translation", ["Base", "Jobs", "Translation"]),
    tests("Walk", ["Base", "Jobs", "Walk", "Store"], beside: ["Answers"]),
    tests("Store", ["Base", "Walk", "Store", "CSQLite"]),
    tests(
      "Commands", ["Base", "Jobs", "Store", "Crawl", "Commands", "SandboxKit", "CLinux"],
      beside: ["Golden"]),
    tests("Tidy", []),
    // Examines a folder that a user names, else does nothing: `make recorded DIR=...`.
    tests("Recorded", ["Base", "Jobs", "Walk", "Store", "Crawl", "Commands"]),
    tests("Media", ["Base", "Media"]),
    tests("Crawl", ["Base", "Jobs", "Transport", "Store", "Media", "Crawl", "SandboxKit"]),
    // Whole runs from seeds: a library for the tests and for `make sim`, which needs speed.
    module(
      "SimulationKit", ["Base", "Store", "Crawl", "Commands", "TestSupport"],
      in: simulation),
    .executableTarget(
      name: "simulate", dependencies: ["SimulationKit"], path: "\(simulation)/simulate",
      swiftSettings: house),
    tests(
      "Simulation", ["Base", "Store", "Crawl", "SimulationKit"],
      in: simulation),
    tests("Limit", ["trawl", "Base", "Jobs", "Transport", "Store", "Crawl", "SandboxKit"]),
    // The programs; naming them here builds them before the tests run.
    tests("EndToEnd", ["trawl", "trawl-translate", "trawl-sandbox", "Base", "SandboxKit"]),
  ],
  cLanguageStandard: .c2x,
  cxxLanguageStandard: .cxx17
)
