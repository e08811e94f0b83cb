// swift-tools-version: 6.3
import PackageDescription

/// As in the library's own package.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Set by run.sh, which installs what it means. Not found out by looking at the disk: SwiftPM remembers what a manifest
/// said, also when the disk has changed.
let hasRocksDB = Context.environment["BENCHMARK_ROCKSDB"] == "1"

// A package of its own, so that the peers' dependencies never become the library's.
let package = Package(
  name: "range-io-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Named, since the identity of a path is otherwise the folder that the repository was cloned into.
    .package(name: "swift-range-io", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    // SQLite behind it: on Linux it needs the headers of libsqlite3, which run.sh installs.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
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
      linkerSettings: hasRocksDB ? [.linkedLibrary("rocksdb")] : []),
    .executableTarget(
      name: "RangeIOBenchmarks",
      dependencies: [
        "CBenchmarkPeers", "CLZ4Peers", "CRocksDBPeer",
        .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIOTiers", package: "swift-range-io"),
        .product(name: "RangeIOExecutor", package: "swift-range-io"),
        .product(name: "_NIOFileSystem", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
