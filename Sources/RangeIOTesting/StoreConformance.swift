public import RangeIO

/// Checks that a ``ChunkStore`` keeps its contract.
///
/// ```swift
/// @Test(arguments: 1...20) func `my store is a store`(seed: UInt64) async throws {
///   try await StoreConformance.check(seed: seed) { sources, limit in MyStore(limit: limit, sources: sources) }
/// }
/// ```
///
/// It does to a store what `Caching` does, in random order: looks up, reserves, inserts, gives up, removes, also while
/// bytes are on their way; first alone, then from several tasks. Every byte is compared. What it cannot see: how long a
/// call takes, and what the store's bookkeeping takes in addition to the bytes.
public enum StoreConformance {
  /// What a store did that it must not.
  public struct Violation: Error, CustomStringConvertible {
    /// What, and with which seed.
    public let description: String
  }

  /// Works a new store, one task at first, then `tasks`.
  ///
  /// - Parameters:
  ///   - seed: repeats the operations of one task. How tasks take turns it does not repeat.
  ///   - operations: how many, for each task.
  ///   - limit: bytes that the store may hold, reservations included: handed to `make`. At least 64 KiB.
  ///   - tasks: how many work the store at once.
  ///   - settle: waits until what the store does in the background is done, for stores that keep what they are handed later
  ///     than they are called: `{ try await ($0 as? MyStore)?.flush() }`. Default: there is nothing to wait for.
  ///   - make: a store of at most that limit which knows these sources.
  /// - Throws: ``Violation``; what `make` and `settle` throw.
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

/// What a store did.
struct StoreFault: Error {
  let description: String
  init(_ description: String) { self.description = description }
}
