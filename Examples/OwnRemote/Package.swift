// swift-tools-version: 6.3
import PackageDescription

// Default settings on purpose: a source of yours needs none of those that RangeIO itself is built with.
let package = Package(
  name: "OwnRemote",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-range-io", path: "../..", traits: ["HTTP"]),
    .package(url: "https://github.com/apple/swift-crypto", "3.8.0"..<"5.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "OwnRemote",
      dependencies: [
        .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIORemote", package: "swift-range-io"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(
      name: "OwnRemoteTests",
      dependencies: [
        "OwnRemote", .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIORemote", package: "swift-range-io"),
        .product(name: "RangeIORemoteTesting", package: "swift-range-io"),
      ]),
  ]
)
