import SystemPackage

/// The file of a trace that is being recorded. After a failure it has the reads before that, and takes no more.
struct TraceFile: ~Copyable {
  /// As the user gave it, for errors.
  private let path: String
  private let file: any SpillFile
  private var encoder = TraceEncoder()
  private var end = TraceEncoder.headerSize
  private var failure: Errno?
  private var isFinished = false
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - path: as the user gave it.
  ///   - file: what ``create(_:disk:)`` returned.
  init(_ path: String, _ file: any SpillFile) {
    self.path = path
    self.file = file
  }

  /// Creates the file, with a header.
  static func create(_ path: FilePath, disk: any SpillDisk) throws(ReadError) -> any SpillFile {
    let expanded = try FilePathExpansion.expand(path)
    guard let last = expanded.lastComponent, last.kind == .regular, let name = String(validating: last) else {
      throw ReadError(
        .unsupportedSource, "cannot record a trace there: name a file", context: .init(source: path.string))
    }
    let parent = expanded.removingLastComponent()
    do throws(Errno) {
      let file = try disk.openDirectory(parent.isEmpty ? "." : parent).create(name)
      try write(TraceEncoder.openHeader, at: 0, to: file)
      return file
    } catch {
      guard error != .fileExists else {
        throw ReadError(
          .unsupportedSource, "cannot record a trace there: the file exists; choose another name, or remove it",
          context: .init(source: path.string))
      }
      throw .errno(error, "create the trace", .init(source: path.string))
    }
  }

  /// Appends reads to the file. Returns whether they were written. After a failure, no more are.
  mutating func append(_ reads: [ByteRange]) -> Bool {
    guard failure == nil else { return false }
    guard !reads.isEmpty else { return true }
    bytes.removeAll(keepingCapacity: true)
    for read in reads { encoder.encode(read, into: &bytes) }
    do throws(Errno) {
      try Self.write(bytes, at: end, to: file)
      end += bytes.count
    } catch {
      failure = error
    }
    return failure == nil
  }

  /// Writes the number of reads into the header. Throws if that fails, or if a write failed before.
  mutating func finish() throws(ReadError) {
    guard !isFinished else { return }
    isFinished = true
    if failure == nil {
      do throws(Errno) {
        try Self.write(encoder.totals, at: TraceEncoder.totalsOffset, to: file)
      } catch {
        failure = error
      }
    }
    if let failure { throw .errno(failure, "write the trace", .init(source: path)) }
  }

  private static func write(_ bytes: [UInt8], at offset: Int, to file: any SpillFile) throws(Errno) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(Errno) in try file.write([buffer], at: offset) }
    }
    try result.get()
  }
}
