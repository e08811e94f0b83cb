// swift-tools-version: 6.3
import PackageDescription

/// As in the library's own package.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Set by run.sh, which installs what it means, and what it needs where it is linked into the program.
let hasRocksDB = Context.environment["BENCHMARK_ROCKSDB"] == "1"
let rocksDB = ["rocksdb", "snappy", "zstd", "bz2", "lz4", "z"]

// A package of its own, so that it builds as one program without the other peers' libraries. The targets in C are those of
// the package above, by symbolic links to their folders; so are the files in Sources/Scaling/Shared.
let package = Package(
  name: "range-io-scaling",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Named, since the identity of a path is otherwise the folder that the repository was cloned into.
    .package(name: "swift-range-io", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(name: "CBenchmarkPeers"),
    .target(
      name: "CLZ4Peers", dependencies: ["CBenchmarkPeers"],
      linkerSettings: [
        .linkedLibrary("lz4", .when(platforms: [.linux])),
        .linkedLibrary("compression", .when(platforms: [.macOS])),
      ]),
    .target(
      name: "CRocksDBPeer", dependencies: ["CBenchmarkPeers"],
      cxxSettings: hasRocksDB ? [.define("BENCHMARK_ROCKSDB")] : [],
      linkerSettings: hasRocksDB ? rocksDB.map { .linkedLibrary($0) } : []),
    .executableTarget(
      name: "range-io-scaling",
      dependencies: [
        "CBenchmarkPeers", "CLZ4Peers", "CRocksDBPeer",
        .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIOTiers", package: "swift-range-io"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Scaling", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
