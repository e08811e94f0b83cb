// swift-tools-version: 6.3
import PackageDescription

/// As in the library's own package.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A package of its own, so that the other benchmarks build without the HTTP client.
let package = Package(
  name: "range-io-remote-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Named, since the identity of a path is otherwise the folder that the repository was cloned into.
    .package(name: "swift-range-io", path: "../..", traits: ["HTTP", "SharedCache"]),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
  ],
  targets: [
    // The link of the library's tests: a symbolic link to its folder.
    .target(
      name: "Link",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: strict + [.define("HTTP")]),
    .executableTarget(name: "LinkServer", dependencies: ["Link"], swiftSettings: strict),
    .executableTarget(
      name: "RemoteBenchmark",
      dependencies: [
        .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIOTiers", package: "swift-range-io"),
        .product(name: "RangeIOHTTP", package: "swift-range-io"),
      ],
      swiftSettings: strict),
    // Ranges of an object in which each number is its own offset, and what reading them has cost.
    .target(name: "Cost", swiftSettings: strict),
    // What a request costs, beside the client that it is made with.
    .executableTarget(
      name: "TransportCost",
      dependencies: [
        "Cost",
        .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIOHTTP", package: "swift-range-io"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: strict),
    // What a hit in an engine costs, beside clients in C.
    .executableTarget(
      name: "SharedCost",
      dependencies: [
        "Cost",
        .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIOSharedCache", package: "swift-range-io"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
