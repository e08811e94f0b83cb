@testable import RangeIO

extension RangeReader {
  /// Waits until a change of the source, of which the system tells the reader, makes `condition` true.
  func becomes(_ condition: (RangeReader) -> Bool) async throws {
    while true {
      let answer = core.growth.listen()
      defer { core.growth.leave(answer) }
      if condition(self) { return }
      try await answer.value()
    }
  }
}
