// swift-tools-version: 6.3
import PackageDescription

/// The language rules of every target: existentials are spelled, imports say who sees them, and an async
/// function stays on its caller's actor unless it says otherwise.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// What `make test` adds, and no user of the package sees: a library that is compiled as users have it, so that thousands of
/// simulated histories are quick, with its assertions; and no warnings.
let isChecked = Context.environment["RANGEIO_CHECKED"] == "1"
let checked: [SwiftSetting] =
  isChecked ? [.treatAllWarnings(as: .error), .unsafeFlags(["-O", "-assert-config", "Debug"])] : []
/// Tests compile quickest unoptimised.
let checkedTests: [SwiftSetting] = isChecked ? [.treatAllWarnings(as: .error)] : []

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
      swiftSettings: strict + checked),
    .target(name: "RangeIOFoundation", dependencies: ["RangeIO"], swiftSettings: strict + checked),
    .target(
      name: "RangeIOTesting",
      dependencies: ["RangeIO", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict + checked),
    .target(name: "RangeIOTraces", dependencies: ["RangeIO"], swiftSettings: strict + checked),
    .executableTarget(
      name: "RangeIOTool",
      dependencies: [
        "RangeIO", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checked),
    // A program that tests kill.
    .executableTarget(
      name: "SpillWriter",
      dependencies: ["RangeIO", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/SpillWriter", swiftSettings: strict + checked),
    // A program that tests follow.
    .executableTarget(
      name: "Recorder",
      dependencies: ["RangeIO", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/Recorder", swiftSettings: strict + checked),
    // A program whose instructions are counted.
    .executableTarget(
      name: "HitCost", dependencies: ["RangeIO", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/HitCost", exclude: ["instructions.txt"], swiftSettings: strict + checked),
    // What the tests of the core share.
    .target(
      name: "RangeIOTestSupport",
      dependencies: [
        "RangeIO", "RangeIOTesting", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/RangeIOTestSupport", swiftSettings: strict + checked),
    // Simulations, models and golden replays: millions of steps, so compiled with optimisation.
    .testTarget(
      name: "RangeIOModelTests",
      dependencies: [
        "RangeIO", "RangeIOTesting", "RangeIOTestSupport", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOTests",
      dependencies: [
        "RangeIO", "RangeIOTesting", "RangeIOTestSupport", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Golden"],
      sources: part.map { $0.filter { !$0.hasPrefix("RangeIO") } },
      swiftSettings: strict + checkedTests),
    // What waits for the system, in its own time: other processes, watches, timers. Run one suite at a time.
    .testTarget(
      name: "RangeIOSystemTests",
      dependencies: [
        "RangeIO", "RangeIOTesting", "RangeIOTestSupport", "SpillWriter", "Recorder",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOFoundationTests", dependencies: ["RangeIO", "RangeIOFoundation"],
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOTestingTests",
      dependencies: ["RangeIO", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict + checkedTests),
    // Sees no more of the library than its users do.
    .testTarget(
      name: "RangeIOPublicTests", dependencies: ["RangeIO", "RangeIOTesting"], packageAccess: false,
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOToolTests",
      dependencies: ["RangeIOTool", "RangeIOTraces", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict + checkedTests),
    // Plugins: see Plugins/README.md.
    .target(name: "CRangeIOMapped", path: "Plugins/RangeIOMapped/Sources/CRangeIOMapped"),
    .target(
      name: "RangeIOMapped",
      dependencies: ["RangeIO", "CRangeIOMapped", .product(name: "SystemPackage", package: "swift-system")],
      path: "Plugins/RangeIOMapped/Sources/RangeIOMapped", packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOMappedTests",
      dependencies: [
        "RangeIOMapped", "CRangeIOMapped", "RangeIO", "RangeIOTesting",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Plugins/RangeIOMapped/Tests/RangeIOMappedTests", packageAccess: false, swiftSettings: strict + checkedTests
    ),
  ],
  swiftLanguageModes: [.v6]
)

if let part {
  package.targets.removeAll { target in
    target.type == .test && target.name != "RangeIOTests" && !part.contains(target.name)
  }
}
