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

/// Counts how often each lock of the core is taken and contended, and prints it at the end: Benchmarks/Scaling/locks.sh.
let countsLocks = Context.environment["RANGEIO_COUNT_LOCKS"] == "1"

/// A part of the tests, for quick turns at the desk: folders of `Tests/RangeIOTests` and names of other test targets, with
/// commas. Nothing: all of them. `RANGEIO_TESTS=Stores/Spill swift test`
let part = Context.environment["RANGEIO_TESTS"].map { $0.split(separator: ",").map(String.init) }

/// A product that a target has only with a trait.
func product(_ name: String, _ package: String, with trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}
let http: [Target.Dependency] = [
  product("AsyncHTTPClient", "async-http-client", with: "HTTP"), product("NIOCore", "swift-nio", with: "HTTP"),
  product("NIOPosix", "swift-nio", with: "HTTP"), product("NIOHTTP1", "swift-nio", with: "HTTP"),
  product("NIOSSL", "swift-nio-ssl", with: "HTTP"),
]
let http2: [Target.Dependency] = [
  product("NIOHTTP2", "swift-nio-http2", with: "HTTP"), product("NIOHPACK", "swift-nio-http2", with: "HTTP"),
]
let telemetry: [Target.Dependency] = [
  product("Logging", "swift-log", with: "Telemetry"), product("Metrics", "swift-metrics", with: "Telemetry"),
  product("Tracing", "swift-distributed-tracing", with: "Telemetry"),
  product("ServiceLifecycle", "swift-service-lifecycle", with: "Telemetry"),
]
let nio: [Target.Dependency] = [product("NIOCore", "swift-nio", with: "NIO")]
let sharedCache: [Target.Dependency] = [
  product("NIOCore", "swift-nio", with: "SharedCache"), product("NIOPosix", "swift-nio", with: "SharedCache"),
  product("NIOConcurrencyHelpers", "swift-nio", with: "SharedCache"),
  product("NIOSSL", "swift-nio-ssl", with: "SharedCache"), product("Crypto", "swift-crypto", with: "SharedCache"),
]

let serve: [Target.Dependency] = [
  product("HummingbirdCore", "hummingbird", with: "Serve"), product("HTTPTypes", "swift-http-types", with: "Serve"),
  product("NIOCore", "swift-nio", with: "Serve"), product("NIOPosix", "swift-nio", with: "Serve"),
  product("NIOHTTP1", "swift-nio", with: "Serve"), product("NIOTLS", "swift-nio", with: "Serve"),
  product("NIOHTTP2", "swift-nio-http2", with: "Serve"), product("NIOExtras", "swift-nio-extras", with: "Serve"),
  product("NIOHTTPTypes", "swift-nio-extras", with: "Serve"),
  product("NIOHTTPTypesHTTP1", "swift-nio-extras", with: "Serve"),
  product("NIOHTTPTypesHTTP2", "swift-nio-extras", with: "Serve"), product("NIOSSL", "swift-nio-ssl", with: "Serve"),
  product("Logging", "swift-log", with: "Serve"),
  product("ServiceLifecycle", "swift-service-lifecycle", with: "Serve"),
]

let fuzzed: [Target.Dependency] =
  [
    "RangeIO", "RangeIOTiers", "RangeIOSpillInspection", "RangeIOTesting", "RangeIOTraces", "RangeIOSupport",
    "RangeIOTool",
    "RangeIORemote", "RangeIOServe", .product(name: "SystemPackage", package: "swift-system"),
  ]
  + ["S3", "Azure", "GCS", "SharedCache"].map {
    .target(name: "RangeIO" + $0, condition: .when(traits: [$0]))
  }

let package = Package(
  name: "swift-range-io",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "RangeIO", targets: ["RangeIO"]),
    .library(name: "RangeIOTiers", targets: ["RangeIOTiers"]),
    .library(name: "RangeIOFoundation", targets: ["RangeIOFoundation"]),
    .library(name: "RangeIOTesting", targets: ["RangeIOTesting"]),
    .library(name: "RangeIOEncrypted", targets: ["RangeIOEncrypted"]),
    .library(name: "RangeIOExecutor", targets: ["RangeIOExecutor"]),
    .library(name: "RangeIOMapped", targets: ["RangeIOMapped"]),
    .library(name: "RangeIOMedia", targets: ["RangeIOMedia"]),
    .library(name: "RangeIORemote", targets: ["RangeIORemote"]),
    .library(name: "RangeIORemoteTesting", targets: ["RangeIORemoteTesting"]),
    .library(name: "RangeIOHTTP", targets: ["RangeIOHTTP"]),
    .library(name: "RangeIOS3", targets: ["RangeIOS3"]),
    .library(name: "RangeIOAzure", targets: ["RangeIOAzure"]),
    .library(name: "RangeIOGCS", targets: ["RangeIOGCS"]),
    .library(name: "RangeIOSharedCache", targets: ["RangeIOSharedCache"]),
    .library(name: "RangeIOTelemetry", targets: ["RangeIOTelemetry"]),
    .library(name: "RangeIONIO", targets: ["RangeIONIO"]),
    .library(name: "RangeIOServe", targets: ["RangeIOServe"]),
    .executable(name: "rangeio", targets: ["RangeIOTool"]),
  ],
  traits: [
    .trait(name: "Tool", description: "RangeIOTool: the program 'rangeio', with swift-argument-parser."),
    .trait(
      name: "HTTP",
      description: "RangeIORemote, RangeIOHTTP: objects behind http:// and https://, with async-http-client."),
    .trait(
      name: "S3", description: "RangeIOS3: objects in S3 and stores like it, with swift-crypto.",
      enabledTraits: ["HTTP"]),
    .trait(
      name: "Azure", description: "RangeIOAzure: blobs of Azure Storage, with swift-crypto.", enabledTraits: ["HTTP"]),
    .trait(
      name: "GCS", description: "RangeIOGCS: objects in Google Cloud Storage, with swift-crypto.",
      enabledTraits: ["HTTP"]),
    .trait(
      name: "Telemetry", description: "RangeIOTelemetry: swift-log, swift-metrics, tracing and service-lifecycle."),
    .trait(name: "NIO", description: "RangeIONIO: Bytes and ByteBuffer, streams as response bodies, with SwiftNIO."),
    .trait(
      name: "SharedCache",
      description: "RangeIOSharedCache: blocks in memcached or Redis, for many machines, with SwiftNIO."),
    .trait(
      name: "Encrypted",
      description: "RangeIOEncrypted: encrypted disk tiers, and encrypted objects, with swift-crypto."),
    .trait(
      name: "Serve", description: "RangeIOServe: byte ranges over HTTP, with Hummingbird; with Tool, 'rangeio serve'.",
      enabledTraits: ["NIO"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    // Those below are fetched only where a trait asks for them.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.36.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.8.0"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
  ],
  targets: [
    .target(name: "CRangeIOSystem", cSettings: countsLocks ? [.define("RANGEIO_COUNT_LOCKS")] : []),
    .systemLibrary(
      name: "CRangeIOLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(
      name: "RangeIO",
      dependencies: [
        "CRangeIOSystem", .product(name: "SystemPackage", package: "swift-system"),
      ],
      // RawLayout: of the lock, `Locked`, as in the standard library's `Synchronization`.
      swiftSettings: strict + checked + [.enableExperimentalFeature("RawLayout")]
        + (countsLocks ? [.define("RANGEIO_COUNT_LOCKS")] : [])),
    // Compressed memory and disks below a store in memory.
    .target(
      name: "RangeIOTiers",
      dependencies: [
        "RangeIO", "CRangeIOSystem",
        // Apple platforms have LZ4 in their library Compression.
        .target(name: "CRangeIOLZ4", condition: .when(platforms: [.linux])),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checked),
    // What a spill directory holds, for the tool and for tests.
    .target(
      name: "RangeIOSpillInspection",
      dependencies: ["RangeIO", "RangeIOTiers", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict + checked),
    // What several products share and none shows: a lock for plugins, work that is done once for all who ask, SHA-256; for
    // stores, credentials that are renewed and signatures.
    .target(
      name: "RangeIOSupport",
      dependencies: [
        "RangeIO", .target(name: "RangeIOFoundation", condition: .when(traits: ["SharedCache", "Encrypted"])),
        .product(
          name: "Crypto", package: "swift-crypto", condition: .when(traits: ["S3", "GCS", "SharedCache", "Encrypted"])),
      ],
      swiftSettings: strict + checked),
    .target(name: "RangeIOFoundation", dependencies: ["RangeIO"], swiftSettings: strict + checked),
    .target(
      name: "RangeIOTesting",
      dependencies: ["RangeIO", "RangeIOTiers", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict + checked),
    // What sources of remote objects are tested with: the suite, over servers on loopback.
    .target(
      name: "RangeIORemoteTesting",
      dependencies: [
        "RangeIO", "RangeIORemote", "RangeIOTesting", "RangeIOSupport",
        .target(name: "RangeIOHTTPTestServer", condition: .when(traits: ["HTTP"])),
      ],
      swiftSettings: strict + checked),
    .target(name: "RangeIOTraces", dependencies: ["RangeIO"], swiftSettings: strict + checked),
    .executableTarget(
      name: "RangeIOTool",
      dependencies: [
        "RangeIO", "RangeIOSupport", "RangeIOTiers", "RangeIOSpillInspection", "RangeIOTraces", "CRangeIOSystem",
        "RangeIORemote", .target(name: "RangeIOHTTP", condition: .when(traits: ["HTTP"])),
        .target(name: "RangeIOS3", condition: .when(traits: ["S3"])),
        .target(name: "RangeIOAzure", condition: .when(traits: ["Azure"])),
        .target(name: "RangeIOGCS", condition: .when(traits: ["GCS"])),
        .target(name: "RangeIOServe", condition: .when(traits: ["Serve"])),
        .target(name: "RangeIOSharedCache", condition: .when(traits: ["SharedCache"])),
        product("Logging", "swift-log", with: "Serve"),
        product("ArgumentParser", "swift-argument-parser", with: "Tool"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checked),
    // A program that tests kill.
    .executableTarget(
      name: "SpillWriter",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOTesting",
        .target(name: "RangeIOEncrypted", condition: .when(traits: ["Encrypted"])),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/SpillWriter", swiftSettings: strict + checked),
    // A program that tests follow.
    .executableTarget(
      name: "Recorder",
      dependencies: ["RangeIO", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/Recorder", swiftSettings: strict + checked),
    // A program that measures what encryption costs.
    .executableTarget(
      name: "EncryptedHit",
      dependencies: [
        "RangeIO", "RangeIOTiers", .target(name: "RangeIOEncrypted", condition: .when(traits: ["Encrypted"])),
      ],
      path: "Tests/EncryptedHit", swiftSettings: strict + checked),
    // A program whose instructions are counted.
    .executableTarget(
      name: "HitCost",
      dependencies: ["RangeIO", "RangeIOTiers", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/HitCost", exclude: ["instructions.txt"], swiftSettings: strict + checked),
    // A program that runs in small control groups.
    .executableTarget(
      name: "Contained",
      dependencies: ["RangeIO", "RangeIOTiers", .target(name: "RangeIOHTTP", condition: .when(traits: ["HTTP"]))],
      path: "Tests/Contained", swiftSettings: strict + checked),
    // A program that reads in one process what servers and mounts answer oddly.
    .executableTarget(
      name: "Reads",
      dependencies: ["RangeIO", .target(name: "RangeIOHTTP", condition: .when(traits: ["HTTP"]))],
      path: "Tests/Situations/Reads", swiftSettings: strict + checked),
    // What the tests of the core share, and those of plugins that read files. A test target without tests: `swift build -c
    // release` leaves those out, and `@testable` does not compile in it.
    .testTarget(
      name: "RangeIOTestSupport",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOTesting", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/RangeIOTestSupport", swiftSettings: strict + checked),
    // Simulations, models and golden replays: millions of steps, so compiled with optimisation.
    .testTarget(
      name: "RangeIOModelTests",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOTesting", "RangeIOTestSupport", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOTests",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOTesting", "RangeIOTestSupport", "RangeIOTraces", "CRangeIOSystem",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Golden"],
      sources: part.map { $0.filter { !$0.hasPrefix("RangeIO") } },
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOTiersTests",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOSpillInspection", "RangeIOTesting", "RangeIOTestSupport", "CRangeIOSystem",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Golden"], swiftSettings: strict + checkedTests),
    // What takes bytes of strangers, fed at random: scripts/fuzz.sh feeds it with libFuzzer.
    .testTarget(
      name: "RangeIOFuzzTests", dependencies: fuzzed, path: "Tests/RangeIOFuzzTests", exclude: ["Corpora"],
      swiftSettings: strict + checked),
    // Directories that are encrypted as users have them: forged, flipped, copied, with keys that are wrong. Sees the format, and
    // so is not among the plugin's tests.
    .testTarget(
      name: "RangeIOEncryptedSpillTests",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOSpillInspection", "RangeIOTesting", "RangeIOTestSupport",
        .target(name: "RangeIOEncrypted", condition: .when(traits: ["Encrypted"])),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Golden"], swiftSettings: strict + checkedTests),
    // What waits for the system, in its own time: other processes, watches, timers. Run one suite at a time.
    .testTarget(
      name: "RangeIOSystemTests",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOSpillInspection", "RangeIOTesting", "RangeIOTestSupport", "SpillWriter",
        "Recorder",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOSupportTests", dependencies: ["RangeIO", "RangeIOSupport", "RangeIOTestSupport"],
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOFoundationTests", dependencies: ["RangeIO", "RangeIOFoundation"],
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOTestingTests",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict + checkedTests),
    // Sees no more of the library than its users do.
    .testTarget(
      name: "RangeIOPublicTests", dependencies: ["RangeIO", "RangeIOTesting"], packageAccess: false,
      swiftSettings: strict + checkedTests),
    .testTarget(
      name: "RangeIOToolTests",
      dependencies: [
        "RangeIO", "RangeIOSupport", "RangeIOTiers", "RangeIOTool", "RangeIOTraces", "CRangeIOSystem",
        .target(name: "RangeIOHTTPTestServer", condition: .when(traits: ["HTTP"])),
        .target(name: "RangeIOHTTP", condition: .when(traits: ["HTTP"])),
        product("NIOCore", "swift-nio", with: "Serve"), product("NIOPosix", "swift-nio", with: "Serve"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
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
        "RangeIOMapped", "CRangeIOMapped", "RangeIO", "RangeIOTesting", "RangeIOTestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Plugins/RangeIOMapped/Tests/RangeIOMappedTests", packageAccess: false, swiftSettings: strict + checkedTests
    ),
    // For players, and code that takes URLs. Apart from RangeIOFoundation, since it links AVFoundation, and on Linux libcurl.
    .target(
      name: "RangeIOMedia", dependencies: ["RangeIO", "RangeIOFoundation", "RangeIOSupport"],
      path: "Plugins/RangeIOMedia/Sources/RangeIOMedia", packageAccess: false, swiftSettings: strict + checked),
    // Optimised, since it has a model.
    .testTarget(
      name: "RangeIOMediaTests",
      dependencies: ["RangeIOMedia", "RangeIO", "RangeIOTesting", "RangeIOTestSupport"],
      path: "Plugins/RangeIOMedia/Tests/RangeIOMediaTests", packageAccess: false, swiftSettings: strict + checked),
    .target(name: "CRangeIOExecutor", path: "Plugins/RangeIOExecutor/Sources/CRangeIOExecutor"),
    .target(
      name: "RangeIOExecutor",
      dependencies: ["RangeIO", "CRangeIOExecutor", .product(name: "SystemPackage", package: "swift-system")],
      path: "Plugins/RangeIOExecutor/Sources/RangeIOExecutor", packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOExecutorTests",
      dependencies: [
        "RangeIOExecutor", "RangeIO", "RangeIOTesting", "RangeIOTestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Plugins/RangeIOExecutor/Tests/RangeIOExecutorTests", packageAccess: false,
      swiftSettings: strict + checkedTests),
    // What sources of remote objects are made of: the one plugin that others import, and that may use what is `package`.
    .target(
      name: "RangeIORemote",
      dependencies: ["RangeIO", "RangeIOSupport", .product(name: "SystemPackage", package: "swift-system")] + http
        + http2,
      path: "Plugins/RangeIORemote/Sources/RangeIORemote", swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIORemoteTests", dependencies: ["RangeIORemote", "RangeIO", "RangeIOSupport"] + http,
      path: "Plugins/RangeIORemote/Tests/RangeIORemoteTests", swiftSettings: strict + checked),
    .target(
      name: "RangeIOHTTP", dependencies: ["RangeIO", "RangeIORemote"],
      path: "Plugins/RangeIOHTTP/Sources/RangeIOHTTP", packageAccess: false, swiftSettings: strict + checked),
    // Servers on loopback: one that lies by a seed, a link with latency and a rate, and nginx, Apache and moto.
    .target(
      name: "RangeIOHTTPTestServer",
      dependencies: ["RangeIOSupport"] + http + http2,
      path: "Tests/RangeIOHTTPTestServer", swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOHTTPTests",
      dependencies: [
        "RangeIOHTTP", "RangeIORemote", "RangeIORemoteTesting", "RangeIOHTTPTestServer", "RangeIO", "RangeIOTesting",
        "RangeIOTestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ] + http,
      path: "Plugins/RangeIOHTTP/Tests/RangeIOHTTPTests", packageAccess: false, swiftSettings: strict + checkedTests),
    .target(
      name: "RangeIOS3",
      dependencies: ["RangeIO", "RangeIORemote", "RangeIOSupport", product("Crypto", "swift-crypto", with: "S3")],
      path: "Plugins/RangeIOS3/Sources/RangeIOS3", packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOS3Tests",
      dependencies: [
        "RangeIOS3", "RangeIORemote", "RangeIOSupport", "RangeIORemoteTesting", "RangeIOHTTPTestServer", "RangeIO",
        "RangeIOTesting",
        "RangeIOTestSupport", product("Crypto", "swift-crypto", with: "S3"),
        .product(name: "SystemPackage", package: "swift-system"),
      ] + http,
      path: "Plugins/RangeIOS3/Tests/RangeIOS3Tests", packageAccess: false, swiftSettings: strict + checkedTests),
    .target(
      name: "RangeIOAzure",
      dependencies: ["RangeIO", "RangeIORemote", "RangeIOSupport", product("Crypto", "swift-crypto", with: "Azure")],
      path: "Plugins/RangeIOAzure/Sources/RangeIOAzure", packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOAzureTests",
      dependencies: [
        "RangeIOAzure", "RangeIORemote", "RangeIOSupport", "RangeIORemoteTesting", "RangeIOHTTPTestServer", "RangeIO",
        "RangeIOTesting",
        "RangeIOTestSupport", product("Crypto", "swift-crypto", with: "Azure"),
        .product(name: "SystemPackage", package: "swift-system"),
      ] + http,
      path: "Plugins/RangeIOAzure/Tests/RangeIOAzureTests", packageAccess: false, swiftSettings: strict + checkedTests),
    .target(
      name: "RangeIOGCS",
      dependencies: [
        "RangeIO", "RangeIORemote", "RangeIOSupport", product("Crypto", "swift-crypto", with: "GCS"),
        product("_CryptoExtras", "swift-crypto", with: "GCS"),
      ],
      path: "Plugins/RangeIOGCS/Sources/RangeIOGCS", packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOGCSTests",
      dependencies: [
        "RangeIOGCS", "RangeIORemote", "RangeIORemoteTesting", "RangeIOSupport", "RangeIOHTTPTestServer", "RangeIO",
        "RangeIOTesting", .product(name: "SystemPackage", package: "swift-system"),
      ] + http,
      path: "Plugins/RangeIOGCS/Tests/RangeIOGCSTests", packageAccess: false, swiftSettings: strict + checkedTests),
    .target(
      name: "RangeIOTelemetry", dependencies: ["RangeIO", "RangeIOSupport"] + telemetry,
      path: "Plugins/RangeIOTelemetry/Sources/RangeIOTelemetry", packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOTelemetryTests",
      dependencies: [
        "RangeIOTelemetry", "RangeIO", "RangeIOTiers", "RangeIOTesting",
        product("MetricsTestKit", "swift-metrics", with: "Telemetry"),
        product("InMemoryTracing", "swift-distributed-tracing", with: "Telemetry"),
        product("InMemoryLogging", "swift-log", with: "Telemetry"),
        product("ServiceLifecycleTestKit", "swift-service-lifecycle", with: "Telemetry"),
      ] + telemetry,
      path: "Plugins/RangeIOTelemetry/Tests/RangeIOTelemetryTests", packageAccess: false,
      swiftSettings: strict + checkedTests),
    .target(
      name: "RangeIOSharedCache", dependencies: ["RangeIO", "RangeIOSupport"] + sharedCache,
      path: "Plugins/RangeIOSharedCache/Sources/RangeIOSharedCache", packageAccess: false,
      swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOSharedCacheTests", dependencies: ["RangeIOSharedCache", "RangeIO", "RangeIOTesting"] + sharedCache,
      path: "Plugins/RangeIOSharedCache/Tests/RangeIOSharedCacheTests", packageAccess: false,
      swiftSettings: strict + checkedTests),
    .target(
      name: "RangeIOEncrypted",
      dependencies: [
        "RangeIO", "RangeIOTiers", "RangeIOSupport", product("Crypto", "swift-crypto", with: "Encrypted"),
        product("_CryptoExtras", "swift-crypto", with: "Encrypted"),
      ],
      path: "Plugins/RangeIOEncrypted/Sources/RangeIOEncrypted", packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOEncryptedTests",
      dependencies: [
        "RangeIOEncrypted", "RangeIO", "RangeIOTiers", "RangeIOSupport", "RangeIOTesting", "RangeIOTestSupport",
      ],
      path: "Plugins/RangeIOEncrypted/Tests/RangeIOEncryptedTests", packageAccess: false,
      swiftSettings: strict + checkedTests),
    .target(
      name: "RangeIONIO", dependencies: ["RangeIO"] + nio, path: "Plugins/RangeIONIO/Sources/RangeIONIO",
      packageAccess: false, swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIONIOTests",
      dependencies: [
        "RangeIONIO", "RangeIO", "RangeIOTesting", product("NIOPosix", "swift-nio", with: "NIO"),
        product("NIOHTTP1", "swift-nio", with: "NIO"), product("NIOEmbedded", "swift-nio", with: "NIO"),
      ] + nio,
      path: "Plugins/RangeIONIO/Tests/RangeIONIOTests", packageAccess: false, swiftSettings: strict + checkedTests),
    // Serves what readers read, over HTTP. May use what is `package`, as RangeIORemote may.
    .target(
      name: "RangeIOServe",
      dependencies: [
        "RangeIO", "RangeIORemote", "RangeIOSupport", "CRangeIOSystem",
        .target(name: "RangeIONIO", condition: .when(traits: ["Serve"])),
        .product(name: "SystemPackage", package: "swift-system"),
      ] + serve,
      path: "Plugins/RangeIOServe/Sources/RangeIOServe", swiftSettings: strict + checked),
    .testTarget(
      name: "RangeIOServeTests",
      dependencies: [
        "RangeIOServe", "RangeIORemote", "RangeIOSupport", "RangeIOHTTPTestServer", "RangeIO", "RangeIOTesting",
        "CRangeIOSystem", product("NIOEmbedded", "swift-nio", with: "Serve"),
        product("NIOHPACK", "swift-nio-http2", with: "Serve"), .product(name: "SystemPackage", package: "swift-system"),
      ] + serve,
      path: "Plugins/RangeIOServe/Tests/RangeIOServeTests", swiftSettings: strict + checkedTests),
  ],
  swiftLanguageModes: [.v6]
)

/// The examples, for the checks: compiled once with the library, not as packages of their own, each of which compiles it
/// anew. Needs the trait HTTP, and the headers of sqlite, zstd and zlib.
if Context.environment["RANGEIO_EXAMPLES"] == "1" {
  let range: [Target.Dependency] = ["RangeIO", "RangeIOTiers", "RangeIORemote"]
  let formats: [Target.Dependency] = ["FormatSupport", "ZIPFormat", "PMTilesFormat", "ParquetFormat"]
  for (name, folder, pkgConfig) in [
    ("CSQLite", "SQLiteStore", "sqlite3"), ("CZstd", "ZstdCodec", "libzstd"), ("CZlib", "RemoteFormats", "zlib"),
  ] {
    package.targets.append(
      .systemLibrary(name: name, path: "Examples/\(folder)/Sources/\(name)", pkgConfig: pkgConfig))
  }
  for (kind, folder, names, dependencies) in [
    ("Sources", "CachedReader", ["CachedReader"], []),
    ("Sources", "CustomStage", ["CustomStage"], []),
    ("Sources", "SQLiteStore", ["SQLiteStore"], ["CSQLite", "RangeIOTesting"]),
    ("Sources", "ZstdCodec", ["ZstdCodec"], ["CZstd"]),
    ("Sources", "OwnRemote", ["OwnRemote"], [product("Crypto", "swift-crypto", with: "HTTP")]),
    ("Tests", "OwnRemote", ["OwnRemoteTests"], ["OwnRemote", "RangeIORemoteTesting"]),
    ("Sources", "RemoteFormats", ["FormatSupport"], ["CZlib", "RangeIOHTTP"]),
    ("Sources", "RemoteFormats", ["ZIPFormat", "PMTilesFormat", "ParquetFormat"], ["FormatSupport"]),
    ("Sources", "RemoteFormats", ["remote-zip", "remote-pmtiles", "remote-parquet"], formats),
    ("Tests", "RemoteFormats", ["RemoteFormatsTests"], formats),
  ] as [(String, String, [String], [Target.Dependency])] {
    for name in names {
      let (path, all) = ("Examples/\(folder)/\(kind)/\(name)", range + dependencies)
      package.targets.append(
        kind == "Tests"
          ? .testTarget(
            name: name, dependencies: all, path: path, packageAccess: folder == "RemoteFormats",
            swiftSettings: checkedTests)
          : name.hasSuffix("Format") || name.hasSuffix("Support")
            ? .target(
              name: name, dependencies: all, path: path, packageAccess: folder == "RemoteFormats",
              swiftSettings: checkedTests)
            : .executableTarget(
              name: name, dependencies: all, path: path, packageAccess: folder == "RemoteFormats",
              swiftSettings: checkedTests))
    }
  }
}

/// The program of scripts/fuzz.sh, in place of all tests: the tool is a library of it, since its journals are fed too.
if Context.environment["RANGEIO_FUZZER"] == "1" {
  package.targets.removeAll { $0.type == .test || $0.name == "RangeIORemoteTesting" }
  package.products.removeAll { ["rangeio", "RangeIORemoteTesting"].contains($0.name) }
  let tool = package.targets.first { $0.name == "RangeIOTool" }!
  package.targets.removeAll { $0.type == .executable }
  package.targets += [
    .target(
      name: tool.name, dependencies: tool.dependencies,
      swiftSettings: strict + checked
        + [.unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "rangeio_main"])]),
    .target(
      name: "RangeIOFuzzTargets", dependencies: fuzzed, path: "Tests/RangeIOFuzzTests/Targets",
      swiftSettings: strict + checked),
    .executableTarget(
      name: "Fuzzer", dependencies: ["RangeIOFuzzTargets"], path: "Tests/Fuzzer",
      // It has a `main` of its own.
      swiftSettings: strict + checked + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
  ]
  // Only what is fed counts its edges: libFuzzer clears and reads all counters for each input, and dependencies have over a
  // million. Of several sanitizers the compiler takes the last, so the other one stands here again.
  for target in package.targets where [.regular, .executable].contains(target.type) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=fuzzer,address"])]
  }
}

// The Swift Package Index makes its pages without naming traits. In these all is to be seen.
if Context.environment["SPI_GENERATE_DOCS"] != nil {
  package.traits.insert(.default(enabledTraits: Set(package.traits.map(\.name))))
}

if let part {
  package.targets.removeAll { target in
    target.type == .test && !part.contains(target.name) && target.name != "RangeIOTestSupport"
      && (target.name != "RangeIOTests" || part.allSatisfy { $0.hasPrefix("RangeIO") })
  }
}

// Brings Tests/Checked/XCTMain.swift along, which is told there.
if isChecked, Context.environment["RANGEIO_FUZZER"] != "1" {
  package.targets.append(
    .testTarget(
      name: "CheckedBuildTests", path: "Tests/Checked/CheckedBuildTests", swiftSettings: strict + checked))
}
