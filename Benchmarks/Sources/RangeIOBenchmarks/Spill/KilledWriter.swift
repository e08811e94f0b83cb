import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A process that fills a store, flushes it and is killed before it can close it.
enum KilledWriter {
  /// Runs this program again, to fill a store in `directory` and die.
  static func run(_ contender: SpillContender, _ directory: URL, blocks: Int, size: Int) async throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [
      "--spill-and-die", contender.name.rawValue, "--spill-blocks", "\(blocks)", "--spill-size", "\(size)",
      "--directory", directory.path,
    ]
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { @Sendable process in
        let wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        continuation.resume(with: wasKilled ? .success(()) : .failure(NotKilled(status: process.terminationStatus)))
      }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }

  /// What that process does.
  static func fillAndDie(_ name: String, _ directory: URL, blocks: Int, size: Int) async throws {
    guard let contender = SpillContender.all.first(where: { $0.name.rawValue == name }) else {
      throw NotKilled(status: 0)
    }
    let peer = try await contender.fill(directory, blocks: blocks, size: size)
    kill(getpid(), SIGKILL)
    // It may take a moment, for which the store must not close itself.
    try await Task.sleep(for: .seconds(60))
    withExtendedLifetime(peer) {}
    throw NotKilled(status: 0)
  }

  private struct NotKilled: Error, CustomStringConvertible {
    let status: CInt

    var description: String { "the process that should fill a store and be killed ended by itself (\(status))" }
  }
}
