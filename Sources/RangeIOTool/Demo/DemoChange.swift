#if Tool
import RangeIO
import SystemPackage

/// A file that another program rewrites between two reads: neither a reader nor ``PlainFile`` may return its new bytes as those of
/// the version that was opened. The file is made for this, and removed.
struct DemoChange {
  let engine: FileSource.Engine

  private static let rounds = 5
  private static let size = 65_536

  func run(_ comparison: inout DemoComparison) async throws -> DemoReport.Row {
    var row = DemoReport.Row(name: "notice a change")
    for _ in 0..<Self.rounds {
      let file = try ChangingFile()
      let plain = try PlainFile(file.path)
      let reader = try await RangeReader(FileSource(file.path, engine: engine))
      let range = 0..<Self.size
      comparison.compared(try await reader.read(range), at: 0, with: try await plain.read(range))
      try file.write(2)
      var start = ContinuousClock.now
      do {
        _ = try await reader.read(range)
        comparison.missesChange = true
      } catch let error as ReadError where error.code == .sourceChanged {
        row.time += ContinuousClock.now - start
      }
      start = ContinuousClock.now
      do {
        _ = try await plain.read(range)
        comparison.missesChange = true
      } catch is ToolFailure {
        row.plainTime += ContinuousClock.now - start
      }
      row.reads += 1
      await reader.close()
    }
    return row
  }

  /// A new file, an hour old, in the directory for temporary files.
  private final class ChangingFile {
    let path: String
    private let descriptor: CInt

    init() throws {
      let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
      var name = Array("\(directory)/rangeio-demo-XXXXXX".utf8CString)
      descriptor = mkstemp(&name)
      path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard descriptor >= 0 else {
        let reason = Errno(rawValue: errno).description.lowercased()
        throw ToolFailure("cannot make a file in \(directory): \(reason): set TMPDIR to another directory")
      }
      try write(1)
      // Two writes within a tick of the clock that stamps files would leave the same time.
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return }
      var times = [Platform.times(status).0, Platform.times(status).0]
      for index in times.indices { times[index].tv_sec -= 3600 }
      futimens(descriptor, times)
    }

    deinit {
      close(descriptor)
      unlink(path)
    }

    func write(_ byte: UInt8) throws {
      let bytes = [UInt8](repeating: byte, count: DemoChange.size)
      guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
        throw ToolFailure("cannot write to \(path): \(Errno(rawValue: errno).description.lowercased())")
      }
    }
  }
}
#endif
