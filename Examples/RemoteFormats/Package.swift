// swift-tools-version: 6.3
import PackageDescription

let rangeIO: Target.Dependency = .product(name: "RangeIO", package: "swift-range-io")
/// What opening a remote object brings along. Without the trait HTTP it needs nothing but RangeIO.
let remote: Target.Dependency = .product(name: "RangeIORemote", package: "swift-range-io")

/// A program, and the library that knows its format.
func program(_ name: String, _ format: String) -> Target {
  .executableTarget(name: name, dependencies: [.target(name: format), "FormatSupport", rangeIO])
}

let package = Package(
  name: "RemoteFormats",
  platforms: [.macOS(.v15)],
  traits: [
    .trait(
      name: "HTTP", description: "Reads http:// and https:// too. Without it only files, and no HTTP client is built.")
  ],
  dependencies: [
    .package(name: "swift-range-io", path: "../..", traits: [.trait(name: "HTTP", condition: .when(traits: ["HTTP"]))])
  ],
  targets: [
    // In the SDK of Apple platforms, and the package zlib1g-dev of Debian.
    .systemLibrary(name: "CZlib"),
    .target(
      name: "FormatSupport",
      dependencies: [
        "CZlib", rangeIO, remote,
        .product(name: "RangeIOHTTP", package: "swift-range-io", condition: .when(traits: ["HTTP"])),
      ]),
    .target(name: "ZIPFormat", dependencies: ["FormatSupport", rangeIO, remote]),
    .target(name: "PMTilesFormat", dependencies: ["FormatSupport", rangeIO, remote]),
    .target(name: "ParquetFormat", dependencies: ["FormatSupport", rangeIO, remote]),
    program("remote-zip", "ZIPFormat"),
    program("remote-pmtiles", "PMTilesFormat"),
    program("remote-parquet", "ParquetFormat"),
    .testTarget(
      name: "RemoteFormatsTests",
      dependencies: ["FormatSupport", "ZIPFormat", "PMTilesFormat", "ParquetFormat", rangeIO]),
  ]
)
