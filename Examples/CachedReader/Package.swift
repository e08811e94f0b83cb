// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "CachedReader",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-range-io", path: "../..")],
  targets: [
    .executableTarget(name: "CachedReader", dependencies: [.product(name: "RangeIO", package: "swift-range-io")])
  ]
)
