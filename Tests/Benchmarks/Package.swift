// swift-tools-version: 6.2
import PackageDescription

// A package of its own: neither a build nor the tests of Trawl pay for it. `make bench` runs it.
let package = Package(
  name: "benchmarks",
  targets: [
    .executableTarget(name: "floor", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(name: "pages"),
    .executableTarget(
      name: "bench",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
  ]
)
