import Synchronization

/// A file that is only ever added to, as all sources of the process know it that have it open: until one of them sees it
/// cut or rewritten, or the last one closes it. What is there then under the same inode is another recording, however
/// long.
final class AppendOnlyFile: Sendable {
  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private struct Entry {
    let number: UInt64
    weak var recording: AppendOnlyFile?
  }

  private struct Table {
    var entries: [Place: Entry] = [:]
    var lastNumber: UInt64 = 0
  }

  private struct Seen {
    var mark: AppendOnlyMark?
    var hasEnded = false
  }

  private static let table = Locked(Table())

  /// Never given to another.
  let number: UInt64
  private let place: Place
  private let seen = Locked(Seen())

  private init(_ number: UInt64, _ place: Place) { (self.number, self.place) = (number, place) }

  deinit {
    Self.table.withLock { [place, number] table in
      if table.entries[place]?.number == number { table.entries[place] = nil }
    }
  }

  /// The recording in the file that `status` is of.
  static func of(_ status: FileStatus) -> AppendOnlyFile {
    current(Place(device: status.device, inode: status.inode), after: nil)
  }

  /// The recording that came after this one, which has ended.
  var next: AppendOnlyFile { Self.current(place, after: number) }

  private static func current(_ place: Place, after number: UInt64?) -> AppendOnlyFile {
    table.withLock { table in
      if let known = table.entries[place]?.recording, known.number != number { return known }
      table.lastNumber += 1
      let new = AppendOnlyFile(table.lastNumber, place)
      table.entries[place] = Entry(number: new.number, recording: new)
      return new
    }
  }

  /// Whether `status` is of the file that it is in.
  func isIn(_ status: FileStatus) -> Bool { status.device == place.device && status.inode == place.inode }

  /// Whether it was seen cut or rewritten.
  var hasEnded: Bool { seen.withLock { $0.hasEnded } }

  /// What it was compared with last; `nil` before the first time.
  var mark: AppendOnlyMark? { seen.withLock { $0.mark } }

  /// Whether a look shows it as it was when it was compared last.
  func isSame(_ status: FileStatus) -> Bool {
    seen.withLock { !$0.hasEnded && $0.mark?.isOf(status) ?? false }
  }

  /// It was seen cut or rewritten.
  func end() { seen.withLock { $0.hasEnded = true } }

  /// It was compared with `old` and found to have that and more.
  ///
  /// Others may have compared it meanwhile: the longer mark counts.
  func advance(from old: AppendOnlyMark?, to new: AppendOnlyMark) {
    seen.withLock { seen in
      guard let mark = seen.mark else {
        seen.mark = new
        return
      }
      // Of two that had the same before them both are good; one that had nothing before it is compared first.
      if old != nil, mark == old || mark.end < new.end { seen.mark = new }
    }
  }
}

/// The version of a file that is only ever added to: which recording it is, and how long.
struct RecordingVersion: ExplainedValidator {
  let recording: UInt64
  let size: Int

  /// Longer is the same and more.
  func change(to newer: any SourceValidator) -> SourceChange {
    guard let newer = newer as? RecordingVersion, newer.recording == recording else { return .other }
    return newer.size == size ? .same : newer.size > size ? .extends : .other
  }

  func difference(to newer: any SourceValidator) -> String? { Self.hasEnded }

  /// For messages.
  static let hasEnded = "what the file held was cut off or written over, or it is another file"
}
