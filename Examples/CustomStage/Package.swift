// swift-tools-version: 6.3
import PackageDescription

// Default settings on purpose: a stage of yours needs none of those that RangeIO itself is built with.
let package = Package(
  name: "CustomStage",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-range-io", path: "../..")],
  targets: [
    .executableTarget(name: "CustomStage", dependencies: [.product(name: "RangeIO", package: "swift-range-io")])
  ]
)
