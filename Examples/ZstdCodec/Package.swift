// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "ZstdCodec",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-range-io", path: "../..")],
  targets: [
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .executableTarget(
      name: "ZstdCodec",
      dependencies: [
        "CZstd", .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIOTiers", package: "swift-range-io"),
      ]),
  ]
)
