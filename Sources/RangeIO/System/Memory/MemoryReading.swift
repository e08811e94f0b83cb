/// The state of the system's memory at one moment, as fractions; `nil` for unknown values.
struct MemoryReading: Equatable, Sendable {
  /// The used part of a control group's limit, where it is largest.
  var used: Double?
  /// The part of the last ten seconds in which some task waited for memory.
  var someStalled: Double?
  /// The part of the last ten seconds in which all tasks waited for memory.
  var allStalled: Double?
}
