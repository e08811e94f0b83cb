import CBenchmarkPeers

/// Puts the file into the page cache or takes it out, and looks (`mincore`) whether that is so.
struct Residency: Sendable {
  private let file: BenchmarkFile
  private let descriptor: CInt
  private let pageSize = Int(bench_page_size())
  /// Pages of the file.
  private let pages: Int

  init(_ file: BenchmarkFile) throws {
    self.file = file
    descriptor = try file.open()
    pages = (file.byteCount + pageSize - 1) / pageSize
    try SystemFailure.check(Int64(bench_sync(descriptor)), "write the benchmark's file to disk")
  }

  /// Bytes of the file that are in the page cache.
  func residentBytes() throws -> Int { try residentPages() * pageSize }

  private func residentPages() throws -> Int {
    Int(try SystemFailure.check(bench_resident_pages(descriptor, Int64(file.byteCount)), "look at the page cache"))
  }

  /// Whether the file is as `temperature` says.
  func isAs(_ temperature: Cell.Temperature) throws -> Bool {
    try residentPages() == (temperature == .resident ? pages : 0)
  }

  /// Makes the file as `temperature` says.
  ///
  /// - Throws: `Uncontrollable` if it is not so after several attempts: no figure may be taken then.
  func establish(_ temperature: Cell.Temperature) throws {
    for _ in 0..<5 {
      if try isAs(temperature) { return }
      switch temperature {
      case .resident:
        try SystemFailure.check(
          bench_pread_stream(descriptor, Int64(file.byteCount), 1 << 20, true), "read the benchmark's file")
      case .cold:
        try SystemFailure.check(
          Int64(bench_drop_cache(descriptor, Int64(file.byteCount))), "drop the benchmark's file from the page cache")
      }
    }
    guard try isAs(temperature) else { throw Uncontrollable(temperature: temperature) }
  }

  /// The page cache does not do as it is told.
  struct Uncontrollable: Error, CustomStringConvertible {
    let temperature: Cell.Temperature

    var description: String {
      switch temperature {
      case .resident: "the file does not stay in the page cache: free 2 GiB of memory"
      case .cold: "the file does not leave the page cache: name a directory on a disk with --directory"
      }
    }
  }
}
