#if HTTP
  internal import RangeIO

  /// An object that only grows, shared by all sources in the process that read it. It ends when one of them sees it cut or
  /// rewritten, or when the last one is gone. What then has the same URL is another recording, however long it is.
  final class GrowingObject: Sendable {
    private struct Entry {
      let number: UInt64
      weak var object: GrowingObject?
    }
    private struct Table {
      var entries: [ExactText: Entry] = [:]
      var lastNumber: UInt64 = 0
    }
    private struct Seen {
      var mark: GrowthMark?
      var hasEnded = false
    }
    private static let table = Locked(Table())

    /// Never used for another recording.
    let number: UInt64
    private let id: ExactText
    private let seen = Locked(Seen())

    private init(_ number: UInt64, _ id: ExactText) { (self.number, self.id) = (number, id) }

    deinit {
      Self.table.withLock { [id, number] table in
        if table.entries[id]?.number == number { table.entries[id] = nil }
      }
    }

    /// The recording behind the source with `id`.
    static func of(_ id: String) -> GrowingObject { current(ExactText(id), after: nil) }

    /// The recording that follows this one, which has ended.
    var next: GrowingObject { Self.current(id, after: number) }

    private static func current(_ id: ExactText, after number: UInt64?) -> GrowingObject {
      table.withLock { table in
        if let known = table.entries[id]?.object, known.number != number { return known }
        table.lastNumber += 1
        let new = GrowingObject(table.lastNumber, id)
        table.entries[id] = Entry(number: new.number, object: new)
        return new
      }
    }

    /// `true` once it was seen cut or rewritten.
    var hasEnded: Bool { seen.withLock { $0.hasEnded } }

    /// The longest end that is known; `nil` before the first look.
    var mark: GrowthMark? { seen.withLock { $0.mark } }

    /// It was seen cut or rewritten.
    func end() { seen.withLock { $0.hasEnded = true } }

    /// The object was compared with `old` and found to have the bytes before `new`. The longest mark counts, whichever look comes
    /// first.
    ///
    /// - Returns: the mark that counts; `nil` if `new` must be compared first, since another look has made the first mark.
    func advance(from old: GrowthMark?, to new: GrowthMark) -> GrowthMark? {
      seen.withLock { seen in
        guard let mark = seen.mark else {
          seen.mark = new
          return new
        }
        guard old != nil else { return nil }
        if mark == old || mark.end < new.end { seen.mark = new }
        return seen.mark
      }
    }
  }
#endif
