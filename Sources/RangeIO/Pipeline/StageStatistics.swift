/// What one stage of a pipeline has done, as named counts: the same form for all, so that they can be printed, sent and
/// summed without knowing the stage.
public struct StageStatistics: Hashable, Sendable, Codable {
  /// One count.
  public struct Count: Hashable, Sendable, Codable {
    /// What is counted, in words: `"bytes read ahead"`.
    public var name: String
    /// How many.
    public var value: Int

    /// A count.
    public init(_ name: String, _ value: Int) {
      self.name = name
      self.value = value
    }
  }

  /// The name of the stage: its type's.
  public var stage: String
  /// Its counts, in the order in which they are best read.
  public var counts: [Count]
  /// Bytes that it had read from below and that no read returned.
  public var wastedBytes: Int

  /// Counts of the stage called `stage`.
  public init(stage: String, counts: [Count], wastedBytes: Int = 0) {
    self.stage = stage
    self.counts = counts
    self.wastedBytes = wastedBytes
  }

  /// The value of the count called `name`, or `nil`.
  public subscript(name: String) -> Int? { counts.first { $0.name == name }?.value }
}

extension StageStatistics: CustomStringConvertible {
  /// One line for people: the counts that are not zero.
  public var description: String {
    let told = counts.filter { $0.value != 0 }.map { "\($0.name) \($0.value)" }
    let waste = wastedBytes > 0 ? ["wasted bytes \(wastedBytes)"] : []
    return "\(stage): " + (told.isEmpty && waste.isEmpty ? "nothing" : (told + waste).joined(separator: ", "))
  }
}
