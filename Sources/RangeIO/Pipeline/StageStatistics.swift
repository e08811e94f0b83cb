/// What one stage of a pipeline has done, as named counts. All stages use the same form, so that you can print, send
/// and sum the counts without knowing the stage.
public struct StageStatistics: Hashable, Sendable, Codable {
  /// One count.
  public struct Count: Hashable, Sendable, Codable {
    /// What is counted, in words: `"bytes read ahead"`.
    public var name: String
    /// How many.
    public var value: Int

    /// Creates a count.
    public init(_ name: String, _ value: Int) {
      self.name = name
      self.value = value
    }
  }

  /// The name of the stage's type.
  public var stage: String
  /// The counts, in the best order for reading.
  public var counts: [Count]
  /// Bytes that the stage had read from below and that no read returned.
  public var wastedBytes: Int

  /// Creates counts for the stage called `stage`.
  public init(stage: String, counts: [Count], wastedBytes: Int = 0) {
    self.stage = stage
    self.counts = counts
    self.wastedBytes = wastedBytes
  }

  /// The value of the count called `name`, or `nil`.
  public subscript(name: String) -> Int? { counts.first { $0.name == name }?.value }
}

extension StageStatistics: CustomStringConvertible {
  /// One line for people, with the counts that are not zero.
  public var description: String {
    let told = counts.filter { $0.value != 0 }.map { "\($0.name) \($0.value)" }
    let waste = wastedBytes > 0 ? ["wasted bytes \(wastedBytes)"] : []
    return "\(stage): " + (told.isEmpty && waste.isEmpty ? "nothing" : (told + waste).joined(separator: ", "))
  }
}
