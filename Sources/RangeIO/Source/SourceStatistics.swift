/// What a source has done since it was made.
public struct SourceStatistics: Hashable, Sendable, Codable {
  /// Reads and bytes that went one way.
  public struct Lane: Hashable, Sendable, Codable {
    /// What the source calls this way: for files `resident`, `positional`, `dispatchIO`.
    public var name: String
    /// Reads that got at least one byte this way.
    public var reads: Int
    /// Bytes that came this way.
    public var bytes: Int

    /// A lane's counts.
    public init(name: String, reads: Int, bytes: Int) {
      self.name = name
      self.reads = reads
      self.bytes = bytes
    }
  }

  /// The ways by which bytes came, fastest first. Empty for a source that has one and does not count.
  public var lanes: [Lane]

  /// Counts by lane.
  public init(lanes: [Lane] = []) { self.lanes = lanes }

  /// The bytes that came by the lane called `name`.
  public func bytes(by name: String) -> Int { lanes.first { $0.name == name }?.bytes ?? 0 }
}
