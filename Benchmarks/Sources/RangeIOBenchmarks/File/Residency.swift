import CBenchmarkPeers

/// Puts the start of the file into the page cache or takes it out, and looks (`mincore`) whether that is so.
struct Residency: Sendable {
  private let descriptor: CInt
  private let pageSize = Int(bench_page_size())

  init(_ file: BenchmarkFile) throws {
    descriptor = try file.open()
    try SystemFailure.check(Int64(bench_sync(descriptor)), "write the benchmark's file to disk")
  }

  /// How many of the file's first `extent` bytes are in the page cache.
  func residentBytes(_ extent: Int) throws -> Int {
    try pageSize * Int(SystemFailure.check(bench_resident_pages(descriptor, Int64(extent)), "look at the page cache"))
  }

  /// Whether the file's first `extent` bytes are as `temperature` says.
  func isAs(_ temperature: Cell.Temperature, _ extent: Int) throws -> Bool {
    switch temperature {
    case .resident: try residentBytes(extent) >= extent
    case .cold: try residentBytes(extent) == 0
    case .memory: true
    }
  }

  /// Makes the file's first `extent` bytes as `temperature` says.
  ///
  /// - Throws: `Uncontrollable` if they are not so after several attempts: no figure may be taken then.
  func establish(_ temperature: Cell.Temperature, _ extent: Int) throws {
    for _ in 0..<5 {
      if try isAs(temperature, extent) { return }
      switch temperature {
      case .memory: return
      case .resident:
        try SystemFailure.check(
          bench_pread_stream(descriptor, Int64(extent), 1 << 20, true, false), "read the benchmark's file")
      case .cold:
        try SystemFailure.check(
          Int64(bench_drop_cache(descriptor, Int64(extent))), "drop the benchmark's file from the page cache")
      }
    }
    guard try isAs(temperature, extent) else { throw Uncontrollable(temperature: temperature) }
  }

  /// The page cache does not do as it is told.
  struct Uncontrollable: Error, CustomStringConvertible {
    let temperature: Cell.Temperature

    var description: String {
      switch temperature {
      case .resident, .memory: "the file does not stay in the page cache: free memory, 2 GiB more than the file has"
      case .cold: "the file does not leave the page cache: name a directory on a disk with --directory"
      }
    }
  }
}
