public import RangeIO

/// Checks that a `ChunkStore` fulfils its contract.
///
/// ```swift
/// @Test(arguments: 1...20) func `my store is a store`(seed: UInt64) async throws {
///   try await StoreConformance.check(seed: seed) { sources, limit in MyStore(limit: limit, sources: sources) }
/// }
/// ```
///
/// It calls a store as `.caching` does, in random order: it looks up, reserves, inserts, cancels and removes, also
/// while bytes are in flight. It does so first from one task, then from several. If the store may outlive the process,
/// it is also told to erase what no token leads to any more. It compares every byte. It cannot check how long a call
/// takes, and how much memory the store needs in addition to the bytes.
public enum StoreConformance {
  /// A violation of the contract by a store.
  public struct Violation: Error, CustomStringConvertible {
    /// The fault of the store, and the seed.
    public let description: String
  }

  /// Uses a new store, first from one task, then from `tasks` tasks.
  ///
  /// - Parameters:
  ///   - seed: repeats the operations of each task, but not how the tasks interleave.
  ///   - operations: the number of operations per task.
  ///   - limit: the bytes that the store may hold, including reservations; passed to `make`. At least 64 KiB.
  ///   - tasks: how many tasks use the store at the same time.
  ///   - settle: waits until the store's background work is done. For stores that keep bytes only some time after the
  ///     call: `{ try await ($0 as? MyStore)?.flush() }`. Default: does not wait.
  ///   - make: creates a store with at most that limit, which knows these sources.
  /// - Throws: ``Violation``; any error that `make` and `settle` throw.
  public static func check(
    seed: UInt64, operations: Int = 400, limit: ByteCount = .kibibytes(256), tasks: Int = 4,
    settle: ((any ChunkStore) async throws -> Void)? = nil,
    _ make: (_ sources: ChunkSources, _ limit: ByteCount) async throws -> any ChunkStore
  ) async throws {
    let sources = ChunkSources()
    let store = try await make(sources, limit)
    guard store.sources === sources else {
      throw Violation(description: "the store knows other sources than it was given")
    }
    do {
      var one = StoreWork(store, limit: limit.bytes, seed: seed, isAlone: true)
      try await one.checkOwnMemory()
      try one.checkReservations()
      for operation in 0..<operations {
        try await one.step()
        if operation % 8 == 0 { try await settle?(store) }
      }
      guard one.hits > 0 else { throw StoreFault("keeps nothing: none of \(operations) operations found a byte") }
      try await one.checkLimit()
      try await one.eraseAll()
      try await settle?(store)
      try await one.checkOwnMemory()
      for everything in [false, true] where store.traits.mayOutliveProcess {
        try await settle?(store)
        try one.checkLeftovers(everything: everything)
        try await settle?(store)
        try await one.checkOwnMemory()
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask {
            var work = StoreWork(store, limit: limit.bytes, seed: seed &* 31 &+ UInt64(task), isAlone: false)
            for _ in 0..<operations { try await work.step() }
            work.giveUp()
          }
        }
        try await group.waitForAll()
      }
      try await one.checkLimit()
      try await one.eraseAll()
      try await settle?(store)
      try await one.checkOwnMemory()
    } catch let fault as StoreFault {
      throw Violation(description: "seed \(seed): the store \(fault.description)")
    }
  }
}

/// Something that a store did wrong.
struct StoreFault: Error {
  let description: String
  init(_ description: String) { self.description = description }
}
