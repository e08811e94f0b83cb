import SystemPackage

/// Reads that wait for the disk, with `pread` on the library's own threads. See pread(2).
final class PositionalLane: FileLane {
  private let context: LaneContext

  init(_ context: LaneContext) { self.context = context }

  var name: LaneName { .positional }

  func fill(_ reads: inout [FileRead]) async throws {
    // Here, since each thread has blocks at hand that it has freed.
    for index in reads.indices where !reads[index].isWhole { try reads[index].allocate(from: context.pool) }
    try await context.fill(&reads) { [file = context.file] read, goOn in
      if let device = read.begun?.device, device.isOpen {
        try device.watch { () throws(Errno) in
          _ = try read.fillWithResident(upTo: read.range.count, of: file.descriptor, file.syscalls)
          return read.isWhole
        }
      }
      try read.fill(inPiecesOf: LaneThreshold.waitingPiece, of: file, goOn)
    }
  }
}
