// What a description keeps in less room: stores keep one for each source.

extension SourceDescription {
  /// Why the sizes are impossible. A pointer, since a string takes twice as much.
  final class Fault: Sendable {
    let text: String

    init?(_ text: String?) {
      guard let text else { return nil }
      self.text = text
    }
  }

  /// How the source may grow, in one byte.
  struct Growth: OptionSet {
    let rawValue: UInt8
    static let mayGrow = Growth(rawValue: 1)
    static let isAppendOnly = Growth(rawValue: 2)

    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ mayGrow: Bool, isAppendOnly: Bool) { rawValue = (mayGrow ? 1 : 0) | (isAppendOnly ? 2 : 0) }
  }
}
