import CRangeIOSystem
import RangeIO
import Synchronization

/// Random reads against plain `pread`, one at a time and many at once. Every byte is compared.
struct RandomRace {
  struct Phase {
    var name: String
    var sizes: ClosedRange<Int>
    var count: Int
    var atOnce: Int
  }

  static let phases = [
    Phase(name: "random, 1 B to 4 KiB", sizes: 1...4096, count: 4000, atOnce: 1),
    Phase(name: "random, 4 KiB to 64 KiB", sizes: 4096...65_536, count: 3000, atOnce: 1),
    Phase(name: "random, 64 KiB to 1 MiB", sizes: 65_536...Demo.maxPieceSize.bytes, count: 1000, atOnce: 1),
    Phase(name: "random, 1 B to 1 MiB, 32 at a time", sizes: 1...Demo.maxPieceSize.bytes, count: 8000, atOnce: 32),
  ]

  let reader: RangeReader
  let plain: PlainFile

  /// Both read each range, and take turns in who is first, because the second one finds the bytes in the processor's
  /// caches.
  func oneAtATime(_ ranges: [ByteRange], _ phase: Phase, _ report: inout DemoReport) async throws {
    var row = DemoReport.Row(name: phase.name)
    var progress = Progress(phase.name, total: ranges.reduce(0) { $0 + $1.count })
    defer { progress.clear() }
    let scratch = Scratch(Demo.maxPieceSize)
    let end = ContinuousClock.now + Demo.maxPhase
    for (round, range) in ranges.enumerated() {
      if round & 1 == 0 { row.plainTime += try timePlain(range, scratch) }
      let start = ContinuousClock.now
      let bytes = try await reader.read(range)
      row.time += ContinuousClock.now - start
      if round & 1 == 1 { row.plainTime += try timePlain(range, scratch) }
      row.reads += 1
      row.bytes += bytes.count
      report.comparison.compared(bytes, at: range.lowerBound, with: scratch)
      progress.advance(bytes.count)
      if round & 255 == 255, ContinuousClock.now > end { break }
    }
    report.rows.append(row)
  }

  private func timePlain(_ range: ByteRange, _ scratch: Scratch) throws -> Duration {
    let start = ContinuousClock.now
    try plain.read(range, into: scratch.buffer)
    return ContinuousClock.now - start
  }

  /// First reads and compares the ranges in the same number of tasks, untimed. Then reads them again, timed, in tasks
  /// and in the same number of plain threads.
  ///
  /// The separate comparison means that each read's buffer is free at once, as the buffers of the plain threads are.
  func manyAtOnce(_ ranges: [ByteRange], _ phase: Phase, _ report: inout DemoReport) async throws {
    let end = ContinuousClock.now + Demo.maxPhase
    let compared = try await byTasks(phase.atOnce, ranges, until: end) { [reader, plain] range, part, scratch in
      let bytes = try await reader.read(range)
      try plain.read(range, into: scratch.buffer)
      part.compared(bytes, at: range.lowerBound, with: scratch)
    }
    report.comparison.add(compared)
    let ranges = Array(ranges[..<compared.reads])
    var row = DemoReport.Row(name: phase.name, reads: ranges.count, bytes: compared.bytes)
    let start = ContinuousClock.now
    _ = try await byTasks(phase.atOnce, ranges, until: nil) { [reader] range, _, _ in _ = try await reader.read(range) }
    row.time = ContinuousClock.now - start
    row.plainTime = try timePlain(ranges, threads: phase.atOnce)
    report.rows.append(row)
  }

  /// Gives each range, in order, to one of `count` tasks. Stops early at `end`.
  ///
  /// - Returns: what the tasks compared.
  private func byTasks(
    _ count: Int, _ ranges: [ByteRange], until end: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (ByteRange, inout DemoComparison, Scratch) async throws -> Void
  ) async throws -> DemoComparison {
    let next = NextIndex()
    return try await withThrowingTaskGroup(of: DemoComparison.self) { group in
      for _ in 0..<count {
        group.addTask {
          var part = DemoComparison()
          let scratch = Scratch(Demo.maxPieceSize)
          while case let index = next.take(), index < ranges.count {
            try await body(ranges[index], &part, scratch)
            if index & 255 == 255, let end, ContinuousClock.now > end { next.stop() }
          }
          return part
        }
      }
      return try await group.reduce(into: DemoComparison()) { $0.add($1) }
    }
  }

  private func timePlain(_ ranges: [ByteRange], threads: Int) throws -> Duration {
    let next = NextIndex()
    let failure = Mutex<ToolFailure?>(nil)
    let start = ContinuousClock.now
    try ThreadTeam.run(threads) { [plain] in
      let scratch = Scratch(Demo.maxPieceSize)
      do throws(ToolFailure) {
        while case let index = next.take(), index < ranges.count {
          try plain.read(ranges[index], into: scratch.buffer)
        }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return ContinuousClock.now - start
  }
}

/// Returns 0, 1, 2, … to its callers.
private final class NextIndex: Sendable {
  private let index = Atomic(0)
  func take() -> Int { index.wrappingAdd(1, ordering: .relaxed).oldValue }
  /// From now on returns numbers past the end of any list.
  func stop() { index.store(Int.max / 2, ordering: .relaxed) }
}

/// Plain threads that do one job together. Used to measure plain `pread` with many readers.
enum ThreadTeam {
  /// Runs `body` on `count` threads and waits for all of them. Blocks the calling thread.
  static func run(_ count: Int, _ body: @escaping @Sendable () -> Void) throws(ToolFailure) {
    guard let parker = rio_parker_create() else { throw ToolFailure("out of memory") }
    let team = Team(count, parker, body)
    var started = 0
    for _ in 0..<count {
      let context = Unmanaged.passRetained(team)
      let result = rio_thread_start(
        { Unmanaged<Team>.fromOpaque($0!).takeRetainedValue().work() }, context.toOpaque(), "rangeio.demo")
      guard result >= 0 else {
        context.release()
        break
      }
      started += 1
    }
    team.leave(count - started)
    while !team.isDone { _ = rio_parker_wait(parker, 1_000_000_000) }
    guard started == count else {
      throw ToolFailure("the system gives no \(count) threads: raise the limit (ulimit -u)")
    }
  }

  private final class Team: @unchecked Sendable {
    // Unchecked: the parker is a C semaphore.
    private let left: Atomic<Int>
    private let parker: OpaquePointer
    private let body: @Sendable () -> Void

    init(_ count: Int, _ parker: OpaquePointer, _ body: @escaping @Sendable () -> Void) {
      left = Atomic(count)
      self.parker = parker
      self.body = body
    }

    deinit { rio_parker_destroy(parker) }

    var isDone: Bool { left.load(ordering: .acquiring) == 0 }

    func work() {
      body()
      leave(1)
    }

    func leave(_ count: Int) {
      let left = left.wrappingSubtract(count, ordering: .acquiringAndReleasing).newValue
      if left == 0 { rio_parker_wake(parker) }
    }
  }
}
