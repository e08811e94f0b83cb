// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SQLiteStore",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-range-io", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .executableTarget(
      name: "SQLiteStore",
      dependencies: [
        "CSQLite", .product(name: "RangeIO", package: "swift-range-io"),
        .product(name: "RangeIOTiers", package: "swift-range-io"),
        .product(name: "RangeIOTesting", package: "swift-range-io"),
      ]),
  ]
)
