extension ReadExplanation {
  /// Where bytes come from. A store of your own has the name of its type.
  public struct Origin: Hashable, Sendable {
    private let name: String

    /// Creates the origin with that name.
    package init(_ name: String) { self.name = name }

    /// A cache's memory, uncompressed.
    public static let memory = Origin("memory")
    /// A cache's compressed memory.
    public static let compressed = Origin("compressed")
    /// A cache's directory on a disk.
    public static let spill = Origin("spill")
    /// A cache as a whole. Used in reasons: why it is not asked.
    package static let cache = Origin("cache")
    /// A read of the source that is already in flight.
    public static let flight = Origin("flight")
    /// The source itself.
    public static let source = Origin("source")
    /// Cannot be known: a stage shows other bytes than those below it.
    public static let unknown = Origin("unknown")

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
}

extension ReadExplanation.Origin: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
