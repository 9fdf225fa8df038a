// swift-tools-version: 6.2
import PackageDescription

// A separate package: neither builds nor tests of Trawl depend on it. `make bench` runs it.
let package = Package(
  name: "benchmarks",
  targets: [
    .executableTarget(
      name: "bound",
      linkerSettings: [
        .linkedLibrary("curl"), .linkedLibrary("simdjson"), .linkedLibrary("sqlite3"),
      ]),
    .executableTarget(
      name: "bench",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
  ],
  cxxLanguageStandard: .cxx17
)
