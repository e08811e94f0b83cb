/// What a source has done since it was made.
public struct SourceStatistics: Hashable, Sendable, Codable {
  /// Reads and bytes that took one lane.
  public struct Lane: Hashable, Sendable, Codable {
    /// What the source calls this lane. For files: `resident`, `positional`, `dispatchIO`.
    public var name: String
    /// Reads that got at least one byte through this lane.
    public var reads: Int
    /// Bytes read through this lane.
    public var bytes: Int

    /// Creates the counts of a lane.
    public init(name: String, reads: Int, bytes: Int) {
      self.name = name
      self.reads = reads
      self.bytes = bytes
    }
  }

  /// The lanes, fastest first. Empty for a source that has only one way to read and does not count.
  public var lanes: [Lane]

  /// Creates counts by lane.
  public init(lanes: [Lane] = []) { self.lanes = lanes }

  /// The bytes read through the lane called `name`.
  public func bytes(by name: String) -> Int { lanes.first { $0.name == name }?.bytes ?? 0 }
}
