#if Tool
import RangeIO

/// Copies a source to a file: opens both, transfers what is missing, verifies, and puts the file in place.
struct CopyWork {
  let source: SourceName
  let file: String
  let opening: OpeningOptions
  var parallel = 8
  /// The expected SHA-256.
  var digest: [UInt8]?
  var bytesPerSecond: Int?
  var restarts = false
  var force = false

  private var growth: Growth { opening.isAppendOnly ? .followed : .refused }

  func run() async throws {
    let target = try CopyTarget(PathArgument.path(file, for: "the target"), naming: source.lastName, force: force)
    let opened = try OpenedSource(source, opening)
    // For opening: what is transferred is tried again with what has arrived.
    let retries = CopyRetries(opening.remote)
    let stages: ReadPipeline =
      opened.isRemote
      ? [retries.timeLimit.map { .timeLimit($0) } ?? [], .retrying(maxAttempts: retries.limit)] : []
    try await withReader(source, of: opened.source, growth: growth, stages, orAll: { try await copyAll(target, $0) }) {
      reader in
      for path in [target.path, target.part, target.journal] {
        try await SourceGuard.check(
          path, isNot: reader.source, complaint: "the target is the source itself: choose another one")
      }
      try await copy(opened, reader, target)
    }
  }

  /// Copies what has no length: all of it, once.
  private func copyAll(_ target: CopyTarget, _ error: ReadError) async throws {
    guard digest == nil, bytesPerSecond == nil else { throw error }
    var copying = Copying(source: source, selections: [.whole], options: opening, force: force)
    copying.isForced = true
    try await readingAll(source, opening, error, copying.all(to: target.path))
  }

  private func copy(_ opened: OpenedSource, _ reader: RangeReader, _ target: CopyTarget) async throws {
    let layout = CopyLayout(byteCount: reader.byteCount)
    let wanted = CopyJournal.Identity(reader.source, layout)
    let found = try look(target, wanted, layout)
    tell(found, target)
    let advice =
      found.journal == nil
      ? "nothing is kept, since the source has no version by which it could be trusted: the same command starts over"
      : "what has arrived is kept: run the same command again to go on"
    Interrupts.shared.advise(Complaint.oneLine("rangeio: \(file): interrupted; \(advice)"))
    let plan = CopyPlan(
      found.layout, requests(found.layout, opened, reader.source), finished: found.finished, journal: found.journal)
    do {
      let progress = CopyProgress(source.shown, total: layout.byteCount, done: plan.finishedBytes)
      let transfer = CopyTransfer(
        opened, reader, to: found.file, plan, bytesPerSecond.map { CopyPace(bytesPerSecond: $0) }, progress,
        CopyRetries(opening.remote))
      try await transfer.passHoles()
      if bytesPerSecond == nil {
        try await tellingOfSilence(of: source, { reader.statistics().source }) { try await transfer.run() }
      } else {
        // It pauses by itself.
        try await transfer.run()
      }
      // A source without versions cannot tell of a change in its reads.
      if reader.source.validator == nil { try await reader.refresh() }
    } catch {
      throw keeping(found, error)
    }
    try verify(found.file, layout.byteCount, target)
    try found.file.finish(layout.byteCount)
  }

  private func requests(_ layout: CopyLayout, _ opened: OpenedSource, _ source: SourceDescription) -> CopyRequests {
    // What comes only in its order is asked for in its order.
    let parallel = source.isReadForward ? 1 : parallel
    let requests =
      opened.arriving != nil
      ? CopyRequests.arriving(parallel) : .whole(parallel, of: layout, isFar: opened.isRemote)
    return bytesPerSecond.map { requests.limited(to: $0) } ?? requests
  }

  /// Looks at what an earlier run has left.
  private func look(
    _ target: CopyTarget, _ wanted: CopyJournal.Identity?, _ layout: CopyLayout
  ) throws -> PartFile.Opened {
    var progress = Progress("checking what is there of \(file)", total: layout.byteCount, showsRate: false)
    defer { progress.clear() }
    return try PartFile.open(target, wanted, layout, restarts: restarts) { count in
      progress.advance(count)
      try Task.checkCancellation()
    }
  }

  private func tell(_ found: PartFile.Opened, _ target: CopyTarget) {
    switch found.beginning {
    case .new: break
    case .startOver(let reason):
      StandardError.note(Complaint.oneLine("rangeio: \(file): \(reason.rawValue): starting over"))
    case .goOn:
      let there = Figures.size(found.layout.byteCount(of: found.finished.ranges))
      let all = Figures.size(found.layout.byteCount)
      StandardError.note(Complaint.oneLine("rangeio: \(file): going on, \(there) of \(all) are there"))
    }
  }

  /// `error`, after which what has arrived is kept for the next run if that can use it, and removed if not.
  private func keeping(_ found: PartFile.Opened, _ error: any Error) -> any Error {
    let isUseless = found.journal == nil || (error as? ReadError)?.code == .sourceChanged
    if isUseless { found.file.discard() }
    let again = Self.mayHelp(error) ? ": run the same command again to go on" : ""
    let advice = isUseless ? "" : "; what has arrived is kept\(again)"
    switch error {
    case let error as ReadError:
      let failure = ToolFailure(reading: source, error, growth)
      return ToolFailure(failure.message + advice, status: failure.status)
    case let failure as ToolFailure: return ToolFailure(failure.message + advice, status: failure.status)
    default: return error
    }
  }

  /// `true` if the same command may get on later, or after what the error advises.
  private static func mayHelp(_ error: any Error) -> Bool {
    guard let error = error as? ReadError else { return true }
    return error.isTransient
      || ![.unsupportedSource, .invalidResponse, .notFound, .invalidConfiguration].contains(error.code)
  }

  private func verify(_ part: PartFile, _ byteCount: Int, _ target: CopyTarget) throws {
    guard let digest else { return }
    var progress = Progress("verifying \(file)", total: byteCount)
    defer { progress.clear() }
    let found = try part.digest(byteCount) { count in
      progress.advance(count)
      try Task.checkCancellation()
    }
    guard found == digest else {
      throw ToolFailure(
        "the SHA-256 of \(source.shown) is \(Bytes(found).hex), not the one given: nothing was put in "
          + "place; check the digest, or read all again with --restart")
    }
  }
}
#endif
