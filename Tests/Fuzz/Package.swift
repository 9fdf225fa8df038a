// swift-tools-version: 6.2
import PackageDescription

// A separate package: all of it is built with libFuzzer's instrumentation. `make fuzz` runs it.
// A library, as libFuzzer has its own `main`.
let package = Package(
  name: "fuzz",
  products: [.library(name: "FuzzTargets", type: .static, targets: ["FuzzTargets"])],
  dependencies: [.package(name: "trawl", path: "../..")],
  targets: [
    .target(
      name: "FuzzTargets", dependencies: [.product(name: "TrawlParts", package: "trawl")],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
