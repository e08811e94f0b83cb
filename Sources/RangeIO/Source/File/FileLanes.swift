import CRangeIOSystem
import Synchronization
import SystemPackage

/// An open file with the three ways to read it.
final class FileLanes: Sendable {
  let file: OpenFile
  let kind: FileOpening.Kind
  let resident: ResidentLane
  let positional: PositionalLane
  private let gate: UseGate
  private let waiting: WaitingList
  /// Made when first needed: point reads of resident files never open a channel.
  private let dispatchIO = Mutex<DispatchIOLane?>(nil)
  /// The description handed out last, to hand it out again while nothing changes.
  private let described = Mutex<SourceDescription?>(nil)

  init(_ opened: FileOpening.Opened, threads: IOThreads, gate: UseGate, waiting: WaitingList) {
    file = opened.file
    kind = opened.kind
    self.gate = gate
    self.waiting = waiting
    resident = ResidentLane(opened.file)
    positional = PositionalLane(opened.file, threads: threads, gate: gate, waiting: waiting)
  }

  func dispatchIOLane() throws(ReadError) -> DispatchIOLane {
    let made: Result<DispatchIOLane, ReadError> = dispatchIO.withLock { lane in
      if let lane { return .success(lane) }
      do throws(ReadError) {
        let new = try DispatchIOLane(file, gate: gate, waiting: waiting)
        lane = new
        return .success(new)
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }

  /// What the file is now.
  func describe(blockSize: Int) throws(ReadError) -> SourceDescription {
    let status = try file.status()
    switch kind {
    case .blockDevice:
      let size = rio_device_size(file.descriptor)
      guard size >= 0 else {
        throw .errno(Errno(result: Int(size)), "ask for the size of the device", .init(source: file.name))
      }
      return SourceDescription(
        id: "device:\(status.device):\(status.inode)", validator: nil, byteCount: Int(size),
        preferredBlockSize: blockSize)
    case .regular:
      let version = FileVersion(status)
      let (now, tick) = file.syscalls.wallClock()
      let isSettled = version.isSettled(at: now, tick: tick)
      return described.withLock { described in
        if let last = described, last.isSettled == isSettled, FileSnapshot.of(last)?.version == version { return last }
        let new = SourceDescription(
          id: "file:\(version.device):\(version.inode)", validator: version, byteCount: version.size,
          preferredBlockSize: blockSize, mayGrow: true, isSettled: isSettled, context: FileSnapshot(version))
        described = new
        return new
      }
    }
  }

  /// Stops what waits in the DispatchIO channel.
  func stop() { dispatchIO.withLock { $0 }?.stop() }

  /// Closes both descriptors. The lanes have been stopped, and the gate has drained.
  func close() async throws {
    try await dispatchIO.withLock { $0 }?.drained()
    file.close()
  }
}

/// The version that a description speaks of, where ``FileSource`` finds it again without a dynamic cast.
final class FileSnapshot: Sendable {
  let version: FileVersion

  init(_ version: FileVersion) { self.version = version }

  static func of(_ source: SourceDescription) -> FileSnapshot? {
    guard let context = source.context, type(of: context) == FileSnapshot.self else { return nil }
    return unsafeDowncast(context, to: FileSnapshot.self)
  }
}
