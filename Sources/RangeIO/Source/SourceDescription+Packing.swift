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

  /// The traits that are true, in one byte.
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let mayGrow = Flags(rawValue: 1)
    static let isAppendOnly = Flags(rawValue: 2)
    static let answersCancellation = Flags(rawValue: 4)
    static let reportsChanges = Flags(rawValue: 8)
    static let isBorrowed = Flags(rawValue: 16)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ traits: Traits) {
      self = []
      if traits.mayGrow { insert(.mayGrow) }
      if traits.isAppendOnly { insert(.isAppendOnly) }
      if traits.answersCancellation { insert(.answersCancellation) }
      if traits.reportsChanges { insert(.reportsChanges) }
      if traits.isBorrowed { insert(.isBorrowed) }
    }
  }
}
