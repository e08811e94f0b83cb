import Foundation
import Testing

@testable import RangeIO

/// The current directory is the whole process's: tests change it one at a time.
enum CurrentDirectory {
  private static let lasting: Result<TemporaryDirectory, any Error> = Result {
    atexit { if let lasting = try? CurrentDirectory.lasting.get() { lasting.remove() } }
    return try TemporaryDirectory()
  }

  /// A directory to make the current one. It lasts until this process ends: processes that other tests start meanwhile begin
  /// there.
  static func temporary() throws -> TemporaryDirectory { try TemporaryDirectory(in: lasting.get()) }

  private static let last = Locked<Promise<Void>?>(nil)

  /// Does `body`, which changes the current directory, and then returns to the one before.
  static func comingBack(_ body: () async throws -> Void) async throws {
    let turn = Promise<Void>()
    let before = last.withLock { last in
      defer { last = turn }
      return last
    }
    defer { turn.resolve(.success(())) }
    try await before?.value()
    let here = open(".", O_RDONLY | O_CLOEXEC)
    try #require(here >= 0)
    defer {
      #expect(fchdir(here) == 0)
      close(here)
    }
    try await body()
  }
}
