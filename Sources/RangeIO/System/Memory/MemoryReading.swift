/// What was seen of the system's memory at one moment, each a part of one; `nil` is what could not be seen.
struct MemoryReading: Equatable, Sendable {
  /// Of a control group's limit, where it is largest.
  var used: Double?
  /// Of the last ten seconds: some task waited for memory.
  var someStalled: Double?
  /// Of the last ten seconds: all tasks waited for memory.
  var allStalled: Double?
}
