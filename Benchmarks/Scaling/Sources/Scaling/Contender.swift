import CBenchmarkPeers
import RangeIO

/// What one task does again and again: some reads, or so many bytes of a stream. 0: there is nothing left to read.
typealias Lane = @Sendable (inout Walk) async throws -> Int

/// One way to do what a workload asks for.
struct Contender: Sendable {
  /// What is ready to run: gives each of so many tasks its work. Called before each run; not timed.
  typealias Ready = @Sendable (_ lanes: Int) async throws -> Lanes

  struct Lanes: Sendable {
    let all: [Lane]
    /// How many reads went to the file by now; `nil`: it does not count them.
    var misses: @Sendable () -> Int? = { nil }
  }

  let name: String
  /// Whether it blocks in system calls, so that as many tasks must have as many threads.
  var blocksThreads = false
  /// Fills stores for at most so many tasks, and compares all bytes of what it reads.
  let start: @Sendable (_ most: Int) async throws -> Ready
}

extension Contender {
  /// All tasks share one thing to read from. `isNew`: which is made anew for each run.
  init<Shared: Sendable>(
    _ name: String, isNew: Bool = false, _ make: @escaping @Sendable () async throws -> Shared,
    lane: @escaping @Sendable (Shared) -> Lane
  ) {
    self.init(name: name) { _ in
      let first = isNew ? nil : try await make()
      return { lanes in
        let shared = if let first { first } else { try await make() }
        return Lanes(all: (0..<lanes).map { _ in lane(shared) }) { (shared as? any CountsMisses)?.misses }
      }
    }
  }
}

/// What tasks share, if it tells how many reads went to the file.
protocol CountsMisses: Sendable {
  var misses: Int { get }
}

/// A read brought other bytes than the file has there, or none.
struct WrongBytes: Error, CustomStringConvertible {
  let offset: Int
  var description: String { "wrong or missing bytes at offset \(offset)" }

  /// Whether a read of kept memory is looked into: one offset of sixteen, for all contenders alike. To touch it costs a miss
  /// of the processor's caches, which is not the look-up's.
  @inline(__always) static func looks(at offset: Int) -> Bool { offset >> 12 & 15 == 0 }

  @inline(__always) static func check(_ bytes: Bytes?, at offset: Int) throws {
    guard let bytes, !bytes.isEmpty else { throw WrongBytes(offset: offset) }
    guard !looks(at: offset) || bytes.integer(at: 0, .littleEndian) == bench_word(UInt64(offset) / 8) else {
      throw WrongBytes(offset: offset)
    }
  }
}
