/// Where bytes come from. Your own stores may use names of their own.
public struct ReadOrigin: RawRepresentable, Hashable, Sendable, Codable {
  /// The name.
  public let rawValue: String

  /// Creates the origin with that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A cache's memory, uncompressed.
  public static let memory = ReadOrigin(rawValue: "memory")
  /// A cache's compressed memory.
  public static let compressed = ReadOrigin(rawValue: "compressed")
  /// A cache's directory on a disk.
  public static let spill = ReadOrigin(rawValue: "spill")
  /// A cache as a whole. Used in reasons: why it is not asked.
  public static let cache = ReadOrigin(rawValue: "cache")
  /// A read of the source that is already in flight.
  public static let flight = ReadOrigin(rawValue: "flight")
  /// The source itself.
  public static let source = ReadOrigin(rawValue: "source")
  /// Cannot be known: a stage shows other bytes than those below it.
  public static let unknown = ReadOrigin(rawValue: "unknown")

  /// From the nearest to the farthest. Origins with other names lie between memory and flights.
  var distance: Int {
    switch self {
    case .memory: 0
    case .compressed: 1
    case .spill: 3
    case .flight: 4
    case .source: 5
    case .unknown: 6
    default: 2
    }
  }
}

extension ReadOrigin: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}
