// swift-tools-version: 6.2
import PackageDescription

/// The language rules of every target: existentials are spelled, imports say who sees them, and an async
/// function stays on its caller's actor unless it says otherwise.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A part of the tests, for quick turns at the desk: folders of `Tests/RangeIOTests` and names of other test targets, with
/// commas. Nothing: all of them. `RANGEIO_TESTS=Stores/Spill swift test`
let part = Context.environment["RANGEIO_TESTS"].map { $0.split(separator: ",").map(String.init) }

let package = Package(
  name: "swift-range-io",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "RangeIO", targets: ["RangeIO"]),
    .library(name: "RangeIOFoundation", targets: ["RangeIOFoundation"]),
    .library(name: "RangeIOTesting", targets: ["RangeIOTesting"]),
    .library(name: "RangeIOMapped", targets: ["RangeIOMapped"]),
    .executable(name: "rangeio", targets: ["RangeIOTool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(name: "CRangeIOSystem"),
    .systemLibrary(
      name: "CRangeIOLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(
      name: "RangeIO",
      dependencies: [
        "CRangeIOSystem",
        // Apple platforms have LZ4 in their library Compression.
        .target(name: "CRangeIOLZ4", condition: .when(platforms: [.linux])),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(name: "RangeIOFoundation", dependencies: ["RangeIO"], swiftSettings: strict),
    .target(
      name: "RangeIOTesting",
      dependencies: ["RangeIO", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .target(name: "RangeIOTraces", dependencies: ["RangeIO"], swiftSettings: strict),
    .executableTarget(
      name: "RangeIOTool",
      dependencies: [
        "RangeIO", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    // A program that tests kill.
    .executableTarget(
      name: "SpillWriter",
      dependencies: ["RangeIO", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/SpillWriter", swiftSettings: strict),
    // A program that tests follow.
    .executableTarget(
      name: "Recorder",
      dependencies: ["RangeIO", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/Recorder", swiftSettings: strict),
    .testTarget(
      name: "RangeIOTests",
      dependencies: [
        "RangeIO", "RangeIOTesting", "RangeIOTraces", "CRangeIOSystem", "SpillWriter", "Recorder",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Golden"],
      sources: part.map { ["Support"] + $0.filter { !$0.hasPrefix("RangeIO") } },
      swiftSettings: strict),
    .testTarget(
      name: "RangeIOFoundationTests", dependencies: ["RangeIO", "RangeIOFoundation"],
      swiftSettings: strict),
    .testTarget(
      name: "RangeIOTestingTests",
      dependencies: ["RangeIO", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .testTarget(
      name: "RangeIOToolTests",
      dependencies: ["RangeIOTool", "RangeIOTraces", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    // Plugins: see Plugins/README.md.
    .target(name: "CRangeIOMapped", path: "Plugins/RangeIOMapped/Sources/CRangeIOMapped"),
    .target(
      name: "RangeIOMapped",
      dependencies: ["RangeIO", "CRangeIOMapped", .product(name: "SystemPackage", package: "swift-system")],
      path: "Plugins/RangeIOMapped/Sources/RangeIOMapped", packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "RangeIOMappedTests",
      dependencies: [
        "RangeIOMapped", "CRangeIOMapped", "RangeIO", "RangeIOTesting",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Plugins/RangeIOMapped/Tests/RangeIOMappedTests", packageAccess: false, swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

if let part {
  package.targets.removeAll { target in
    target.type == .test && target.name != "RangeIOTests" && !part.contains(target.name)
  }
}
